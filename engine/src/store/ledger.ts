import type { Queryable } from "./database.ts";
import { type Statement, sql } from "./sql.ts";

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

/** Tasks of every stage, counted by state, all at the same moment. Reads every document: slow beyond a few thousand. */
export const countByStage = (db: Queryable, now: Date): Promise<StageStatus[]> =>
  db.query<StageStatus>(sql`${countedParts(now, null)} ${stageLines} order by s.id`);

/** Subjects from `after` (exclusive) to `until`. */
export interface Slice {
  readonly after: number;
  readonly until: number;
}

/** The counts of a slice; documents that are gone for good belong to no slice. */
export type SliceCounts = Omit<StageStatus, "oldest" | "recent" | "recent_from">;

export interface SliceOfCollection {
  readonly collection: number;
  readonly documents: number;
  /** Hidden, and not erased yet. */
  readonly leaving: number;
}

/** Counts the subjects of a slice, all at the same moment, so every slice balances for itself. */
export async function countSlice(
  db: Queryable,
  slice: Slice,
  now: Date,
): Promise<{ readonly stages: SliceCounts[]; readonly collections: SliceOfCollection[] }> {
  const [row] = await db.query<{ stages: SliceCounts[] | null; collections: SliceOfCollection[] | null }>(sql`
    ${countedParts(now, slice)},
    line as (${stageLines})
    select (select json_agg(line) from line) as stages,
      (select json_agg(json_build_object('collection', c.id, 'documents', coalesce(a.documents, 0) - coalesce(l.documents, 0),
          'leaving', coalesce(l.documents, 0)))
        from headway.collection c
        left join there a on a.collection = c.id
        left join leaving l on l.collection = c.id) as collections`);
  return { stages: row?.stages ?? [], collections: row?.collections ?? [] };
}

/** The parts of the ledger, each counted from its own table; `slice`: only its subjects, and nothing that is gone for good. */
function countedParts(now: Date, slice: Slice | null): Statement {
  const recently = new Date(now.getTime() - recentMs);
  const in_ = (subject: Statement) =>
    slice ? sql`${subject} > ${slice.after} and ${subject} <= ${slice.until}` : sql`true`;
  return sql`
    with claimed as (
      select distinct c.stage, s.subject from headway.claim c, unnest(c.subjects) as s (subject) where ${in_(sql`s.subject`)}
    ),
    open as (
      select t.stage, min(t.owed_at) as oldest, count(c.subject) as claimed,
        count(*) filter (where c.subject is null and t.ready_at <= ${now}) as waiting,
        count(*) filter (where c.subject is null and t.ready_at <= ${now} and t.reason like 'held: %') as held,
        count(*) filter (where c.subject is null and t.ready_at > ${now}) as later
      from headway.task t
      left join claimed c on c.stage = t.stage and c.subject = t.subject
      where ${in_(sql`t.subject`)}
      group by t.stage
    ),
    gone as (select subject, collection from headway.document where gone_at is not null and ${in_(sql`subject`)}),
    done as (
      select r.stage, count(*) as tasks, count(*) filter (where r.finished_at > ${recently}) as recent,
        min(r.finished_at) filter (where r.finished_at > ${recently}) as recent_from
      from headway.done r
      where ${in_(sql`r.subject`)}
        and not exists (select 1 from headway.task t where t.subject = r.subject and t.stage = r.stage and ${in_(sql`t.subject`)})
        and not exists (
          select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage and ${in_(sql`x.subject`)})
        and not exists (select 1 from gone g where g.subject = r.subject)
      group by r.stage
    ),
    dead as (
      select x.stage, count(*) as tasks, count(x.closed_at) as closed
      from headway.dead_letter x
      where ${in_(sql`x.subject`)} and not exists (select 1 from gone g where g.subject = x.subject)
      group by x.stage
    ),
    there as (select collection, count(*) as documents from headway.document where ${in_(sql`subject`)} group by collection),
    leaving as (select collection, count(*) as documents from gone group by collection),
    erased as (select collection, documents from headway.deleted where ${slice === null}),
    grouped as (select stage, count(*) as groups from headway.grouping where ${in_(sql`subject`)} group by stage),
    owing as (
      select s.id as stage, count(*) as documents
      from headway.stage s
      join headway.document d on d.collection = s.reads and d.gone_at is null and d.subject > s.owing_after
        and ${in_(sql`d.subject`)}
      where s.owing_after is not null and case when s.shape = 'fan-in'
        then not exists (select 1 from headway.member m where m.document = d.subject and m.stage = s.id)
        else not exists (select 1 from headway.task t where t.subject = d.subject and t.stage = s.id)
          and not exists (select 1 from headway.done r where r.subject = d.subject and r.stage = s.id)
          and not exists (select 1 from headway.dead_letter x where x.subject = d.subject and x.stage = s.id) end
      group by s.id
    )`;
}

