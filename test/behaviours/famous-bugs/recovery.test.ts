import { afterEach, describe, expect, it, vi } from "vitest";
import { openPostgres } from "../../../engine/src/databases/postgres.ts";
import { pipeline, stage } from "../../../engine/src/index.ts";
import { openOperator } from "../../../engine/src/operate.ts";
import { sql } from "../../../engine/src/store/sql.ts";
import { openTestEngine, type TestEngine, virtualClock } from "../../../engine/src/testing.ts";
import { lettersPipeline, manyLetters } from "../../fixtures/letters.ts";
import { copies, manyNotes, notes, reports } from "../../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled, openTasks } from "../../support/content.ts";
import { useOwnSchema } from "../../support/own-schema.ts";
import { useVirtualEngines } from "../../support/virtual-engines.ts";
import { startWorkerProcess, type WorkerProcess } from "../../support/worker-processes.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("famous");
const silenceMs = 20_000;
const processes: WorkerProcess[] = [];
afterEach(() => {
  for (const one of processes.splice(0)) one.child.kill("SIGKILL");
});

/** Ids in order of execution. */
function makeCopying(concurrency?: number) {
  const ran: string[] = [];
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    ...(concurrency && { concurrency }),
    *run({ id, text }) {
      ran.push(id);
      yield copies.document(id, { text });
    },
  });
  return { ran, pipelines: [pipeline("p", { stages: [copying] })] };
}

const take = async (engine: TestEngine) => {
  const claim = await engine.worker.lanes[0]?.take();
  if (!claim) throw new Error("There was nothing to take.");
  return claim;
};

/** Passes the silence limit, with heartbeats from the living workers. */
async function outlive(...living: TestEngine[]): Promise<void> {
  living[0]?.clock.advance(silenceMs + 1);
  for (const one of living) await one.worker.membership.beat();
}

