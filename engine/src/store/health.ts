import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** Health of a database, by its own statistics. */
export interface Health {
  readonly version: string;
  /** Versions of the vector extension; null: not installed here, or not available. */
  readonly vector: string | null;
  readonly vectorAvailable: string | null;
  readonly now: Date;
  /** Sessions waiting for a lock. */
  readonly waiting: number;
  /** Age of the longest idle transaction, in seconds. */
  readonly idleSeconds: number;
  readonly connections: number;
  readonly connectionsMax: number;
  readonly bytes: number;
}

export async function readHealth(db: Queryable): Promise<Health> {
  const [row] = await db.query<Health>(sql`
    select current_setting('server_version') as version,
      (select extversion from pg_extension where extname = 'vector') as vector,
      (select default_version from pg_available_extensions where name = 'vector') as "vectorAvailable",
      clock_timestamp() as now,
      (select count(*) from pg_locks l where not l.granted
        and l.database = (select oid from pg_database where datname = current_database())) as waiting,
      coalesce((select max(extract(epoch from clock_timestamp() - a.state_change))
        from pg_stat_activity a
        where a.datname = current_database() and a.state like 'idle in transaction%' and a.pid <> pg_backend_pid()), 0
      )::float8 as "idleSeconds",
      (select count(*) from pg_stat_activity where datname is not null) as connections,
      current_setting('max_connections')::int8 as "connectionsMax",
      pg_database_size(current_database()) as bytes`);
  return row as Health;
}
