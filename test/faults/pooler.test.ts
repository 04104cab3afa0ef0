import { afterEach, describe, expect, it, vi } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { lettersPipeline, manyLetters } from "../fixtures/letters.ts";
import { contentOf, expectAllSettled } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { pooled, pooledUnknowingly } from "../support/pgbouncer.ts";
import { startWorkerProcess, type WorkerProcess } from "../support/worker-processes.ts";

const postgres = useOwnSchema("pooler");
const processes: WorkerProcess[] = [];
afterEach(() => {
  for (const one of processes.splice(0)) one.child.kill("SIGKILL");
});

const quick = { pollMs: 50, heartbeatMs: 100, silenceMs: 2_000, watchMs: 50 };

function startWorker(schema: string): WorkerProcess {
  const database = { url: pooled(postgres.url), schema };
  const started = startWorkerProcess({ database, config: quick, runMs: 5 });
  processes.push(started);
  return started;
}

const isStarted = ({ kind }: { readonly kind: string }) => kind === "worker.started";

describe("behind a pooler that lends sessions by the transaction", () => {
  it("whoever does not say so is told what to write into the URL", async () => {
    await expect(openPostgres({ url: pooledUnknowingly(postgres.url) })).rejects.toThrow(
      /is a pooler: add "pooler=transaction" to the parameters of the database URL/,
    );
    await expect(openPostgres({ url: `${postgres.url}?pooler=statement` })).rejects.toThrow(
      "The database URL says pooler=statement: write pooler=transaction or pooler=session.",
    );
  });

  it("nothing stays behind in a session that is lent to others", async () => {
    const db = await openPostgres({ url: pooled(postgres.url), schema: postgres.fresh() });
    const session = await db.session();
    expect(await session.lock(4_711n)).toBe(true);
    await db.listen("nobody", () => undefined);
    await db.transaction(async (tx) => {
      const [timeout] = await tx.query(
        sql`select current_setting('idle_in_transaction_session_timeout') as held`,
      );
      expect(timeout).toEqual({ held: "10s" });
    });
    expect(
      await db.query(sql`select current_setting('idle_in_transaction_session_timeout') as held`),
    ).toEqual([{ held: "0" }]);
    const locks = sql`select 1 from pg_locks where locktype = 'advisory' and objid = 4711`;
    expect(await postgres.direct.query(locks)).toEqual([]);
    await db.close();
  });

  it("kill -9: a worker is taken over when its heartbeat lapses, and the content is that of a quiet run", async () => {
    const quiet = await postgres.start({
      schema: postgres.fresh(),
      pipelines: [lettersPipeline()],
      services: {},
    });
    await quiet.accept(manyLetters(1_000));
    await quiet.settled();

    const schema = postgres.fresh();
    const watcher = await postgres.start({
      schema,
      url: pooled(postgres.url),
      pipelines: [lettersPipeline()],
      services: {},
      config: quick,
      work: false,
    });
    const [victim, survivor] = [startWorker(schema), startWorker(schema)];
    await Promise.all([victim.next(isStarted), survivor.next(isStarted)]);
    const vouched = sql`select 1 from headway.worker where session_locked`;
    expect(await watcher.database.query(vouched)).toEqual([]);

    await watcher.accept(manyLetters(1_000));
    const number = () => victim.signals.findLast(isStarted)?.worker as number;
    const claims = () => sql`select 1 from headway.claim where worker = ${number()}`;
    await vi.waitFor(async () => expect(await watcher.database.query(claims())).not.toEqual([]), {
      timeout: 10_000,
      interval: 5,
    });
    victim.child.kill("SIGKILL");
    await victim.ended;
    const isVictims = (signal: { kind: string; worker?: unknown }) =>
      signal.kind === "worker.evicted" && signal.worker === number();
    const because = await Promise.race([
      survivor.next(isVictims).then((signal) => signal.because),
      new Promise((resolve) =>
        watcher.onSignal((signal) => {
          if (signal.kind === "worker.evicted" && isVictims(signal)) resolve(signal.because);
        }),
      ),
    ]);
    expect(because).toBe("its heartbeat stopped");
    await watcher.settled();
    await expectAllSettled(watcher.database);
    expect(await contentOf(watcher.database)).toEqual(await contentOf(quiet.database));
    expect(await survivor.stop()).toBe(0);
  }, 60_000);
});
