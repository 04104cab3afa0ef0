import { createHash } from "node:crypto";
import type { Queryable } from "./database.ts";
import { int8s, type Statement, sql } from "./sql.ts";

/** A broker's delivery that is no known event. */
export interface Quarantined {
  readonly queue: string;
  readonly reason: string;
  readonly detail: string;
  readonly body: Buffer;
  readonly properties: string;
}

/** Keeps the delivery unchanged; the same bytes from the same queue are kept once and counted. */
export async function quarantine(db: Queryable, one: Quarantined, now: Date): Promise<void> {
  const hash = createHash("sha256").update(one.body).digest();
  await db.query(sql`
    insert into headway.quarantine (queue, reason, detail, body, body_hash, properties, first_at, last_at)
    values (${one.queue}, ${one.reason}, ${one.detail}, ${one.body}, ${hash}, ${one.properties}::jsonb, ${now}, ${now})
    on conflict (queue, body_hash) do update
    set times = quarantine.times + 1, last_at = excluded.last_at, reason = excluded.reason, detail = excluded.detail`);
}

/** A delivery in quarantine. */
export interface QuarantineRow {
  readonly id: number;
  readonly queue: string;
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
  readonly times: number;
  readonly first_at: Date;
  readonly last_at: Date;
}

/** A selection; all given conditions have to match. */
export interface QuarantineFilter {
  readonly ids?: readonly number[];
  readonly queue?: string;
  readonly reason?: string;
  readonly lastBefore?: Date;
  readonly lastAfter?: Date;
}

const fitting = ({ ids, queue, reason, lastBefore, lastAfter }: QuarantineFilter): Statement => sql`
  true
  ${ids === undefined ? sql`` : sql`and id = any (${int8s(ids)})`}
  ${queue === undefined ? sql`` : sql`and queue = ${queue}`}
  ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
  ${lastBefore === undefined ? sql`` : sql`and last_at < ${lastBefore}`}
  ${lastAfter === undefined ? sql`` : sql`and last_at >= ${lastAfter}`}`;

/** Deliveries in quarantine, oldest first, without the bytes. */
export const listQuarantine = (
  db: Queryable,
  filter: QuarantineFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
) =>
  db.query<QuarantineRow>(sql`
    select id, queue, reason, detail, octet_length(body) as bytes, times, first_at, last_at
    from headway.quarantine
    where id > ${after} and ${fitting(filter)}
    order by id
    limit ${limit}`);

/** Deliveries in quarantine with one reason. */
export interface QuarantineGroupRow {
  readonly queue: string;
  readonly reason: string;
  readonly deliveries: number;
  /** Deliveries counted with repetitions. */
  readonly times: number;
  readonly first_at: Date;
  readonly last_at: Date;
}

/** Deliveries in quarantine by queue and reason, largest group first. */
export const groupQuarantine = (db: Queryable) =>
  db.query<QuarantineGroupRow>(sql`
    select queue, reason, count(*)::int as deliveries, sum(times)::int8 as times, min(first_at) as first_at,
      max(last_at) as last_at
    from headway.quarantine
    group by queue, reason
    order by 3 desc, queue, reason`);

export async function readQuarantined(
  db: Queryable,
  id: number,
): Promise<(QuarantineRow & { readonly body: Uint8Array; readonly properties: object }) | null> {
  const [row] = await db.query<QuarantineRow & { body: Uint8Array; properties: object }>(sql`
    select id, queue, reason, detail, octet_length(body) as bytes, times, first_at, last_at, body, properties
    from headway.quarantine
    where id = ${id}`);
  return row ?? null;
}

/** Deletes rows of the quarantine; returns the deleted rows. */
export const forgetQuarantined = (db: Queryable, ids: readonly number[]) =>
  db.query<{ id: number; reason: string }>(sql`
    delete from headway.quarantine where id = any (${int8s(ids)}) returning id, reason`);
