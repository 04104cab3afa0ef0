import { setTimeout as sleepFor } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { pipeline, stage } from "../../engine/src/index.ts";
import { countByStage } from "../../engine/src/store/ledger.ts";
import { markGone } from "../../engine/src/store/outputs.ts";
import { setPaused } from "../../engine/src/store/registry.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { TestEngine } from "../../engine/src/testing.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { doneTasks, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";
import { startWorkerProcess } from "../support/worker-processes.ts";

/** Of a test that waits for ever. */
const waiting = { timeout: 30_000 };
const engines = useVirtualEngines();
const postgres = useOwnSchema("pausing");

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  announces: { done: "Copied" },
  *run(note) {
    yield copies.document(note.id, { text: note.text });
  },
});
const reporting = stage("reporting", {
  reads: copies,
  writes: [reports],
  *run(copy) {
    yield reports.document(copy.id, { text: copy.text });
  },
});
const pipelines = [pipeline("p", { stages: [copying, reporting] })];

/** A stage whose runs wait until they are let go, or are told to end. */
function makeGatedStage() {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const seen = { started: 0, aborted: 0 };
  const gated = stage("gated", {
    reads: notes,
    writes: [copies],
    async *run(note, { signal }) {
      seen.started += 1;
      const ended = new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => {
          seen.aborted += 1;
          resolve();
        }),
      );
      await Promise.race([free, ended]);
      yield copies.document(note.id, { text: note.text });
    },
  });
  return { seen, letGo: () => letGo(), pipelines: [pipeline("p", { stages: [gated] })] };
}

const pause = (engine: TestEngine, name: string, paused: boolean) =>
  setPaused(engine.database, {
    stage: engine.graph.stage(name).number,
    paused: paused ? { at: engine.clock.now(), by: "ann", reason: "lunch" } : null,
  });

describe("pausing", () => {
  it("74: a stage that is paused does nothing until it is resumed, and the stages before it go on", async () => {
    const engine = await engines.open({ pipelines, services: {} });
    await pause(engine, "reporting", true);
    await engine.accept(manyNotes(5));
    await engine.drain();
    expect([await engine.all(copies), await engine.all(reports)].map((all) => all.length)).toEqual([5, 0]);
    await pause(engine, "reporting", false);
    await engine.drain();
    expect(await engine.all(reports)).toHaveLength(5);
  });

  it("75: once a pause is set nothing more begins, and what had begun comes to its end", async () => {
    const { seen, letGo, pipelines } = makeGatedStage();
    const schema = postgres.fresh();
    const engine = await postgres.start({ schema, pipelines, services: {}, config: { slots: 4 } });
    await engine.accept(manyNotes(20));
    await vi.waitFor(() => expect(seen.started).toBe(4), waiting);
    await engine.database.query(sql`update headway.stage set paused_at = now(), paused_by = 'ann'`);
    letGo();
    await vi.waitFor(async () => expect((await doneTasks(engine.database)).length).toBe(4), waiting);
    // Long enough for several looks at the backlog.
    await sleepFor(300);
    expect(seen.started).toBe(4);
    await engine.database.query(sql`update headway.stage set paused_at = null`);
    await engine.settled();
    expect(await doneTasks(engine.database)).toHaveLength(20);
    await engine.stop();
  });

  it("77: a pause survives a restart", async () => {
    const before = await engines.open({ pipelines, services: {} });
    await pause(before, "copying", true);
    const after = await engines.open({ pipelines, services: {} });
    await after.accept(manyNotes(3));
    await after.drain();
    expect(await after.all(copies)).toEqual([]);
    expect(await openTasks(after.database)).toHaveLength(3);
  });
});

