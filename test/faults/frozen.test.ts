import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { isConnectionError } from "../../engine/src/store/database.ts";
import { openPostgres } from "../../engine/src/store/postgres.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { lettersPipeline } from "../fixtures/letters.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const postgres = useOwnSchema("frozen");

it("who froze in the middle of a transaction keeps nobody from taking over from another that died", async () => {
  const schema = postgres.fresh();
  const watcher = await postgres.start({ schema, pipelines: [lettersPipeline()], services: {}, work: false });
  const frozen = await openPostgres({ url: postgres.url, schema });
  const [first, second] = [90_001, 90_002];
  const claim = (worker: number) =>
    watcher.database.query(sql`
      insert into headway.claim (id, worker, stage, subjects, at) values (${worker}, ${worker}, 1, '{1}', now())`);
  const join = (worker: number) =>
    watcher.database.query(sql`
      insert into headway.worker (id, name, host, pid, stages, session_locked, started_at, heartbeat_at)
      values (${worker}, 'gone', 'nowhere', 1, '{1}', true, now(), now())`);
  const evicted = new Set<number>();
  watcher.onSignal((signal) => signal.kind === "worker.evicted" && evicted.add(signal.worker));
  try {
    await claim(first);
    const held = frozen.transaction(async (tx) => {
      await tx.query(sql`select 1 from headway.claim where worker = ${first} for update`);
      await join(first);
      await join(second);
      // Looked for in this order; the server would end our transaction by itself after ten seconds.
      for (let waited = 0; evicted.size < 2 && waited < 6_000; waited += 20) await pause(20);
      expect([...evicted]).toEqual([second, first]);
      await tx.query(sql`select 1`);
    });
    // The frozen process wakes up with its session ended, and without any effect.
    await expect(held).rejects.toSatisfy(isConnectionError);
  } finally {
    await frozen.close();
    await watcher.stop();
  }
}, 30_000);
