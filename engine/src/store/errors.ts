import { type ErrorEvent, type ErrorLevel, type GroupState, isRegression } from "../decide/error-report.ts";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

export interface ErrorRow extends Omit<ErrorEvent, "key"> {
  readonly id: number;
  readonly at: Date;
}

/** Reported errors with one cause, and their state. */
export interface ErrorGroup {
  readonly fingerprint: string;
  readonly service: string;
  readonly errorType: string;
  readonly title: string;
  readonly level: ErrorLevel;
  readonly state: GroupState;
  readonly resolvedAt: Date | null;
  readonly resolvedIn: string | null;
  readonly regressions: number;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly firstRelease: string | null;
  readonly lastRelease: string | null;
}

const groupColumns = sql`fingerprint, service, error_type as "errorType", title, level, state, resolved_at as "resolvedAt",
  resolved_in as "resolvedIn", regressions, count, first_at as "firstAt", last_at as "lastAt",
  first_release as "firstRelease", last_release as "lastRelease"`;
const keptMax = 10_000;

/** Stores an event and counts it in its group; an event with a known key changes nothing. Call in a transaction. */
export async function addError(tx: Queryable, event: ErrorEvent, now: Date): Promise<number> {
  const { key, fingerprint, service, level, error_type, message, stack, context, release } = event;
  const [added] = await tx.query<{ id: number }>(sql`
    insert into headway.error_event
      (key, fingerprint, service, level, error_type, message, stack, context, correlation_id, release, environment, at)
    values (${key}, ${fingerprint}, ${service}, ${level}, ${error_type}, ${message}, ${stack},
      ${JSON.stringify(context)}::jsonb, ${event.correlation_id}, ${release}, ${event.environment}, ${now})
    on conflict (key) do nothing
    returning id`);
  if (!added) return await idOf(tx, key as string);
  const [group] = await tx.query<ErrorGroup>(sql`
    insert into headway.error_group
      (fingerprint, service, error_type, title, level, count, first_at, last_at, first_release, last_release)
    values (${fingerprint}, ${service}, ${error_type}, ${message.slice(0, 200)}, ${level}, 1, ${now}, ${now}, ${release}, ${release})
    on conflict (fingerprint) do update
    set count = error_group.count + 1, last_at = excluded.last_at, level = excluded.level,
      last_release = coalesce(excluded.last_release, error_group.last_release)
    returning ${groupColumns}`);
  if (group && isRegression(group, release, now))
    await tx.query(sql`
      update headway.error_group
      set state = 'open', regressions = regressions + 1
      where fingerprint = ${fingerprint}`);
  return added.id;
}

async function idOf(tx: Queryable, key: string): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`select id from headway.error_event where key = ${key}`);
  return row?.id ?? 0;
}

/** Keeps the newest events. */
export async function forgetErrors(tx: Queryable): Promise<void> {
  await tx.query(sql`
    delete from headway.error_event
    where id <= (select id from headway.error_event order by id desc offset ${keptMax} limit 1)`);
}

export interface ErrorFilter {
  readonly id?: number | undefined;
  readonly service?: string | undefined;
  readonly level?: ErrorLevel | undefined;
  readonly error_type?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly release?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Only errors before this id: the next page, also while new errors come. */
  readonly cursor?: number | undefined;
}

/** Events, newest first. */
export const listErrorEvents = (db: Queryable, { limit = 100, offset = 0, ...filter }: ErrorFilter) =>
  db.query<ErrorRow>(sql`
    select id, fingerprint, service, level, error_type, message, stack, context, correlation_id, release, environment, at
    from headway.error_event
    where (${filter.id ?? null}::int8 is null or id = ${filter.id ?? null}::int8)
      and (${filter.service ?? null}::text is null or service = ${filter.service ?? null}::text)
      and (${filter.level ?? null}::text is null or level = ${filter.level ?? null}::text)
      and (${filter.error_type ?? null}::text is null or error_type = ${filter.error_type ?? null}::text)
      and (${filter.fingerprint ?? null}::text is null or fingerprint = ${filter.fingerprint ?? null}::text)
      and (${filter.release ?? null}::text is null or release = ${filter.release ?? null}::text)
      and (${filter.since ?? null}::timestamptz is null or at >= ${filter.since ?? null}::timestamptz)
      and (${filter.until ?? null}::timestamptz is null or at <= ${filter.until ?? null}::timestamptz)
      and (${filter.cursor ?? null}::int8 is null or id < ${filter.cursor ?? null}::int8)
    order by id desc
    limit ${limit} offset ${offset}`);

/** Groups, the newest event first. */
export const listErrorGroups = (db: Queryable, state: GroupState | null, limit: number) =>
  db.query<ErrorGroup>(sql`
    select ${groupColumns} from headway.error_group
    where ${state}::text is null or state = ${state}::text
    order by last_at desc, fingerprint
    limit ${limit}`);

export interface GroupChange {
  readonly fingerprint: string;
  readonly state: GroupState;
  readonly release: string | null;
  readonly now: Date;
}

export async function changeErrorGroup(
  tx: Queryable,
  { fingerprint, state, release, now }: GroupChange,
): Promise<ErrorGroup | null> {
  const resolved = state === "resolved";
  const [row] = await tx.query<ErrorGroup>(sql`
    update headway.error_group
    set state = ${state}, resolved_at = ${resolved ? now : null}::timestamptz,
      resolved_in = ${resolved ? release : null}::text
    where fingerprint = ${fingerprint}
    returning ${groupColumns}`);
  return row ?? null;
}

/** Counts of the kept events by service, level, type and hour. */
export async function countErrors(db: Queryable): Promise<ErrorStats> {
  const [row] = await db.query<ErrorStats>(sql`
    with event as (select service, level, error_type, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00"Z"') as hour
      from headway.error_event)
    select (select count(*) from event) as total_errors,
      (select coalesce(jsonb_object_agg(k, n), '{}') from (select service as k, count(*) as n from event group by 1) c) as by_service,
      (select coalesce(jsonb_object_agg(k, n), '{}') from (select level as k, count(*) as n from event group by 1) c) as by_level,
      (select coalesce(jsonb_object_agg(k, n), '{}') from (select error_type as k, count(*) as n from event group by 1) c) as by_type,
      (select coalesce(jsonb_object_agg(k, n), '{}') from (select hour as k, count(*) as n from event group by 1) c) as by_hour`);
  return row as ErrorStats;
}

export interface ErrorStats {
  readonly total_errors: number;
  readonly by_service: Readonly<Record<string, number>>;
  readonly by_level: Readonly<Record<string, number>>;
  readonly by_type: Readonly<Record<string, number>>;
  readonly by_hour: Readonly<Record<string, number>>;
}
