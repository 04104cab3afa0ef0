import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { groupStage, permanent, pipeline, stage } from "../../engine/src/index.ts";
import { store } from "../../engine/src/store/store.ts";
import { type TestEngine, virtualClock } from "../../engine/src/testing.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, expectAllSettled, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("concurrency");

/** A stage that counts how many of its runs are under way, over all engines of this process. */
function makeBusyStage(spec: { concurrency?: number; slowMs: number }) {
  const seen = { now: 0, most: 0, runs: 0 };
  const busy = stage("busy", {
    reads: notes,
    writes: [copies],
    ...(spec.concurrency !== undefined && { concurrency: spec.concurrency }),
    async *run(note) {
      seen.runs += 1;
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await pause(spec.slowMs);
      seen.now -= 1;
      yield copies.document(note.id, { text: note.text });
    },
  });
  return { seen, pipelines: [pipeline("p", { stages: [busy] })] };
}

describe("limits over all workers", () => {
  for (const [number, concurrency, documents] of [
    [51, 3, 60],
    [52, 1, 60],
  ] as const) {
    it(`${number}: with a limit of ${concurrency} no more run at once, and nothing gets stuck`, async () => {
      const { seen, pipelines } = makeBusyStage({ concurrency, slowMs: 2 });
      const schema = postgres.fresh();
      const both = [1, 2].map(() =>
        postgres.start({ schema, pipelines, services: {}, config: { pollMs: 20 } }),
      );
      const [first, second] = await Promise.all(both);
      await first?.accept(manyNotes(documents));
      await first?.settled();
      expect(seen.most).toBeLessThanOrEqual(concurrency);
      expect(seen.runs).toBe(documents);
      await Promise.all([first?.stop(), second?.stop()]);
    });
  }

  it("52: two workers without a limit share the work, and each document is worked on once", async () => {
    const { seen, pipelines } = makeBusyStage({ slowMs: 1 });
    const schema = postgres.fresh();
    const start = () => postgres.start({ schema, pipelines, services: {} });
    const [first, second] = await Promise.all([start(), start()]);
    const shares = [0, 0];
    for (const [index, engine] of [first, second].entries()) {
      engine.onSignal(({ kind }) => {
        if (kind === "task.done") shares[index] = (shares[index] ?? 0) + 1;
      });
    }
    await first.accept(manyNotes(2_000));
    await second.settled();
    expect(seen.runs).toBe(2_000);
    await expectAllSettled(first.database);
    await Promise.all([first.stop(), second.stop()]);
    expect(shares[0]! + shares[1]!).toBe(2_000);
  });

  it("53: a group is worked on by one worker at a time, however many members arrive meanwhile", async () => {
    const running = new Set<string>();
    let overlaps = 0;
    const summing = groupStage("summing", {
      reads: notes,
      writes: [reports],
      per: (note) => note.topic ?? "none",
      async *run({ key, documents }) {
        if (running.has(key)) overlaps += 1;
        running.add(key);
        await pause(5);
        running.delete(key);
        yield reports.document(key, { text: documents.map((one) => one.id).join(" ") });
      },
    });
    const schema = postgres.fresh();
    const start = () =>
      postgres.start({ schema, pipelines: [pipeline("p", { stages: [summing] })], services: {} });
    const [first, second] = await Promise.all([start(), start()]);
    for (let round = 0; round < 20; round++) {
      const drafts = [0, 1, 2, 3].map((n) =>
        notes.document(`${round}/${n}`, { text: "", topic: `topic ${n % 2}` }),
      );
      await Promise.all([first.accept(drafts.slice(0, 2)), second.accept(drafts.slice(2))]);
    }
    await first.settled();
    expect(overlaps).toBe(0);
    expect((await first.read(reports, "topic 0"))?.text.split(" ")).toHaveLength(40);
    await Promise.all([first.stop(), second.stop()]);
  });

  it("58: a rate limit holds over all workers together", async () => {
    const ran: number[] = [];
    const clock = virtualClock();
    const limited = stage("limited", {
      reads: notes,
      writes: [copies],
      rate: { limit: 5, per: "1s" },
      *run(note) {
        ran.push(clock.now().getTime());
        yield copies.document(note.id, { text: note.text });
      },
    });
    const open = () =>
      engines.open({ pipelines: [pipeline("p", { stages: [limited] })], services: {}, clock });
    const [first, second] = [await open(), await open()];
    await first.accept(manyNotes(30));
    for (let tick = 0; tick < 55; tick++) {
      await first.step();
      await second.step();
      clock.advance(100);
    }
    expect(ran).toHaveLength(30);
    for (const at of ran) {
      const inTheNextSecond = ran.filter((other) => other >= at && other < at + 1_000).length;
      // A full bucket of 5, and what flows in within the second.
      expect(inTheNextSecond).toBeLessThanOrEqual(10);
    }
    expect((ran.at(-1) as number) - (ran[0] as number)).toBeGreaterThanOrEqual(5_000 - 1_000);
  });

  it("59: a slow rate limit does not hold up a shutdown", async () => {
    const limited = stage("limited", {
      reads: notes,
      writes: [copies],
      rate: { limit: 1, per: "1h" },
      *run(note) {
        yield copies.document(note.id, { text: note.text });
      },
    });
    const schema = postgres.fresh();
    const engine = await postgres.start({
      schema,
      pipelines: [pipeline("p", { stages: [limited] })],
      services: {},
    });
    const done = new Promise((resolve) =>
      engine.onSignal(({ kind }) => kind === "task.done" && resolve(kind)),
    );
    await engine.accept(manyNotes(10));
    await done;
    await engine.stop();
    const after = await postgres.start({
      schema,
      pipelines: [pipeline("p", { stages: [limited] })],
      services: {},
      work: false,
    });
    expect(await openTasks(after.database)).toHaveLength(9);
    expect((await openTasks(after.database)).every((task) => task.attempts === 0)).toBe(true);
    await after.stop();
  });
});

