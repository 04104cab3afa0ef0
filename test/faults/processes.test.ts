import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../engine/src/engine-options.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { lettersPipeline, manyLetters } from "../fixtures/letters.ts";
import { contentOf, expectAllSettled } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { startWorkerProcess, type WorkerOrder, type WorkerProcess } from "../support/worker-processes.ts";

const postgres = useOwnSchema("processes");
const processes: WorkerProcess[] = [];
afterEach(() => {
  for (const one of processes.splice(0)) one.child.kill("SIGKILL");
});

function startWorker(order: WorkerOrder): WorkerProcess {
  const worker = startWorkerProcess(order);
  processes.push(worker);
  return worker;
}

/** An engine that only looks on: it takes documents in and sees what becomes of them. */
const startWatcher = (schema: string): Promise<Engine> =>
  postgres.start({ schema, pipelines: [lettersPipeline()], services: {}, work: false });

/** What a run without any fault leaves behind. */
async function undisturbed(count: number): Promise<string[]> {
  const engine = await postgres.start({
    schema: postgres.fresh(),
    pipelines: [lettersPipeline()],
    services: {},
  });
  await engine.accept(manyLetters(count));
  await engine.settled();
  const content = await contentOf(engine.database);
  await engine.stop();
  return content;
}

async function claimsIn(database: Database): Promise<number> {
  const [row] = await database.query<{ claims: number }>(sql`select count(*) as claims from headway.claim`);
  return row?.claims ?? 0;
}

describe("worker processes that die", () => {
  it("37: after kill -9 another worker takes over before the heartbeat lapses, and the content is that of a quiet run", {
    timeout: 90_000,
  }, async () => {
    const schema = postgres.fresh();
    const watcher = await startWatcher(schema);
    // The settings that operators get: the promise is theirs.
    const database = { url: postgres.url, schema };
    const [victim, survivor] = [1, 2].map((n) => startWorker({ database, name: `worker-${n}`, runMs: 2 }));
    await Promise.all([victim, survivor].map((one) => one?.next(({ kind }) => kind === "worker.started")));
    await watcher.accept(manyLetters(10_000));
    let done = 0;
    await victim?.next(({ kind }) => kind === "task.done" && ++done === 1_000);
    victim?.child.kill("SIGKILL");
    const killedAt = Date.now();
    // The number it had last; any other eviction proves nothing.
    const number = victim?.signals.findLast(({ kind }) => kind === "worker.started")?.worker;
    const isVictims = (signal: { kind: string; worker?: unknown }) =>
      signal.kind === "worker.evicted" && signal.worker === number;
    const evicted = await Promise.race([
      survivor?.next(isVictims),
      new Promise<{ at: Date; freed: number; because: string }>((resolve) =>
        watcher.onSignal((signal) => {
          if (signal.kind === "worker.evicted" && isVictims(signal)) resolve(signal);
        }),
      ),
    ]);
    expect(evicted?.freed).toBeGreaterThan(0);
    const again = await survivor?.next(
      (signal) =>
        signal.kind === "task.done" && (signal.attempt as number) > 1 && signal.at >= (evicted?.at as Date),
    );
    const evictedMs = (evicted?.at.getTime() ?? 0) - killedAt;
    const takenOverMs = (again?.at.getTime() ?? 0) - killedAt;
    console.log(
      `kill -9: evicted after ${evictedMs} ms (${evicted?.freed} tasks), first of them done again after ${takenOverMs} ms`,
    );
    expect(evicted?.because).toMatch(/^its (session|process) ended$/);
    await watcher.settled();
    await expectAllSettled(watcher.database);
    expect(await contentOf(watcher.database)).toEqual(await undisturbed(10_000));
    expect(await survivor?.stop()).toBe(0);
  });

  it("a worker of the same number in another schema of the database does not vouch for a dead one", async () => {
    const order = (schema: string) => ({ database: { url: postgres.url, schema } });
    const [here, elsewhere] = [postgres.fresh(), postgres.fresh()];
    await startWatcher(elsewhere);
    const namesake = startWorker(order(elsewhere));
    const other = await namesake.next(({ kind }) => kind === "worker.started");
    const watcher = await startWatcher(here);
    const victim = startWorker(order(here));
    const started = await victim.next(({ kind }) => kind === "worker.started");
    expect(started.worker).toBe(other.worker);
    const evicted = new Promise<string>((resolve) =>
      watcher.onSignal((signal) => signal.kind === "worker.evicted" && resolve(signal.because)),
    );
    victim.child.kill("SIGKILL");
    expect(await evicted).toBe("its session ended");
    expect(await namesake.stop()).toBe(0);
  });

  it("42, 43: a frozen worker is taken over, and when it wakes up its late results are refused", async () => {
    const schema = postgres.fresh();
    const watcher = await startWatcher(schema);
    const config = { heartbeatMs: 100, silenceMs: 500, watchMs: 50, pollMs: 50 };
    const zombie = startWorker({ database: { url: postgres.url, schema }, config, runMs: 300 });
    await zombie.next(({ kind }) => kind === "worker.started");
    await watcher.accept(manyLetters(2_000));
    // Frozen with tasks in its hands, long before the first of them can end.
    await vi.waitFor(async () => expect(await claimsIn(watcher.database)).toBeGreaterThan(0), {
      interval: 5,
    });
    zombie.child.kill("SIGSTOP");
    const rescuer = await postgres.start({ schema, pipelines: [lettersPipeline()], services: {}, config });
    await watcher.settled();
    const before = await contentOf(watcher.database);
    zombie.child.kill("SIGCONT");
    await zombie.next(({ kind }) => kind === "worker.lost");
    await zombie.next(({ kind }) => kind === "commit.refused");
    expect(await zombie.stop()).toBe(0);
    await expectAllSettled(watcher.database);
    expect(await contentOf(watcher.database)).toEqual(before);
    expect(before).toEqual(await undisturbed(2_000));
    await rescuer.stop();
  }, 60_000);
});
