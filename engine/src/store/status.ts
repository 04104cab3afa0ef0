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

/** Counts of a stage's documents by state. */
export interface StageStatus {
  readonly stage: number;
  /** Due and not claimed. */
  readonly waiting: number;
  /** Of the waiting: held because a dependency was down at the last attempt. */
  readonly held: number;
  /** Of the waiting: documents older than the stage, without a task yet. */
  readonly owing: number;
  readonly later: number;
  readonly claimed: number;
  readonly done: number;
  readonly dead: number;
  /** Of the dead: closed by a person. */
  readonly closed: number;
  readonly oldest: Date | null;
  /** Of the done: finished in the last minute, and the time of the first of these. */
  readonly recent: number;
  readonly recent_from: Date | null;
  /**
   * The ledger: all subjects ever accepted, and the number removed or about to be. At every moment accepted = done +
   * waiting + later + claimed + dead + deleted; for a fan-in stage these are groups, and documents to be owed.
   */
  readonly accepted: number;
  readonly deleted: number;
}

const recentMs = 60_000;

/** Tasks of every stage, counted by state, all at the same moment. */
export async function countByStage(db: Queryable, now: Date): Promise<StageStatus[]> {
  const recently = new Date(now.getTime() - recentMs);
  return await db.query<StageStatus>(sql`
    with claimed as (select distinct c.stage, s.subject from headway.claim c, unnest(c.subjects) as s (subject)),
    open as (
      select t.stage, min(t.owed_at) as oldest, count(c.subject) as claimed,
        count(*) filter (where c.subject is null and t.ready_at <= ${now}) as waiting,
        count(*) filter (where c.subject is null and t.ready_at <= ${now} and t.reason like 'held: %') as held,
        count(*) filter (where c.subject is null and t.ready_at > ${now}) as later
      from headway.task t
      left join claimed c on c.stage = t.stage and c.subject = t.subject
      group by t.stage
    ),
    gone as (select subject, collection from headway.document where gone_at is not null),
    done as (
      select r.stage, count(*) as tasks, count(*) filter (where r.finished_at > ${recently}) as recent,
        min(r.finished_at) filter (where r.finished_at > ${recently}) as recent_from
      from headway.done r
      where not exists (select 1 from headway.task t where t.subject = r.subject and t.stage = r.stage)
        and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)
        and not exists (select 1 from gone g where g.subject = r.subject)
      group by r.stage
    ),
    dead as (
      select x.stage, count(*) as tasks, count(x.closed_at) as closed
      from headway.dead_letter x
      where not exists (select 1 from gone g where g.subject = x.subject)
      group by x.stage
    ),
    there as (select collection, count(*) as documents from headway.document group by collection),
    leaving as (select collection, count(*) as documents from gone group by collection),
    grouped as (select stage, count(*) as groups from headway.grouping group by stage),
    owing as (
      select s.id as stage, count(*) as documents
      from headway.stage s
      join headway.document d on d.collection = s.reads and d.gone_at is null and d.subject > s.owing_after
      where s.owing_after is not null and case when s.shape = 'fan-in'
        then not exists (select 1 from headway.member m where m.document = d.subject and m.stage = s.id)
        else not exists (select 1 from headway.task t where t.subject = d.subject and t.stage = s.id)
          and not exists (select 1 from headway.done r where r.subject = d.subject and r.stage = s.id)
          and not exists (select 1 from headway.dead_letter x where x.subject = d.subject and x.stage = s.id) end
      group by s.id
    )
    select s.id as stage, coalesce(o.waiting, 0) + coalesce(w.documents, 0) as waiting, coalesce(w.documents, 0) as owing, coalesce(o.held, 0) as held, coalesce(o.later, 0) as later,
      coalesce(o.claimed, 0) as claimed, coalesce(d.tasks, 0) as done, coalesce(x.tasks, 0) as dead,
      coalesce(x.closed, 0) as closed, o.oldest, coalesce(d.recent, 0) as recent, d.recent_from,
      case when s.shape = 'fan-in' then coalesce(g.groups, 0) + coalesce(w.documents, 0) else coalesce(a.documents, 0) + coalesce(e.documents, 0) end
        as accepted,
      case when s.shape = 'fan-in' then 0 else coalesce(l.documents, 0) + coalesce(e.documents, 0) end as deleted
    from headway.stage s
    left join open o on o.stage = s.id
    left join done d on d.stage = s.id
    left join dead x on x.stage = s.id
    left join there a on a.collection = s.reads
    left join leaving l on l.collection = s.reads
    left join headway.deleted e on e.collection = s.reads
    left join grouped g on g.stage = s.id
    left join owing w on w.stage = s.id
    order by s.id`);
}

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
  readonly type?: string;
  readonly since?: Date;
}

/** Announced events, in order. */
export const listEvents = (db: Queryable, { after, limit, type, since }: EventFilter) =>
  db.query<EventRow>(sql`
    select e.* from (
      select id, type, data, correlation_id, at, relayed_at
      from headway.outbox
      where id > ${after ?? 0}
        ${type === undefined ? sql`` : sql`and type = ${type}`}
        ${since === undefined ? sql`` : sql`and at >= ${since}`}
      order by id ${after === null && since === undefined ? sql`desc` : sql``}
      limit ${limit}
    ) e
    order by e.id`);
