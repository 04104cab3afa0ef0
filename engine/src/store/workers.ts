import { createHash } from "node:crypto";
import { sparedMax } from "../decide/settle.ts";
import { type Database, type Queryable, sessionPrefix } from "./database.ts";
import { int2s, int8s, sql } from "./sql.ts";

export interface WorkerRow {
  readonly id: number;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly stages: readonly number[];
  readonly session_locked: boolean;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
}

/**
 * The advisory lock that proves a worker's live session. Locks are database-wide and numbers per schema, so the high
 * word identifies the schema: otherwise a worker of the same number in another installation would vouch for a dead
 * worker.
 */
export const workerLockKey = ({ schema }: { schema: string }, worker: number): bigint =>
  BigInt.asIntN(64, (BigInt(workerLockSpace(schema)) << 32n) + BigInt(worker));
const workerLockSpace = (schema: string): number =>
  createHash("sha256").update(`headway worker ${schema}`).digest().readUInt32BE();

/** The server's time: the common clock of all workers. */
export async function serverTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(sql`select clock_timestamp() as now`);
  return (row as { now: Date }).now;
}

export async function nextWorkerNumber(db: Queryable): Promise<number> {
  const [row] = await db.query<{ number: number }>(sql`select nextval('headway.worker_number') as number`);
  return (row as { number: number }).number;
}

export async function insertWorker(db: Queryable, worker: Omit<WorkerRow, "heartbeat_at">): Promise<void> {
  await db.query(sql`
    insert into headway.worker (id, name, host, pid, stages, session_locked, started_at, heartbeat_at)
    values (${worker.id}, ${worker.name}, ${worker.host}, ${worker.pid}, ${int2s(worker.stages)},
      ${worker.session_locked}, ${worker.started_at}, ${worker.started_at})`);
}

