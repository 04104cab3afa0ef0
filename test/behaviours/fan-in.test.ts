import { describe, expect, it } from "vitest";
import { groupStage, permanent, pipeline, stage, transient } from "../../engine/src/index.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, expectAllSettled, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("fan_in");

/** Every note is checked, then all notes of a topic are summed up. */
function makeSumming(spec: { incomplete?: "proceed" | "wait" } = {}) {
  const summed: string[] = [];
  const checking = stage("checking", {
    reads: notes,
    writes: [copies],
    retry: { attempts: 2 },
    *run(note, { attempt }) {
      if (note.text === "bad") throw permanent("note.bad", "It is bad.");
      if (note.text === "late" && attempt === 1) throw transient("note.late", "Not now.");
      yield copies.document(note.id, { text: note.text });
    },
  });
  const summing = groupStage("summing", {
    reads: notes,
    writes: [reports],
    per: (note) => note.topic ?? "none",
    after: [checking],
    ...spec,
    *run({ key, documents }) {
      const text = documents.map((one) => one.id).join(" ");
      summed.push(`${key}: ${text}`);
      yield reports.document(key, { text });
    },
  });
  return { summed, checking, summing, pipelines: [pipeline("sums", { stages: [checking, summing] })] };
}

const note = (id: string, text: string, topic = "t") => notes.document(id, { text, topic });

describe("many into one", () => {
  it("68: a group waits until every member has passed the stages before it", async () => {
    const { summed, pipelines } = makeSumming();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([note("a", "fine"), note("b", "late"), note("c", "fine")]);
    await engine.drain({ advance: false });
    expect(summed).toEqual([]);
    expect((await openTasks(engine.database)).find((task) => task.stage === "summing")?.reason).toBe("after");
    await engine.drain();
    expect(summed).toEqual(["t: a b c"]);
  });

  it("69: members that pass at the same moment in different workers never leave their group asleep", async () => {
    const { pipelines } = makeSumming();
    const schema = postgres.fresh();
    const start = () => postgres.start({ schema, pipelines, services: {}, config: { batchMax: 7 } });
    const [first, second] = await Promise.all([start(), start()]);
    const drafts = Array.from({ length: 800 }, (_, index) =>
      note(`n${index}`, "fine", `topic ${index % 100}`),
    );
    for (let at = 0; at < drafts.length; at += 200) await first.accept(drafts.slice(at, at + 200));
    await first.settled();
    const found = [];
    for await (const report of first.documents(reports)) found.push(report.text.split(" ").length);
    expect(found).toEqual(Array.from({ length: 100 }, () => 8));
    await Promise.all([first.stop(), second.stop()]);
  });

  it("70: a group that must be complete waits for a member that died, and says so", async () => {
    const { summed, pipelines } = makeSumming({ incomplete: "wait" });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([note("a", "fine"), note("b", "bad")]);
    for (let hour = 0; hour < 5; hour++) {
      for (let round = 0; round < 4; round++) await engine.step();
      engine.clock.advance(3_600_000);
    }
    expect(summed).toEqual([]);
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "b", stage: "checking" }]);
    expect(await openTasks(engine.database)).toMatchObject([
      { id: "t", stage: "summing", reason: "after", attempts: 0 },
    ]);
  });

  it("71: when that member has been put right the group goes on", async () => {
    const { summed, pipelines } = makeSumming({ incomplete: "wait" });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([note("a", "fine"), note("b", "bad")]);
    for (let round = 0; round < 4; round++) await engine.step();
    await engine.accept(note("b", "better"));
    await engine.drain();
    expect(summed).toEqual(["t: a b"]);
    await expectAllSettled(engine.database);
  });

  it("72: by default a group goes ahead without being kept waiting by a member that died", async () => {
    const { summed, pipelines } = makeSumming();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([note("a", "fine"), note("b", "bad"), note("c", "fine", "other")]);
    await engine.drain();
    expect(summed.map((one) => one.split(":")[0]).toSorted()).toEqual(["other", "t"]);
    expect((await engine.read(reports, "t"))?.text).toContain("a");
    expect(await openTasks(engine.database)).toEqual([]);
  });

  it("73: of a stage that fails halfway nothing is to be seen, neither outputs nor what they would owe", async () => {
    const half = stage("half", {
      reads: notes,
      writes: [copies],
      *run(one) {
        yield copies.document(`${one.id}/1`, { text: "1" });
        yield copies.document(`${one.id}/2`, { text: "2" });
        throw permanent("half.way", "Only half of it.");
      },
    });
    const after = stage("after", { reads: copies, writes: [reports], run: () => [] });
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [half, after] })],
      services: {},
    });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    expect([await engine.all(copies), await openTasks(engine.database)]).toEqual([[], []]);
  });

  it("73: and of a set of documents that could not be taken in nothing is left", async () => {
    const { pipelines } = makeSumming();
    const engine = await engines.open({
      pipelines,
      services: {},
      store: {
        async acceptDocuments() {
          throw new Error("no");
        },
      },
    });
    await expect(engine.accept(manyNotes(3))).rejects.toThrow("no");
    expect([await engine.all(notes), await openTasks(engine.database)]).toEqual([[], []]);
  });

  it("a group that loses a member is summed up again without it, and goes with its last one", async () => {
    const { pipelines, summed } = makeSumming();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([note("a", "fine"), note("b", "fine")]);
    await engine.drain();
    await engine.accept(note("b", "fine", "elsewhere"));
    await engine.drain();
    expect(await engine.read(reports, "t")).toMatchObject({ text: "a" });
    await engine.accept(note("a", "fine", "elsewhere"));
    await engine.drain();
    expect(await engine.read(reports, "t")).toBeNull();
    expect(summed.at(-1)).toBe("elsewhere: a b");
  });

  it("a group whose member has changed is owed again by the sweep if the task that said so was lost", async () => {
    const gathering = groupStage("gathering", {
      reads: notes,
      writes: [reports],
      per: (note) => note.topic ?? "none",
      *run({ key, documents }) {
        yield reports.document(key, { text: documents.map((one) => one.text).join(" ") });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("gathering", { stages: [gathering] })],
      services: {},
    });
    await engine.accept([note("a", "one"), note("b", "two")]);
    await engine.drain();
    engine.clock.advance(60_000);
    await engine.accept(note("a", "three"));
    await engine.database.script("delete from headway.task");
    await engine.drain();
    expect(await engine.read(reports, "t")).toMatchObject({ text: "one two" });
    await engine.sweep();
    await engine.drain();
    expect(await engine.read(reports, "t")).toMatchObject({ text: "three two" });
  });
});
