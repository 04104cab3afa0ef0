import { describe, expect, it, vi } from "vitest";
import { type Pipeline, pipeline, stage } from "../../engine/src/index.ts";
import { takeSingleton } from "../../engine/src/store/singletons.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { nextWorkerNumber } from "../../engine/src/store/workers.ts";
import { type TestEngine, virtualClock } from "../../engine/src/testing.ts";
import { leaves } from "../fixtures/isolated-stages.ts";
import { copies, manyNotes, notes } from "../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("recovery");
const silenceMs = 20_000;

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  *run(note) {
    yield copies.document(note.id, { text: note.text });
  },
});
const pipelines: Pipeline<readonly []>[] = [pipeline("p", { stages: [copying] })];

/** Workers that share a database and a clock. */
async function openWorkers(count: number): Promise<TestEngine[]> {
  const clock = virtualClock();
  const opened: TestEngine[] = [];
  for (let n = 1; n <= count; n++)
    opened.push(
      await engines.open({ pipelines, services: {}, clock, settings: { name: `worker-${n}`, silenceMs } }),
    );
  return opened;
}

const take = async (engine: TestEngine) => {
  const claim = await engine.worker.lanes[0]?.take();
  if (!claim) throw new Error("There was nothing to take.");
  return claim;
};
const process = (engine: TestEngine, claim: Awaited<ReturnType<typeof take>>) =>
  engine.worker.lanes[0]?.process(claim);

