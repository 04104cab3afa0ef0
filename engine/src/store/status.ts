import type { Queryable } from "./database.ts";
import { int2s, prepared, sql } from "./sql.ts";

/** Tasks neither done nor dead, claimed or not, of all stages or of some; including stages still to be owed to documents. */
export async function countOpenTasks(
  db: Queryable,
  stages: readonly number[] | null = null,
): Promise<number> {
  const ofAll = sql`
    select (select count(*) from headway.task) + (select count(*) from headway.document where gone_at is not null)
      + (select count(*) from headway.stage where owing_after is not null) as tasks`;
  const ofSome = sql`
    select (select count(*) from headway.task where stage = any (${int2s(stages ?? [])}))
      + (select count(*) from headway.document where gone_at is not null)
      + (select count(*) from headway.stage where owing_after is not null and id = any (${int2s(stages ?? [])})) as tasks`;
  const [row] = await db.query<{ tasks: number }>(
    stages === null ? prepared("open", ofAll) : prepared("open-some", ofSome),
  );
  return row?.tasks ?? 0;
}

/** Content refused because another origin had its id first. */
export interface ConflictRow {
  readonly id: number;
  readonly collection: string;
  readonly document: string;
  /** Stage with the conflicting content, or null for a source. */
  readonly stage: string | null;
  readonly source: string | null;
  readonly body: object;
  readonly at: Date;
}

/** Content refused because its id was taken, oldest first. */
export const listConflicts = (db: Queryable, { after, limit }: { after: number; limit: number }) =>
  db.query<ConflictRow>(sql`
    select k.id, c.name as collection, d.id as document, s.name as stage, o.name as source, k.body, k.at
    from headway.conflict k
    join headway.document d on d.subject = k.document
    join headway.collection c on c.id = d.collection
    left join headway.stage s on s.id = k.stage and k.stage <> 0
    left join headway.source o on o.id = k.producer and k.stage = 0
    where k.id > ${after}
    order by k.id
    limit ${limit}`);

/** An announced event. */
export interface EventRow {
  readonly id: number;
  readonly type: string;
  readonly data: object;
  readonly correlation_id: string;
  readonly at: Date;
  readonly relayed_at: Date | null;
}

/** A selection of events. */
export interface EventFilter {
  /** Events after this number, in order; null: the last events. */
  readonly after: number | null;
  readonly limit: number;
  /** Only events before this number. */
  readonly before?: number;
  readonly type?: string;
  readonly since?: Date;
}

/** Announced events, in order. */
export const listEvents = (db: Queryable, { after, limit, before, type, since }: EventFilter) =>
  db.query<EventRow>(sql`
    select e.* from (
      select id, type, data, correlation_id, at, relayed_at
      from headway.outbox
      where id > ${after ?? 0}
        ${before === undefined ? sql`` : sql`and id < ${before}`}
        ${type === undefined ? sql`` : sql`and type = ${type}`}
        ${since === undefined ? sql`` : sql`and at >= ${since}`}
      order by id ${after === null && since === undefined ? sql`desc` : sql``}
      limit ${limit}
    ) e
    order by e.id`);