describe("order and fairness", () => {
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    *run(note) {
      if (note.text === "bad") throw permanent("note.bad", "It is bad.");
      yield copies.document(note.id, { text: note.text });
    },
  });
  const open = (settings = {}): Promise<TestEngine> =>
    engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {}, settings });

  it("54: one bad document does not stop the others", async () => {
    const engine = await open({ slots: 1, batchMax: 1 });
    await engine.accept(manyNotes(6, (index) => (index === 0 ? "bad" : "good")));
    await engine.drain();
    expect((await engine.all(copies)).map((one) => one.id)).toHaveLength(5);
  });

  it("55: and once it has been corrected it is worked on like any other", async () => {
    const engine = await open();
    await engine.accept(notes.document("a", { text: "bad" }));
    await engine.drain();
    expect(await deadLetters(engine.database)).toHaveLength(1);
    await engine.accept(notes.document("a", { text: "better" }));
    await engine.drain();
    expect(await deadLetters(engine.database)).toEqual([]);
    expect(await engine.read(copies, "a")).toMatchObject({ text: "better" });
  });

  it("56: a long stream waits for its parts to be stored, so that memory stays flat", async () => {
    let [yielded, stored, most] = [0, 0, 0];
    const streaming = stage("streaming", {
      reads: notes,
      writes: [copies],
      async *run() {
        for (let index = 0; index < 1_000; index++) {
          yielded += 1;
          most = Math.max(most, yielded - stored);
          yield copies.document(`copy ${index}`, { text: "x" });
        }
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [streaming] })],
      services: {},
      settings: { streamDocuments: 20 },
      store: {
        async commitPart(db, part) {
          const committed = await store.commitPart(db, part);
          stored += part.yielded.wanted.length;
          return committed;
        },
      },
    });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    expect(await engine.all(copies)).toHaveLength(1_000);
    expect(most).toBeLessThanOrEqual(21);
  });

  it("56: of a large backlog only what can be worked on is in a worker's hands", async () => {
    const engine = await open({ slots: 4, batchMax: 10 });
    await engine.accept(manyNotes(500));
    const claim = await engine.worker.lanes[0]?.take();
    expect(claim?.tasks.length).toBeLessThanOrEqual(10);
    expect(engine.worker.lanes[0]?.room()).toBeLessThan(10);
  });

  it("60: what is urgent goes before a large backlog, at every stage", async () => {
    const order: string[] = [];
    const first = stage("first", {
      reads: notes,
      writes: [copies],
      *run(note) {
        yield copies.document(note.id, { text: note.text });
      },
    });
    const second = stage("second", {
      reads: copies,
      writes: [reports],
      *run(copy) {
        order.push(copy.id);
        yield reports.document(copy.id, { text: copy.text });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [first, second] })],
      services: {},
      settings: { slots: 5, batchMax: 5 },
    });
    await engine.accept(manyNotes(100));
    await engine.step();
    await engine.accept(notes.document("urgent", { text: "!" }), { priority: 10 });
    await engine.accept(notes.document("whenever", { text: "?" }), { priority: -10 });
    // A claim looks past what it has seen for a moment at most.
    while (await engine.step()) engine.clock.advance(200);
    expect(order.indexOf("urgent")).toBeLessThan(15);
    expect(order.at(-1)).toBe("whenever");
  });

  it("35: work for a stage that this process has no code for stays visible, and the rest goes on", async () => {
    const extra = stage("extra", { reads: notes, writes: [reports], run: () => [] });
    const both = await engines.open({
      pipelines: [pipeline("p", { stages: [copying, extra] })],
      services: {},
    });
    await both.accept(manyNotes(3));
    const older = await open();
    await older.drain();
    expect(await older.all(copies)).toHaveLength(3);
    expect((await openTasks(older.database)).map((task) => task.stage)).toEqual(["extra", "extra", "extra"]);
    const stranger = { collection: "strangers", id: "x", body: {} };
    const { refused, inserted } = await older.accept([stranger, notes.document("d", { text: "" })]);
    expect([inserted, refused.map((one) => one.id)]).toEqual([1, ["x"]]);
  });
});