describe("bugs of recovering from a crash", () => {
  it("dbos-py#742: of two who clear up after a dead worker one frees its work, and nobody works on what he has not claimed", async () => {
    const { ran, pipelines } = makeCopying();
    const schema = postgres.fresh();
    const clock = virtualClock();
    const open = async (name: string) =>
      await openTestEngine({
        pipelines,
        services: {},
        clock,
        settings: { name, silenceMs },
        database: await openPostgres({ url: postgres.url, schema }),
      });
    const [dead, first, second] = [await open("dead"), await open("first"), await open("second")];
    await dead.accept(manyNotes(6));
    await take(dead);
    await outlive(first, second);
    const freed = await Promise.all([first, second].map((one) => one.worker.membership.evictDead()));
    expect(freed.toSorted()).toEqual([0, 6]);
    await Promise.all([first, second].map((one) => one.drain({ advance: false })));
    expect(ran.toSorted()).toEqual(manyNotes(6).map(({ id }) => id));
    expect(await doneTasks(first.database)).toEqual(
      manyNotes(6).map(({ id }) => ({ id, stage: "copying", attempts: 2 })),
    );
    for (const one of [dead, first, second]) await one.database.close();
  });

  it("dbos-py#805: a recovered document does not block a stage that does one at a time", async () => {
    const { ran, pipelines } = makeCopying(1);
    const clock = virtualClock();
    const open = (name: string) =>
      engines.open({ pipelines, services: {}, clock, settings: { name, silenceMs } });
    const [dead, living] = [await open("dead"), await open("living")];
    await dead.accept(manyNotes(4));
    expect((await take(dead)).tasks).toHaveLength(1);
    await living.drain({ advance: false });
    expect(ran).toEqual([]);
    await outlive(living);
    await living.worker.membership.evictDead();
    await living.drain({ advance: false });
    expect(ran).toHaveLength(4);
    await expectAllSettled(living.database);
  });

  it("pg-boss#492: a dead worker's task whose document has come again meanwhile is one task, and stops nobody", async () => {
    const { pipelines } = makeCopying();
    const clock = virtualClock();
    const open = (name: string) =>
      engines.open({ pipelines, services: {}, clock, settings: { name, silenceMs } });
    const [dead, living] = [await open("dead"), await open("living")];
    await dead.accept(manyNotes(3));
    await take(dead);
    // The same key is owed again while still claimed by the dead worker.
    await living.accept(notes.document("note-00001", { text: "new" }));
    await outlive(living);
    expect(await living.worker.membership.evictDead()).toBe(3);
    await living.sweep();
    expect(await openTasks(living.database)).toHaveLength(3);
    await living.drain({ advance: false });
    expect((await living.all(copies)).map(({ text }) => text)).toEqual(["text 0", "new", "text 2"]);
    await expectAllSettled(living.database);
  });

  it("bullmq#3253: after a crash an id is as good as before, and is neither a ghost nor locked out", async () => {
    const { ran, pipelines } = makeCopying();
    const clock = virtualClock();
    const open = (name: string) =>
      engines.open({ pipelines, services: {}, clock, settings: { name, silenceMs } });
    const [dead, living] = [await open("dead"), await open("living")];
    await dead.accept(notes.document("a", { text: "one" }));
    await take(dead);
    await outlive(living);
    await living.worker.membership.evictDead();
    const operator = await openOperator({ database: living.database, clock, actor: "ann" });
    expect(await operator.explain({ collection: "notes", id: "a" })).toMatchObject({
      stages: [{ stage: "copying", state: "pending" }],
    });
    expect(await living.accept(notes.document("a", { text: "one" }))).toMatchObject({ unchanged: 1 });
    await living.drain({ advance: false });
    expect(await living.accept(notes.document("a", { text: "two" }))).toMatchObject({ changed: 1 });
    await living.drain({ advance: false });
    expect(ran).toEqual(["a", "a"]);
    expect(await living.read(copies, "a")).toMatchObject({ text: "two" });
  });

  it("river#1105: who has no code for a stage frees what a dead worker held of it, and throws nothing away", async () => {
    const { pipelines } = makeCopying();
    const reporting = stage("reporting", {
      reads: notes,
      writes: [reports],
      *run({ id, text }) {
        yield reports.document(id, { text });
      },
    });
    const both = [pipeline("p", { stages: [...(pipelines[0]?.stages ?? []), reporting] })];
    const clock = virtualClock();
    const settings = { silenceMs };
    const dead = await engines.open({
      pipelines: both,
      services: {},
      clock,
      settings,
      stages: ["reporting"],
    });
    const other = await engines.open({ pipelines, services: {}, clock, settings });
    await dead.accept(manyNotes(3));
    await take(dead);
    await outlive(other);
    expect(await other.worker.membership.evictDead()).toBe(3);
    await other.drain();
    expect(await deadLetters(other.database)).toEqual([]);
    expect((await openTasks(other.database)).map((task) => [task.stage, task.attempts])).toEqual(
      manyNotes(3).map(() => ["reporting", 0]),
    );
    const able = await engines.open({
      pipelines: both,
      services: {},
      clock,
      settings,
      stages: ["reporting"],
    });
    await able.drain();
    expect(await able.all(reports)).toHaveLength(3);
  });

  it("inngest#2531: what a killed process was working on is not shown as running, and can be cancelled", async () => {
    const schema = postgres.fresh();
    const watcher = await postgres.start({
      schema,
      pipelines: [lettersPipeline()],
      services: {},
      work: false,
    });
    const evicted = new Promise<number>((resolve) =>
      watcher.onSignal((signal) => signal.kind === "worker.evicted" && resolve(signal.freed)),
    );
    const database = { url: postgres.url, schema };
    const victim = startWorkerProcess({ database, runMs: 600_000 });
    processes.push(victim);
    await victim.next(({ kind }) => kind === "worker.started");
    await watcher.accept(manyLetters(3));
    const operator = await openOperator({ database: watcher.database, actor: "ann" });
    const splitting = async () => (await operator.status()).find(({ stage }) => stage === "splitting");
    await vi.waitFor(async () => expect(await splitting()).toMatchObject({ claimed: 3 }), {
      timeout: 10_000,
    });
    victim.child.kill("SIGKILL");
    expect(await evicted).toBe(3);
    expect(await splitting()).toMatchObject({ claimed: 0, dead: 0, balanced: true });
    const [letter] = manyLetters(3);
    await operator.cancel({ collection: "letters", id: letter?.id as string });
    const rescuer = await postgres.start({ schema, pipelines: [lettersPipeline()], services: {} });
    await watcher.settled();
    expect(await splitting()).toMatchObject({ claimed: 0, waiting: 0, done: 2, dead: 1, balanced: true });
    const [left] = await watcher.database.query(sql`select count(*) as claims from headway.claim`);
    expect(left).toEqual({ claims: 0 });
    await rescuer.stop();
    await watcher.stop();
  });
});
