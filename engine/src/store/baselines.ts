import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** One figure of one test of a run, with all samples. */
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

/** The newest figures of an environment, each from the last run; the reference for the next run. */
export const readBaselines = (db: Queryable, environment: string): Promise<Baseline[]> =>
  db.query<Baseline>(sql`
    select distinct on (test, document_set, figure)
      run, at, test, document_set as "documentSet", commit, environment, figure, samples, machine
    from headway.performance_baselines
    where environment = ${environment}
    order by test, document_set, figure, id desc`);

/** The newest figures of all environments, the oldest first. */
export const readBaselineHistory = (db: Queryable, limit: number): Promise<Baseline[]> =>
  db.query<Baseline>(sql`
    select run, at, test, "documentSet", commit, environment, figure, samples, machine
    from (
      select id, run, at, test, document_set as "documentSet", commit, environment, figure, samples, machine
      from headway.performance_baselines
      order by id desc
      limit ${limit}
    ) newest
    order by id`);

/** The database's own environment name: `alter database shop set headway.environment = 'production'`; null: none. */
export async function readEnvironment(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ environment: string | null }>(
    sql`select nullif(current_setting(${environmentSetting}, true), '') as environment`,
  );
  return row?.environment ?? null;
}

/** Passed as a parameter, because `headway.` in the text of a statement is replaced by the schema's name. */
const environmentSetting = "headway.environment";

/** Activity of a database since its start; subtract two readings for an interval. */
export interface Traffic {
  /** A single statement is one transaction. */
  readonly transactions: number;
  readonly rowsWritten: number;
  /** Not found in the server's own cache. */
  readonly bytesRead: number;
  readonly walBytes: number;
}

/** Sessions report statistics at their end or when idle, so measured sessions should be closed before. */
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