describe("stopping", () => {
  it("44: a stage that takes longer than its limit is told to end, and has failed", async () => {
    let aborted = false;
    const slow = stage("slow", {
      reads: notes,
      writes: [copies],
      timeout: "50ms",
      retry: { attempts: 1 },
      async *run(note, { signal }) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        aborted = true;
        yield copies.document(note.id, { text: "too late" });
      },
    });
    const schema = postgres.fresh();
    const engine = await postgres.start({
      schema,
      pipelines: [pipeline("p", { stages: [slow] })],
      services: {},
    });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.settled();
    expect(aborted).toBe(true);
    const dead = await engine.database.query(sql`select code, reason from headway.dead_letter`);
    expect(dead).toEqual([{ code: "stage.timeout", reason: "exhausted" }]);
    expect(await engine.read(copies, "a")).toBeNull();
    await engine.stop();
  });

  it("78: what runs when a stop is asked for may finish, and is kept", async () => {
    const { seen, letGo, pipelines } = makeGatedStage();
    const schema = postgres.fresh();
    const engine = await postgres.start({ schema, pipelines, services: {} });
    await engine.accept(manyNotes(3));
    await vi.waitFor(() => expect(seen.started).toBe(3), waiting);
    const stopped = engine.stop();
    letGo();
    await stopped;
    const after = await postgres.start({ schema, pipelines, services: {}, work: false });
    expect((await doneTasks(after.database)).map((task) => task.attempts)).toEqual([1, 1, 1]);
    expect(seen.aborted).toBe(0);
    await after.stop();
  });

  it("79, 80, 88: what does not finish in time is told to end, given back and named, and costs no attempt", async () => {
    const { seen, pipelines } = makeGatedStage();
    const schema = postgres.fresh();
    const released: string[] = [];
    const engine = await postgres.start({
      schema,
      pipelines,
      services: {},
      config: { graceMs: 50 },
      onSignal: (signal) => signal.kind === "task.released" && released.push(signal.documentId),
    });
    await engine.accept(manyNotes(3));
    await vi.waitFor(() => expect(seen.started).toBe(3), waiting);
    await engine.stop();
    expect(seen.aborted).toBe(3);
    expect(released.toSorted()).toEqual(["note-00000", "note-00001", "note-00002"]);
    const again = makeGatedStage();
    again.letGo();
    const after = await postgres.start({ schema, pipelines: again.pipelines, services: {}, work: false });
    expect(await openTasks(after.database)).toMatchObject(
      Array.from({ length: 3 }, () => ({ attempts: 0, waits: 0, crashes: 0, fault: null })),
    );
    expect(await after.database.query(sql`select * from headway.claim`)).toEqual([]);
    const worker = await postgres.start({ schema, pipelines: again.pipelines, services: {} });
    await after.settled();
    expect((await doneTasks(after.database)).map((task) => task.attempts)).toEqual([1, 1, 1]);
    await Promise.all([worker.stop(), after.stop()]);
  });

  it("81: a document that is removed while it is worked on leads to nothing more", async () => {
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept(manyNotes(2));
    const claim = await engine.worker.lanes.find((lane) => lane.plan.stage === copying)?.take();
    const gone = claim?.tasks[0]?.subject as number;
    await engine.database.transaction((tx) => markGone(tx, [gone], engine.clock.now()));
    if (claim) await engine.worker.lanes.find((lane) => lane.plan.stage === copying)?.process(claim);
    await engine.drain();
    expect((await engine.all(reports)).map((one) => one.id)).toEqual(["note-00001"]);
    expect((await engine.all(copies)).map((one) => one.id)).toEqual(["note-00001"]);
  });

  it("82: after start and stop nothing keeps the process alive", async () => {
    const schema = postgres.fresh();
    const served = startWorkerProcess({ database: { url: postgres.url, schema }, brief: true });
    expect([await served.ended, served.errors()]).toEqual([0, ""]);
    expect(served.signals.map(({ kind }) => kind)).toEqual(["worker.started", "worker.stopped"]);
  });
});

describe("cleaning up and counting", () => {
  it("83: only events that were handed on long ago are forgotten", async () => {
    const engine = await engines.open({ pipelines, services: {}, settings: { keepMs: 86_400_000 } });
    await engine.accept(manyNotes(1));
    await engine.drain();
    engine.clock.advance(86_400_000 - 1);
    await engine.accept(notes.document("late", { text: "" }));
    await engine.drain();
    const left = () => engine.database.query(sql`select 1 from headway.outbox`);
    await engine.sweep();
    expect(await left()).toHaveLength(2);
    engine.clock.advance(2);
    await engine.sweep();
    expect(await left()).toHaveLength(1);
  });

  it("84: cleaning up never takes away what is being worked on", async () => {
    const engine = await engines.open({
      pipelines,
      services: {},
      settings: { keepMs: 60_000, silenceMs: 86_400_000 },
    });
    await engine.accept(manyNotes(4));
    const lane = engine.worker.lanes.find((one) => one.plan.stage === copying);
    const claim = await lane?.take();
    engine.clock.advance(3_600_000);
    await engine.sweep();
    if (claim) await lane?.process(claim);
    await engine.drain();
    expect(await engine.all(reports)).toHaveLength(4);
    expect((await doneTasks(engine.database)).every((task) => task.attempts === 1)).toBe(true);
  });

  it("85, 86: counts are honest: later is not now, and what was removed is gone", async () => {
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept(manyNotes(5));
    const later = new Date(engine.clock.now().getTime() + 60_000);
    await engine.database.query(sql`
      update headway.task set ready_at = ${later} where subject in (select subject from headway.task limit 2)`);
    const count = async () => {
      const rows = await countByStage(engine.database, engine.clock.now());
      return rows.find((row) => row.stage === engine.graph.stage("copying").number);
    };
    expect(await count()).toMatchObject({ waiting: 3, later: 2, claimed: 0, done: 0, dead: 0 });
    await engine.drain();
    expect(await count()).toMatchObject({ waiting: 0, later: 0, done: 5 });
    const all = await engine.database.query<{ subject: number }>(sql`
      select subject from headway.document where producer_stage = 0`);
    await engine.database.transaction((tx) =>
      markGone(
        tx,
        all.map((row) => row.subject),
        engine.clock.now(),
      ),
    );
    await engine.drain();
    expect(await count()).toMatchObject({ waiting: 0, later: 0, claimed: 0, done: 0, dead: 0 });
  });
});