describe("workers that die or hang", () => {
  it("37: what a dead worker held is taken up by another one", async () => {
    const [dead, living] = (await openWorkers(2)) as [TestEngine, TestEngine];
    await dead.accept(manyNotes(10));
    await take(dead);
    await living.drain({ advance: false });
    expect(await living.all(copies)).toEqual([]);
    living.clock.advance(silenceMs + 1);
    await living.worker.membership.beat();
    expect(await living.worker.membership.evictDead()).toBe(10);
    await living.drain({ advance: false });
    expect(await living.all(copies)).toHaveLength(10);
    await expectAllSettled(living.database);
  });

  it("who sees that somebody else has taken over looks for work once, without being told", async () => {
    const [dead, first, second] = (await openWorkers(3)) as [TestEngine, TestEngine, TestEngine];
    await dead.accept(manyNotes(10));
    await take(dead);
    first.clock.advance(silenceMs + 1);
    await first.worker.membership.beat();
    await second.worker.membership.beat();
    const woken: (readonly number[])[] = [];
    second.worker.onWake = (stages) => woken.push(stages);
    const look = async () => [await second.worker.membership.evictDead(), woken.length];
    expect(await first.worker.membership.evictDead()).toBe(10);
    expect([await look(), await look()]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(woken).toEqual([second.worker.lanes.map((lane) => lane.plan.number)]);
  });

  it("38: a document that kills its worker again and again is set aside, the others are done", async () => {
    const deadly = "note-00003";
    for (let crash = 0; crash < 40; crash++) {
      const engine = await engines.open({
        pipelines,
        services: {},
        clock: virtualClock({ start: `2026-01-01T${String(10 + Math.floor(crash / 6))}:${crash % 6}0:00Z` }),
        settings: { silenceMs },
      });
      if (crash === 0) await engine.accept(manyNotes(8));
      await engine.worker.membership.evictDead();
      // Each claim is worked on until the deadly one kills the process: then nothing of it is ever committed.
      for (;;) {
        const claim = await engine.worker.lanes[0]?.take();
        if (!claim) break;
        const suspects = claim.tasks.filter((task) => task.id === deadly);
        if (suspects.some((task) => task.crashes < 3)) break;
        await process(engine, claim);
      }
      if ((await openTasks(engine.database)).length === 0) break;
    }
    expect(await deadLetters(engines.database)).toMatchObject([
      { id: deadly, reason: "worker-lost", code: "worker.lost", attempts: 5, crashes: 3 },
    ]);
    expect((await doneTasks(engines.database)).map((one) => one.id)).not.toContain(deadly);
    expect(await doneTasks(engines.database)).toHaveLength(7);
  });

  it("one that hangs does not keep the others waiting whose worker died with it", async () => {
    let letGo = () => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const hanging = stage("hanging", {
      reads: notes,
      writes: [copies],
      async *run(note) {
        if (note.id === "note-00000") await released;
        yield copies.document(note.id, { text: note.text });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [hanging] })], services: {} });
    await engine.accept(manyNotes(40));
    await engine.database.query(sql`update headway.task set crashes = 1`);
    const first = await take(engine);
    const hands = [process(engine, first)];
    await expect.poll(async () => (await doneTasks(engine.database)).length).toBe(first.tasks.length - 1);
    for (;;) {
      const claim = await engine.worker.lanes[0]?.take();
      if (!claim) break;
      hands.push(process(engine, claim));
      await hands.at(-1);
    }
    expect((await openTasks(engine.database)).map((one) => one.id)).toEqual(["note-00000"]);
    letGo();
    await Promise.all(hands);
    await expectAllSettled(engine.database);
  });

  it("39: however long it takes, a document is not taken twice while its worker lives", async () => {
    const [slow, other] = (await openWorkers(2)) as [TestEngine, TestEngine];
    await slow.accept(notes.document("500 pages", { text: "long" }));
    const claim = await take(slow);
    for (let minute = 0; minute < 60; minute++) {
      for (let beat = 0; beat < 12; beat++) {
        slow.clock.advance(5_000);
        await slow.worker.membership.beat();
        await other.worker.membership.beat();
      }
      expect(await other.worker.membership.evictDead()).toBe(0);
      expect(await other.step()).toBe(false);
    }
    await process(slow, claim);
    expect(await doneTasks(slow.database)).toMatchObject([{ id: "500 pages", attempts: 1 }]);
  });

  it("40: a worker with its hands full goes on saying that it lives", async () => {
    const schema = postgres.fresh();
    const config = { heartbeatMs: 50, silenceMs: 400, watchMs: 50 };
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let runs = 0;
    const holding = stage("holding", {
      reads: notes,
      writes: [copies],
      async *run(note) {
        runs += 1;
        await opened;
        yield copies.document(note.id, { text: note.text });
      },
    });
    const start = () =>
      postgres.start({ schema, pipelines: [pipeline("p", { stages: [holding] })], services: {}, config });
    const both = [await start(), await start()];
    const evictions: string[] = [];
    for (const engine of both)
      engine.onSignal(({ kind }) => kind === "worker.evicted" && evictions.push(kind));
    await both[0]?.accept(manyNotes(50));
    await vi.waitFor(() => expect(runs).toBe(50), { timeout: 30_000 });
    const beats = async () => {
      const rows = await both[0]?.database.query<{ at: Date }>(
        sql`select heartbeat_at as at from headway.worker`,
      );
      return rows?.map((row) => row.at.getTime()) ?? [];
    };
    const start1 = await beats();
    // Several times longer than a silent worker would be left alone.
    await vi.waitFor(
      async () =>
        expect((await beats()).every((at, index) => at - (start1[index] as number) > 1_200)).toBe(true),
      { timeout: 30_000 },
    );
    open();
    await both[0]?.settled();
    expect([runs, evictions]).toEqual([50, []]);
    await Promise.all(both.map((engine) => engine.stop()));
  });

  it("41: the late result of a worker that was given up is refused", async () => {
    const [zombie, living] = (await openWorkers(2)) as [TestEngine, TestEngine];
    await zombie.accept(manyNotes(3));
    const late = await take(zombie);
    living.clock.advance(silenceMs + 1);
    await living.worker.membership.beat();
    await living.worker.membership.evictDead();
    await living.drain({ advance: false });
    const before = await doneTasks(living.database);
    await process(zombie, late);
    expect(zombie.signals).toContainEqual(expect.objectContaining({ kind: "commit.refused", tasks: 3 }));
    expect(await doneTasks(living.database)).toEqual(before);
    expect(await living.all(copies)).toHaveLength(3);
  });

  it("41: so is one that comes before anybody else has taken the work up", async () => {
    const [zombie, living] = (await openWorkers(2)) as [TestEngine, TestEngine];
    await zombie.accept(manyNotes(1));
    const late = await take(zombie);
    living.clock.advance(silenceMs + 1);
    await living.worker.membership.beat();
    await living.worker.membership.evictDead();
    await process(zombie, late);
    expect(await living.all(copies)).toEqual([]);
    await expect(zombie.step()).rejects.toThrow("was evicted");
    await zombie.worker.membership.beat();
    await zombie.drain({ advance: false });
    expect(await doneTasks(living.database)).toMatchObject([{ id: "note-00000", attempts: 2 }]);
  });

  it("45: what nobody has recorded any more is found by the sweep and owed again", async () => {
    const [engine] = (await openWorkers(1)) as [TestEngine];
    await engine.accept(manyNotes(5));
    await engine.database.query(sql`delete from headway.task`);
    expect(await engine.sweep({ dryRun: true })).toMatchObject({ owed: 5 });
    expect(await openTasks(engine.database)).toEqual([]);
    expect(await engine.sweep()).toMatchObject({ owed: 5 });
    await engine.drain();
    expect(await engine.all(copies)).toHaveLength(5);
    expect(await engine.sweep()).toMatchObject({ owed: 0, freed: 0, died: 0, pulledIn: 0 });
  });

  it("46: completing a task twice is harmless", async () => {
    const [engine] = (await openWorkers(1)) as [TestEngine];
    await engine.accept(manyNotes(4));
    const claim = await take(engine);
    await process(engine, claim);
    const before = await engine.database.query(sql`select * from headway.done order by subject`);
    await process(engine, claim);
    expect(await engine.database.query(sql`select * from headway.done order by subject`)).toEqual(before);
    await expectAllSettled(engine.database);
  });

  it("49: claims of workers that ended long ago are cleared by a running engine, by itself", async () => {
    const schema = postgres.fresh();
    const engine = await postgres.start({ schema, pipelines, services: {}, work: false });
    await engine.accept(manyNotes(20));
    await engine.database.query(sql`
      insert into headway.worker (id, name, host, pid, stages, session_locked, started_at, heartbeat_at)
      values (999, 'long gone', 'nowhere', 1, '{}', false, '2020-01-01', '2020-01-01')`);
    await engine.database.query(sql`
      insert into headway.claim (id, worker, stage, subjects, at)
      select nextval('headway.claim_number'), 999, stage, array_agg(subject), '2020-01-01' from headway.task group by stage`);
    const worker = await postgres.start({ schema, pipelines, services: {} });
    await engine.settled();
    await expectAllSettled(engine.database);
    await worker.stop();
    await engine.stop();
  });

  it("50: a parser that ends its own process fails its document, and nothing hangs", async () => {
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [leaves] })],
      services: {},
    });
    await engine.accept([0, 3].map((count) => leaves.reads.document(`exit ${count}`, { count })));
    await engine.drain();
    const letters = await deadLetters(engine.database);
    expect(letters.map((one) => `${one.stage}: ${one.id}`)).toEqual(["leaves: exit 0", "leaves: exit 3"]);
  });
});

