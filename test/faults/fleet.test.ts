import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BrokerOption, Engine, Signal } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { lettersPipeline, manyLetters } from "../fixtures/letters.ts";
import { contentOf, expectAllSettled } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { freshVhost, type Vhost } from "../support/rabbitmq.ts";
import { until } from "../support/waiting.ts";
import { startWorkerProcess, type WorkerOrder, type WorkerProcess } from "../support/worker-processes.ts";

const postgres = useOwnSchema("fleet");
const quick = { watchMs: 100, heartbeatMs: 500, silenceMs: 5_000 } as const;

/** What a quiet run in one process makes of so many letters. */
async function quietContent(letters: number): Promise<string[]> {
  const engine = await postgres.start({
    schema: postgres.fresh(),
    pipelines: [lettersPipeline()],
    services: {},
  });
  await engine.accept(manyLetters(letters));
  await engine.settled();
  const content = await contentOf(engine.database);
  await engine.stop();
  return content;
}

for (const carrier of ["the database", "RabbitMQ"] as const) {
  describe(`a fleet with news by ${carrier}`, () => {
    let vhost: Vhost | undefined;
    let broker: BrokerOption | undefined;
    let schema: string;
    let workers: WorkerProcess[];
    let clerk: Engine;
    let evictions: Signal[];
    beforeEach(async () => {
      vhost = carrier === "RabbitMQ" ? await freshVhost() : undefined;
      broker = vhost && { url: vhost.url };
      schema = postgres.fresh();
      workers = [];
      evictions = [];
      clerk = await postgres.start({
        schema,
        pipelines: [lettersPipeline()],
        services: {},
        work: false,
        onSignal: (signal) => signal.kind === "worker.evicted" && evictions.push(signal),
        ...(broker && { broker }),
      });
    });
    afterEach(async () => {
      for (const one of workers) one.child.kill("SIGKILL");
      await Promise.all(workers.map((one) => one.ended));
      await clerk.stop();
      await vhost?.close();
    });
    const enlist = (order: Partial<WorkerOrder> = {}) => {
      const database = { url: postgres.url, schema };
      const worker = startWorkerProcess({ database, config: quick, ...(broker && { broker }), ...order });
      workers.push(worker);
      return worker;
    };
    const doneBy = (worker: WorkerProcess) => worker.signals.filter((one) => one.kind === "task.done").length;

    it("workers with different stages, one of them killed: taken over before its heartbeat lapses, content as of a quiet run", async () => {
      const quiet = quietContent(400);
      const [splitter, counter, both] = [
        enlist({ stages: ["splitting"], runMs: 5 }),
        enlist({ stages: ["counting"], runMs: 5 }),
        enlist({ runMs: 5 }),
      ];
      await Promise.all(
        [splitter, counter, both].map((one) => one.next(({ kind }) => kind === "worker.started")),
      );
      await clerk.accept(manyLetters(400));
      await until(
        () => doneBy(both),
        (done) => done > 20,
      );
      both.child.kill("SIGKILL");
      // The first process to notice acts, a process that only accepts included.
      const evicted = () =>
        [...evictions, ...splitter.signals, ...counter.signals].find(({ kind }) => kind === "worker.evicted");
      await until(evicted, (signal) => signal !== undefined);
      expect(evicted()).toMatchObject({ because: expect.stringMatching(/^its (session|process) ended$/) });
      await clerk.settled();
      await expectAllSettled(clerk.database);
      expect(await contentOf(clerk.database)).toEqual(await quiet);
      expect(splitter.signals.some((one) => one.kind === "task.done" && one.stage === "counting")).toBe(
        false,
      );
    }, 60_000);

    it("a rolling upgrade, old and new code side by side: nothing is lost, nothing is there twice", async () => {
      const quiet = quietContent(300);
      const old = [enlist({ runMs: 5 }), enlist({ runMs: 5 })];
      await Promise.all(old.map((one) => one.next(({ kind }) => kind === "worker.started")));
      await clerk.accept(manyLetters(300));
      await until(
        () => doneBy(old[0] as WorkerProcess),
        (done) => done > 10,
      );
      for (const one of old) {
        const next = enlist({ version: "2", runMs: 5 });
        await next.next(({ kind }) => kind === "worker.started");
        expect(await one.stop()).toBe(0);
      }
      await clerk.settled();
      await expectAllSettled(clerk.database);
      expect(await contentOf(clerk.database)).toEqual(await quiet);
      const versions = () =>
        clerk.database.query<{ version: string; done: number }>(sql`
          select v.version, count(*)::int as done
          from headway.done d join headway.variant v on v.id = d.variant join headway.stage s on s.id = d.stage
          where s.name = 'splitting' group by 1 order by 1`);
      const before = await versions();
      expect(before.reduce((sum, one) => sum + one.done, 0)).toBe(300);
      // What the old code has made is stale now, and one act makes it anew.
      const operator = await openOperator({
        database: clerk.database,
        actor: "test",
        pipelines: [lettersPipeline({ version: "2" })],
      });
      await operator.reprocess({ stage: "splitting", stale: true });
      await until(versions, (rows) => rows.length === 1 && rows[0]?.version === "2");
      await clerk.settled();
      expect(await contentOf(clerk.database)).toEqual(await quiet);
    }, 60_000);
  });
}
