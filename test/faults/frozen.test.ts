import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { type Database, isConnectionError } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { endFrozenSessions } from "../../engine/src/store/workers.ts";
import { lettersPipeline } from "../fixtures/letters.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const postgres = useOwnSchema("frozen");
const [first, second] = [90_001, 90_002];

it("who froze in the middle of a transaction keeps nobody from taking over from another that died", async () => {
  const schema = postgres.fresh();
  const watcher = await postgres.start({ schema, pipelines: [lettersPipeline()], services: {}, work: false });
  const frozen = await openPostgres({ url: postgres.url, schema });
  const evicted = new Set<number>();
  watcher.onSignal((signal) => signal.kind === "worker.evicted" && evicted.add(signal.worker));
  try {
    await claim(watcher.database, first);
    const held = frozen.transaction(async (tx) => {
      await tx.query(sql`select 1 from headway.claim where worker = ${first} for update`);
      await join(watcher.database, first);
      await join(watcher.database, second);
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

it("a person's psql, idle in a transaction on our tables, is left alone and only delays its own rows", async () => {
  const schema = postgres.fresh();
  const watcher = await postgres.start({ schema, pipelines: [lettersPipeline()], services: {}, work: false });
  const person = new pg.Client({ connectionString: postgres.url, application_name: "psql" });
  await person.connect();
  const evicted = new Set<number>();
  watcher.onSignal((signal) => signal.kind === "worker.evicted" && evicted.add(signal.worker));
  try {
    await claim(watcher.database, first);
    await person.query("begin");
    await person.query(`select 1 from "${schema}".claim where worker = ${first} for update`);
    await join(watcher.database, first);
    await join(watcher.database, second);
    await expect.poll(() => evicted.has(second)).toBe(true);
    await expect.poll(() => idleSeconds(watcher.database)).toBeGreaterThan(1);
    expect(await endFrozenSessions(watcher.database)).toBe(0);
    expect(evicted.has(first)).toBe(false);
    await person.query("commit");
    await expect.poll(() => evicted.has(first)).toBe(true);
  } finally {
    await person.end();
    await watcher.stop();
  }
}, 60_000);

it.each(["", "?application_name=mine"])(
  "sessions opened with the address …%s are known as ours",
  async (asked) => {
    const db = await openPostgres({ url: `${postgres.url}${asked}`, schema: postgres.fresh() });
    try {
      const [own] = await db.query<{ name: string }>(sql`select current_setting('application_name') as name`);
      expect(own?.name).toBe(asked ? "headway mine" : "headway");
    } finally {
      await db.close();
    }
  },
);

const idleSeconds = async (db: Database): Promise<number> => {
  const [row] = await db.query<{ idle: number }>(sql`
    select coalesce(max(extract(epoch from clock_timestamp() - state_change)), 0)::float8 as idle
    from pg_stat_activity where application_name = 'psql' and state = 'idle in transaction'`);
  return row?.idle ?? 0;
};

const claim = (db: Database, worker: number) =>
  db.query(sql`
    insert into headway.claim (id, worker, stage, subjects, at) values (${worker}, ${worker}, 1, '{1}', now())`);

const join = (db: Database, worker: number) =>
  db.query(sql`
    insert into headway.worker (id, name, host, pid, stages, session_locked, started_at, heartbeat_at)
    values (${worker}, 'gone', 'nowhere', 1, '{1}', true, now(), now())`);
