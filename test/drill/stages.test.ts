import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { tomorrow } from "../../cli/src/drill/tomorrow.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { batchStage, collection, type Pipeline, pipeline, service, stage } from "../../engine/src/index.ts";
import { type DrilledStage, type DrillOptions, drill } from "../../engine/src/testing.ts";

const notes = collection("notes", z.object({ text: z.string() }));
const copies = collection("copies", z.object({ text: z.string() }));
const pages = collection("pages", z.object({ text: z.string() }));
const documents = ["a", "b", "c"].map((id) => notes.document(id, { text: `text of ${id}` }));

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  *run({ id, text }) {
    yield copies.document(id, { text });
  },
});

describe("a drill", () => {
  let database: Awaited<ReturnType<typeof openPglite>>;
  beforeAll(async () => {
    database = await openPglite({ folder: null, inline: true });
  });
  afterAll(() => database.close());

  const drillStages = async (
    stages: Pipeline["stages"],
    more: Partial<DrillOptions> = {},
  ): Promise<ReadonlyMap<string, DrilledStage>> => {
    const pipelines = [pipeline("p", { stages })] as readonly Pipeline[];
    const options = { database, pipelines, documents, makeServices: () => ({}), pointsMax: 12, ...more };
    const drilled = await drill(options);
    expect(drilled.unexplained).toEqual([]);
    expect(drilled.ok).toBe(drilled.stages.every(({ same }) => same));
    return new Map(drilled.stages.map((line) => [line.stage, line]));
  };

  it("finds nothing wrong with a stage whose result follows from its input, and does make it work again", async () => {
    const found = await drillStages([copying], { pointsMax: null });
    expect(found.get("copying")).toMatchObject({ same: true, first: null, calledAgain: [] });
    expect(found.get("copying")?.again).toBeGreaterThan(0);
  });

  it("finds a time in what is yielded, and the document, the field and the place", async () => {
    const stamping = stage("stamping", {
      reads: notes,
      writes: [copies],
      *run({ id }) {
        yield copies.document(id, { text: `at ${process.hrtime.bigint()}` });
      },
    });
    const { same, first, differing } = (await drillStages([stamping])).get("stamping") as DrilledStage;
    expect(same).toBe(false);
    expect(differing).toBeGreaterThan(1);
    expect(first).toMatchObject({
      document: "notes/a",
      output: "copies/a",
      field: "text",
      point: "run again, without a crash",
    });
  });

  it("finds a day in what is yielded, although every run is on the same day", async () => {
    const dating = stage("dating", {
      reads: notes,
      writes: [copies],
      *run({ id }) {
        yield copies.document(id, { text: new Date().toISOString().slice(0, 10) });
      },
    });
    expect((await drillStages([dating])).get("dating")?.same).toBe(true);
    const { first } = (await drillStages([dating], { later: tomorrow })).get("dating") as DrilledStage;
    expect(first).toMatchObject({ field: "text", point: "run again, on another day" });
  });

  it("blames who is to blame, not who is given something else because of it", async () => {
    let made = 0;
    const numbering = stage("numbering", {
      reads: notes,
      writes: [copies],
      *run({ text }) {
        made += 1;
        yield copies.document(`copy-${made}`, { text });
      },
    });
    const paging = stage("paging", {
      reads: copies,
      writes: [pages],
      *run({ id, text }) {
        yield pages.document(id, { text });
      },
    });
    const found = await drillStages([paging, numbering]);
    expect(found.get("numbering")).toMatchObject({
      same: false,
      first: { field: "id", was: "copies/copy-1" },
    });
    expect(found.get("paging")).toMatchObject({ same: true });
  });

  it("finds what only a crash brings to light, and says where it was killed", async () => {
    const trying = stage("trying", {
      reads: notes,
      writes: [copies],
      *run({ id }, { attempt }) {
        yield copies.document(id, { text: `attempt ${attempt}` });
      },
    });
    const { first } = (await drillStages([trying])).get("trying") as DrilledStage;
    expect(first).toMatchObject({ was: "attempt 1", is: "attempt 2" });
    expect(first?.point).toMatch(/^(?:trying|the engine) killed before .+ \(call \d+\)$/);
  });

  it("finds a result that depends on who else is in the batch", async () => {
    const ranking = batchStage("ranking", {
      reads: notes,
      writes: [copies],
      batch: 10,
      async *run(batch) {
        for (const note of batch)
          yield [note, copies.document(note.id, { text: `one of ${batch.length}` })] as const;
      },
    });
    const { first } = (await drillStages([ranking])).get("ranking") as DrilledStage;
    expect(first).toMatchObject({
      document: "notes/c",
      field: "text",
      was: "one of 3",
      is: "one of 1",
      point: "run again, with the documents one by one, the last one first",
    });
  });

  it("finds a result that depends on what came before", async () => {
    const last = service("last").as<{ seen: string }>();
    const linking = stage("linking", {
      reads: notes,
      writes: [copies],
      needs: [last],
      *run({ id }, { last }) {
        yield copies.document(id, { text: `after ${last.seen}` });
        last.seen = id;
      },
    });
    const makeServices = () => ({ last: { seen: "nothing" } });
    const found = await drillStages([linking] as never, { makeServices, pointsMax: 1 });
    const { first } = found.get("linking") as DrilledStage;
    expect(first).toMatchObject({ was: "after b", is: "after nothing" });
  });

  it("finds a document that is there only if nothing was killed", async () => {
    const asked = service("asked").as<{ first(key: string): boolean }>();
    const once = stage("once", {
      reads: notes,
      writes: [copies],
      needs: [asked],
      *run({ id, text }, { asked }) {
        if (asked.first(id)) yield copies.document(id, { text });
      },
    });
    const makeServices = () => {
      const seen = new Set<string>();
      return { asked: { first: (key: string) => seen.size < seen.add(key).size } };
    };
    const { first } = (await drillStages([once] as never, { makeServices })).get("once") as DrilledStage;
    expect(first).toMatchObject({ was: "copies/a", is: null });
    expect(first?.point).toMatch(/^once killed /);
  });

  it("tells who was called again, and whether they could know", async () => {
    const press = service("press").as<{ print(text: string, key?: string): Promise<void> }>();
    const printing = (name: string, keyed: boolean) =>
      stage(name, {
        reads: notes,
        writes: [keyed ? copies : pages],
        needs: [press],
        async *run({ id, text }, { press, idempotencyKey }) {
          await (keyed ? press.print(text, idempotencyKey) : press.print(text));
          yield (keyed ? copies : pages).document(id, { text });
        },
      });
    const found = await drillStages([printing("careful", true), printing("careless", false)] as never, {
      makeServices: () => ({ press: { print: async () => undefined } }),
      pointsMax: 24,
    });
    expect(found.get("careful")?.calledAgain).toMatchObject([{ method: "press.print", keyed: true }]);
    expect(found.get("careless")?.calledAgain).toMatchObject([{ method: "press.print", keyed: false }]);
  });

  it("does not blame a stage for a service that never says the same twice, but tells", async () => {
    const model = service("model").as<{ complete(text: string): Promise<string> }>();
    const writing = stage("writing", {
      reads: notes,
      writes: [copies],
      needs: [model],
      async *run({ id, text }, { model }) {
        yield copies.document(id, { text: await model.complete(text) });
      },
    });
    let said = 0;
    const complete = async () => `answer ${++said}`;
    const found = await drillStages([writing] as never, { makeServices: () => ({ model: { complete } }) });
    expect(found.get("writing")).toMatchObject({ same: true, first: null, fickle: ["model.complete"] });
  });

  it("waits for services that take their time, and for none that has been killed", async () => {
    const slow = service("slow").as<{ wait(): Promise<void> }>();
    const waiting = stage("waiting", {
      reads: notes,
      writes: [copies],
      needs: [slow],
      timeout: "1s",
      async *run({ id, text }, { slow }) {
        await slow.wait();
        yield copies.document(id, { text });
      },
    });
    const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
    const found = await drillStages([waiting] as never, {
      makeServices: () => ({ slow: { wait } }),
      pointsMax: 6,
    });
    expect(found.get("waiting")).toMatchObject({ same: true, dead: 0 });
  });

  it("drills only the stages it is told to, and says which had nothing to do", async () => {
    const paging = stage("paging", { reads: pages, writes: [copies], *run() {} });
    const found = await drillStages([copying, paging], { stages: ["paging"] });
    expect([...found]).toEqual([["paging", expect.objectContaining({ runs: 0, points: 0, same: true })]]);
  });
});