describe("what only one worker may do", () => {
  it("89: a leader that was given up loses its role, and only one has it at a time", async () => {
    const [first, second] = (await openWorkers(2)) as [TestEngine, TestEngine];
    const ask = (engine: TestEngine) => {
      const now = engine.clock.now();
      const until = new Date(now.getTime() + silenceMs);
      return takeSingleton(engine.database, {
        name: "sweep",
        worker: engine.worker.membership.number(),
        now,
        until,
      });
    };
    expect([await ask(first), await ask(second), await ask(first)]).toEqual([true, false, true]);
    second.clock.advance(silenceMs + 1);
    await second.worker.membership.beat();
    await second.worker.membership.evictDead();
    expect([await ask(second), await ask(first)]).toEqual([true, false]);
  });

  it("90: a role that was granted slowly does not last longer than it was asked for", async () => {
    const [first, second] = (await openWorkers(2)) as [TestEngine, TestEngine];
    const askedAt = first.clock.now();
    const ask = (worker: number, now: Date) =>
      takeSingleton(first.database, {
        name: "sweep",
        worker,
        now,
        until: new Date(askedAt.getTime() + silenceMs),
      });
    first.clock.advance(silenceMs - 1);
    expect(await ask(first.worker.membership.number(), askedAt)).toBe(true);
    expect(await ask(second.worker.membership.number(), second.clock.now())).toBe(false);
    first.clock.advance(2);
    expect(await ask(second.worker.membership.number(), second.clock.now())).toBe(true);
    expect(await nextWorkerNumber(first.database)).toBeGreaterThan(second.worker.membership.number());
  });
});
