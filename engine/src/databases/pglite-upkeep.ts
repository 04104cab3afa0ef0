import type { Queryable } from "../store/database.ts";
import { isConnectionError } from "../store/database.ts";
import { sql } from "../store/sql.ts";

export const upkeepDefaults = {
  everyMs: 10_000,
  /** WAL written before a checkpoint; a crash recovery has to read as much. */
  walBytesMax: 64 * 2 ** 20,
  /** A table is vacuumed at this many dead rows, plus a tenth of the live rows. */
  deadRowsMax: 1_000,
  /** Long before PostgreSQL runs out of transaction numbers, at two thousand million. */
  transactionsMax: 100_000_000,
} as const;

/**
 * Replaces a server's background processes, missing in PGlite: without checkpoints the log grows for ever, without
 * vacuum the tables do, and without analyze the planner guesses. Rests while nothing is written.
 */
export function startUpkeep(
  db: Queryable,
  { everyMs }: { readonly everyMs: number } = upkeepDefaults,
): { stop(): void } {
  let seen = 0;
  let checkpointed = 0;
  let running = false;
  let stopped = false;
  const run = async (): Promise<void> => {
    const written = await walPosition(db);
    if (written === seen) return;
    if (checkpointed === 0) checkpointed = written;
    for (const { maintenance } of await findNeglected(db)) {
      if (stopped) return;
      await db.query({ text: maintenance, values: [] });
    }
    if (written - checkpointed > upkeepDefaults.walBytesMax) {
      await db.query(sql`checkpoint`);
      checkpointed = written;
    }
    seen = await walPosition(db);
  };
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    run()
      // A failure does no harm: the next round tries again, and real damage shows in ordinary use.
      .catch((error) => isConnectionError(error) && clearInterval(timer))
      .finally(() => {
        running = false;
      });
  }, everyMs).unref();
  return {
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}

async function walPosition(db: Queryable): Promise<number> {
  const [row] = await db.query<{ written: number }>(sql`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 as written
  `);
  return row?.written ?? 0;
}

/** Tables due for autovacuum, by similar rules. */
const findNeglected = (db: Queryable): Promise<{ maintenance: string }[]> =>
  db.query(sql`
    with neglected as (
      select
        stat.schemaname,
        stat.relname,
        stat.n_dead_tup > ${upkeepDefaults.deadRowsMax}::int8 + stat.n_live_tup / 10
          or stat.n_ins_since_vacuum > ${upkeepDefaults.deadRowsMax}::int8 + stat.n_live_tup / 5
          or age(class.relfrozenxid) > ${upkeepDefaults.transactionsMax}::int8 as full_of_dead,
        stat.n_mod_since_analyze > ${upkeepDefaults.deadRowsMax}::int8 + stat.n_live_tup / 10 as changed
      from pg_stat_all_tables stat
      join pg_class class on class.oid = stat.relid and class.relkind in ('r', 'm')
    )
    select format(case when full_of_dead then 'vacuum (analyze) %I.%I' else 'analyze %I.%I' end, schemaname, relname)
      as maintenance
    from neglected
    where full_of_dead or changed
  `);