/** Records a heartbeat. False: the worker was evicted and must not continue under this number. */
export async function beat(db: Queryable, worker: number, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.worker
    set heartbeat_at = ${now}
    where id = ${worker} and evicted_at is null
    returning 1`);
  return rows.length > 0;
}

/** A worker without a heartbeat (`silent`), or without a session. */
export interface Missing extends Pick<WorkerRow, "id" | "host" | "pid"> {
  readonly silent: boolean;
}

/** Apparently dead workers: session gone, or no heartbeat since `lapsed`. */
export async function findDeadWorkers(
  db: Database,
  { lapsed, self }: { lapsed: Date; self: number | null },
): Promise<Missing[]> {
  return await db.query<Missing>(sql`
    select w.id, w.host, w.pid, w.heartbeat_at < ${lapsed} as silent
    from headway.worker w
    where w.evicted_at is null
      and w.id is distinct from ${self}::int8
      and (w.heartbeat_at < ${lapsed}
        or (w.session_locked and not ${holdsLock(db)}))
    order by w.id`);
}

/** Workers ended since then, for any reason, and the number of workers that are not ended. */
export async function findEndedWorkers(
  db: Queryable,
  since: Date,
): Promise<{ readonly ended: readonly number[]; readonly listed: number }> {
  const rows = await db.query<{ id: number; ended: boolean }>(sql`
    select id, evicted_at is not null as ended
    from headway.worker
    where evicted_at is null or evicted_at > ${since}`);
  const ended = rows.filter((one) => one.ended).map((one) => one.id);
  return { ended, listed: rows.length - ended.length };
}

/**
 * Ends a worker: further writes are refused, and the tasks are free. After a crash the tasks remember the crash, as far as there is
 * evidence (`functions/end_worker.sql`). A frozen transaction keeps locks for a while; the eviction of dead workers must
 * not wait for such locks.
 */
export const evictWorker = (db: Queryable, eviction: Eviction): Promise<number | null> =>
  endWorker(db, { ...eviction, waitMs: lockedMs });
const lockedMs = 250;

/**
 * Ends Headway's own sessions idle in a transaction on our tables: the process is frozen, or busy elsewhere for far too
 * long, and its locks block evictions. A process that wakes up later repeats the transaction. Sessions of other
 * programs of the same user, a person's psql included, are left alone: evictions wait for their locks.
 */
export async function endFrozenSessions(db: Database): Promise<number> {
  const ended = await db.query(sql`
    select pg_terminate_backend(a.pid)
    from pg_stat_activity a
    where a.datname = current_database() and a.usename = current_user and a.state = 'idle in transaction'
      and starts_with(a.application_name, ${sessionPrefix})
      and a.state_change < clock_timestamp() - make_interval(secs => ${frozenMs / 1_000})
      and exists (select 1 from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = a.pid and l.granted
          and c.relnamespace = (select relnamespace from pg_class where oid = 'headway.task'::regclass))`);
  return ended.length;
}
const frozenMs = 500;

/** A row of the worker is locked: the eviction is possible a moment later. */
export const isLockedNow = (error: unknown): boolean => (error as { code?: unknown }).code === "55P03";

export interface Eviction {
  readonly worker: number;
  readonly because: string;
  readonly crashed: boolean;
  readonly now: Date;
  /** Whether to leave the eviction to a concurrent process. */
  readonly skip?: boolean;
  /** Other workers are missing at the same moment, so a claimed document is an unlikely cause. */
  readonly together?: boolean;
}

/** The same with any wait for locks; null: ended already, or being ended by another process. */
export async function endWorker(
  db: Queryable,
  {
    worker,
    because,
    crashed,
    now,
    skip = false,
    together = false,
    waitMs = null,
  }: Eviction & { readonly waitMs?: number | null },
): Promise<number | null> {
  const [ended] = await db.query<{ freed: number | null }>(sql`
    select headway.end_worker(${worker}::int8, ${because}, ${crashed}, ${now}, ${skip}, ${waitMs}::int4,
      ${together}, ${sparedMax}::int4) as freed`);
  return ended?.freed ?? null;
}

/** Retires a worker gracefully: without claims, or with its tasks released. */
export async function retireWorker(db: Database, worker: number, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`
      update headway.worker
      set evicted_at = ${now}, evicted_because = 'it stopped'
      where id = ${worker} and evicted_at is null`);
    await tx.query(sql`delete from headway.claim where worker = ${worker}`);
  });
}

/** A worker without an eviction, and whether its session is there: a worker too busy to beat still holds its lock. */
export interface LivingWorkerRow extends WorkerRow {
  readonly session_held: boolean;
}

export async function listLivingWorkers(db: Database): Promise<LivingWorkerRow[]> {
  return await db.query<LivingWorkerRow>(sql`
    select w.id, w.name, w.host, w.pid, w.stages, w.session_locked, w.started_at, w.heartbeat_at,
      w.session_locked and ${holdsLock(db)} as session_held
    from headway.worker w
    where w.evicted_at is null
    order by w.id`);
}

/** Whether the session of worker `w` holds the lock that stands for it. */
const holdsLock = ({ schema }: { schema: string }) => sql`exists (
  select 1 from pg_locks l
  where l.locktype = 'advisory'
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::int8 = ${workerLockSpace(schema)}
    and l.objid::int8 = w.id
    and l.objsubid = 1)`;

/** Deletes workers ended long ago; their faults keep the number. */
export async function forgetWorkers(db: Queryable, endedBefore: Date): Promise<void> {
  await db.query(sql`
    delete from headway.worker w
    where w.evicted_at < ${endedBefore} and not exists (select 1 from headway.claim c where c.worker = w.id)`);
}

export const claimsOf = (db: Queryable, workers: readonly number[]) =>
  db.query<{ worker: number; stage: number; tasks: number; at: Date }>(sql`
    select worker, stage, cardinality(subjects) as tasks, at
    from headway.claim
    where worker = any (${int8s(workers)})`);