const stageLines = sql`
    select s.id as stage, coalesce(o.waiting, 0) + coalesce(w.documents, 0) as waiting, coalesce(w.documents, 0) as owing,
      coalesce(o.held, 0) as held, coalesce(o.later, 0) as later, coalesce(o.claimed, 0) as claimed,
      coalesce(d.tasks, 0) as done, coalesce(x.tasks, 0) as dead, coalesce(x.closed, 0) as closed, o.oldest,
      coalesce(d.recent, 0) as recent, d.recent_from,
      case when s.shape = 'fan-in' then coalesce(g.groups, 0) + coalesce(w.documents, 0)
        else coalesce(a.documents, 0) + coalesce(e.documents, 0) end as accepted,
      case when s.shape = 'fan-in' then 0 else coalesce(l.documents, 0) + coalesce(e.documents, 0) end as deleted
    from headway.stage s
    left join open o on o.stage = s.id
    left join done d on d.stage = s.id
    left join dead x on x.stage = s.id
    left join there a on a.collection = s.reads
    left join leaving l on l.collection = s.reads
    left join erased e on e.collection = s.reads
    left join grouped g on g.stage = s.id
    left join owing w on w.stage = s.id`;

/** Open and dead tasks of a stage. */
export type OpenCounts = Pick<
  StageStatus,
  "stage" | "waiting" | "held" | "later" | "claimed" | "dead" | "closed" | "oldest"
>;

/**
 * Counts open tasks and dead letters without a look at results or documents. Null: more than `limit` of them, too many to
 * count at a look.
 */
export async function countOpenByStage(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<OpenCounts[] | null> {
  const rows = await db.query<OpenCounts & { seen: number }>(sql`
    with claimed as (select distinct c.stage, s.subject from headway.claim c, unnest(c.subjects) as s (subject)),
    task as materialized (
      select stage, subject, ready_at, owed_at, reason like 'held: %' as held from headway.task limit ${limit + 1}
    ),
    letter as materialized (select stage, subject, closed_at from headway.dead_letter limit ${limit + 1}),
    open as (
      select t.stage, min(t.owed_at) as oldest, count(c.subject) as claimed,
        count(*) filter (where c.subject is null and t.ready_at <= ${now}) as waiting,
        count(*) filter (where c.subject is null and t.ready_at <= ${now} and t.held) as held,
        count(*) filter (where c.subject is null and t.ready_at > ${now}) as later
      from task t
      left join claimed c on c.stage = t.stage and c.subject = t.subject
      group by t.stage
    ),
    gone as (select subject from headway.document where gone_at is not null),
    dead as (
      select x.stage, count(*) as tasks, count(x.closed_at) as closed
      from letter x
      where not exists (select 1 from gone g where g.subject = x.subject)
      group by x.stage
    )
    select s.id as stage, coalesce(o.waiting, 0) as waiting, coalesce(o.held, 0) as held, coalesce(o.later, 0) as later,
      coalesce(o.claimed, 0) as claimed, coalesce(x.tasks, 0) as dead, coalesce(x.closed, 0) as closed, o.oldest,
      greatest((select count(*) from task), (select count(*) from letter)) as seen
    from headway.stage s
    left join open o on o.stage = s.id
    left join dead x on x.stage = s.id
    order by s.id`);
  return rows.some(({ seen }) => seen > limit) ? null : rows.map(({ seen: _, ...counts }) => counts);
}

/** Entries of the large indexes, roughly: about 25 bytes each. */
export async function isLarge(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select pg_relation_size('headway.document_pkey') + pg_relation_size('headway.done_pkey')
      + pg_relation_size('headway.task_pkey') as bytes`);
  return (row?.bytes ?? 0) > largeBytes;
}
/** About 40,000 documents, results and tasks together, counted in some 50 ms. */
const largeBytes = 1_048_576;
