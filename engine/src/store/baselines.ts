import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** One figure of one test of a run, with all its samples. */
export interface Baseline {
  readonly run: string;
  readonly at: Date;
  readonly test: string;
  readonly documentSet: string;
  readonly commit: string;
  readonly environment: string;
  readonly figure: string;
  readonly samples: readonly number[];
  readonly machine: object;
}

export async function keepBaselines(db: Queryable, baselines: readonly Baseline[]): Promise<void> {
  await db.query(sql`
    insert into headway.performance_baselines
      (run, at, test, document_set, commit, environment, figure, samples, machine)
    select b.run, b.at, b.test, b."documentSet", b.commit, b.environment, b.figure, b.samples, b.machine
    from jsonb_to_recordset(${JSON.stringify(baselines)}::jsonb) as b (
      run uuid, at timestamptz, test text, "documentSet" text, commit text, environment text, figure text,
      samples double precision[], machine jsonb
    )`);
}

/** The newest figures of an environment, each of its last run; what it is measured against next time. */
export const readBaselines = (db: Queryable, environment: string): Promise<Baseline[]> =>
  db.query<Baseline>(sql`
    select distinct on (test, document_set, figure)
      run, at, test, document_set as "documentSet", commit, environment, figure, samples, machine
    from headway.performance_baselines
    where environment = ${environment}
    order by test, document_set, figure, id desc`);

/** What a database calls itself: `alter database shop set headway.environment = 'production'`; null: nothing. */
export async function readEnvironment(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ environment: string | null }>(
    sql`select nullif(current_setting(${environmentSetting}, true), '') as environment`,
  );
  return row?.environment ?? null;
}

/** A parameter, because a schema's name would be put in its place in a text. */
const environmentSetting = "headway.environment";

/** How much a database has done since it was started; the difference of two readings is what lay between them. */
export interface Traffic {
  /** A statement by itself is one transaction. */
  readonly transactions: number;
  readonly rowsWritten: number;
  /** Not found in its own memory. */
  readonly bytesRead: number;
  readonly walBytes: number;
}

/** Sessions tell what they did when they end or are idle, so those that are to be counted should have been closed. */
export async function readTraffic(db: Queryable): Promise<Traffic> {
  await db.query(sql`select pg_stat_force_next_flush()`);
  const [row] = await db.query<Traffic>(sql`
    select (xact_commit + xact_rollback)::int8 as transactions,
      (tup_inserted + tup_updated + tup_deleted)::int8 as "rowsWritten",
      (blks_read * current_setting('block_size')::int8)::int8 as "bytesRead",
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 as "walBytes"
    from pg_stat_database
    where datname = current_database()`);
  return row as Traffic;
}
