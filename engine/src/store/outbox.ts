import type { Database, Queryable } from "./database.ts";
import { int2s, int8s, prepared, type Statement, sql, texts, uuids } from "./sql.ts";

/** A fact for the outside world. Exists if and only if its transaction was committed. */
export interface OutboxEvent {
  /** Consumers dedupe by key: the same fact has the same key in every announcement. */
  readonly key: string;
  readonly type: string;
  readonly subject: number;
  readonly stage: number;
  readonly data: object;
  readonly request: string;
  readonly correlationId: string;
}

export function insertEvents(events: readonly OutboxEvent[], now: Date): Statement {
  return sql`
    insert into headway.outbox (key, type, subject, stage, data, request, correlation_id, at)
    select e.key, e.type, e.subject, e.stage, e.data::jsonb, e.request, e.correlation_id, ${now}
    from unnest(${texts(events.map((one) => one.key))}, ${texts(events.map((one) => one.type))},
      ${int8s(events.map((one) => one.subject))}, ${int2s(events.map((one) => one.stage))},
      ${texts(events.map((one) => JSON.stringify(one.data)))},
      ${uuids(events.map((one) => one.request))}, ${texts(events.map((one) => one.correlationId))}
    ) as e (key, type, subject, stage, data, request, correlation_id)
    on conflict (key) do update set relayed_at = null, at = excluded.at`;
}

export interface OutboxRow {
  readonly id: number;
  readonly key: string;
  readonly type: string;
  readonly stage: number;
  readonly data: object;
  readonly request: string;
  readonly correlation_id: string;
  readonly at: Date;
}

/** Publishes waiting events in order, then marks them as relayed; called by the one worker with the relay role. */
export async function relayEvents(
  db: Database,
  limit: number,
  publish: (events: readonly OutboxRow[]) => Promise<void>,
  now: () => Date,
): Promise<number> {
  const events = await waitingEvents(db, limit);
  if (events.length === 0) return 0;
  // At least once: a crash in between repeats the publishing, never loses an event.
  await publish(events);
  await db.query(
    prepared(
      "relayed",
      sql`
    update headway.outbox set relayed_at = ${now()} where id = any (${int8s(events.map((one) => one.id))})`,
    ),
  );
  return events.length;
}

const waitingEvents = (db: Queryable, limit: number) =>
  db.query<OutboxRow>(
    prepared(
      "waitingevents",
      sql`
    select id, key, type, stage, data, request, correlation_id, at
    from headway.outbox
    where relayed_at is null
    order by id
    limit ${limit}`,
    ),
  );

/** Publishes the events of existing dead letters again, for a broker that lost them. */
export async function repeatDeaths(db: Queryable): Promise<number> {
  const events = await db.query(sql`
    update headway.outbox o set relayed_at = null
    where relayed_at is not null
      and o.data ? 'error_code'
      and exists (select 1 from headway.dead_letter d where d.subject = o.subject and d.stage = o.stage)
    returning 1`);
  return events.length;
}

/** A selection of events to publish again. */
export interface RepeatFilter {
  readonly since: Date;
  readonly type?: string | null;
}

/** Publishes events again, for consumers with losses; the ids are the same. */
export async function repeatEvents(db: Queryable, filter: RepeatFilter): Promise<number> {
  const [row] = await db.query<{ events: number }>(sql`
    with repeated as (update headway.outbox set relayed_at = null where ${isRepeatable(filter)} returning 1)
    select count(*)::int as events from repeated`);
  return row?.events ?? 0;
}

export async function countRepeatable(db: Queryable, filter: RepeatFilter): Promise<number> {
  const [row] = await db.query<{ events: number }>(sql`
    select count(*)::int as events from headway.outbox where ${isRepeatable(filter)}`);
  return row?.events ?? 0;
}

const isRepeatable = ({ since, type = null }: RepeatFilter): Statement => sql`
  relayed_at is not null and at >= ${since} and (${type}::text is null or type = ${type})`;

/** Deletes events published long ago. */
export async function forgetEvents(db: Queryable, relayedBefore: Date): Promise<void> {
  await db.query(sql`delete from headway.outbox where relayed_at < ${relayedBefore}`);
}
