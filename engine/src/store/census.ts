import type { Queryable } from "./database.ts";
import type { OpenCounts, SliceCounts, SliceOfCollection } from "./ledger.ts";
import { int2s, int8s, sql } from "./sql.ts";

/** Moment and cost of the last count of every stage; null for a stage that was never counted. */
export const readCensus = (db: Queryable) =>
  db.query<{ readonly stage: number; readonly at: Date | null; readonly busy_ms: number | null }>(sql`
    select s.id as stage, c.at, c.busy_ms from headway.stage s left join headway.census c on c.stage = s.id order by s.id`);

export interface Census {
  readonly stages: readonly SliceCounts[];
  readonly collections: readonly SliceOfCollection[];
  readonly beganAt: Date;
  readonly at: Date;
  /** Time spent on counting, without rests. */
  readonly busyMs: number;
}

/** Keeps a count in place of the last one; a count that is older than the kept one changes nothing. */
export async function keepCensus(
  tx: Queryable,
  { stages, collections, beganAt, at, busyMs }: Census,
): Promise<void> {
  await tx.query(sql`
    insert into headway.census (stage, counts, progress, began_at, at, busy_ms)
    select (c ->> 'stage')::int2, c, coalesce(p.done, 0), ${beganAt}, ${at}, ${Math.round(busyMs)}
    from jsonb_array_elements(${JSON.stringify(stages)}::jsonb) c
    left join (select stage, sum(done)::int8 as done from headway.progress group by stage) p on p.stage = (c ->> 'stage')::int2
    on conflict (stage) do update
    set counts = excluded.counts, progress = excluded.progress, began_at = excluded.began_at, at = excluded.at,
      busy_ms = excluded.busy_ms
    where census.at < excluded.at`);
  await tx.query(sql`
    insert into headway.census_collection (collection, documents, leaving, at)
    select c.collection, c.documents, c.leaving, ${at}
    from unnest(${int2s(collections.map((one) => one.collection))}, ${int8s(collections.map((one) => one.documents))},
      ${int8s(collections.map((one) => one.leaving))}) as c (collection, documents, leaving)
    on conflict (collection) do update
    set documents = excluded.documents, leaving = excluded.leaving, at = excluded.at
    where census_collection.at < excluded.at`);
}

/** The highest number of a document or group. */
export async function lastSubject(db: Queryable): Promise<number> {
  const [row] = await db.query<{ last: number | null }>(sql`
    select greatest((select max(subject) from headway.document), (select max(subject) from headway.grouping)) as last`);
  return row?.last ?? 0;
}

export interface CollectionCount {
  readonly name: string;
  readonly documents: number;
  readonly deleted: number;
}

/** Number of current and of deleted documents per collection, counted now. */
export const countCollections = (db: Queryable) =>
  db.query<CollectionCount>(sql`
    select c.name, count(d.subject) filter (where d.gone_at is null) as documents,
      count(d.subject) filter (where d.gone_at is not null) + coalesce(max(e.documents), 0) as deleted
    from headway.collection c
    left join headway.document d on d.collection = c.id
    left join headway.deleted e on e.collection = c.id
    group by c.id, c.name
    order by c.id`);

/** The same as of the census; `at` is null for a collection that was never counted. */
export const readCollections = (db: Queryable) =>
  db.query<CollectionCount & { readonly at: Date | null }>(sql`
    select c.name, coalesce(k.documents, 0) as documents, coalesce(k.leaving, 0) + coalesce(e.documents, 0) as deleted, k.at
    from headway.collection c
    left join headway.census_collection k on k.collection = c.id
    left join headway.deleted e on e.collection = c.id
    order by c.id`);

const parts = 16;

/** Adds a worker's results since its last addition. */
export async function addProgress(
  db: Queryable,
  worker: number,
  done: ReadonlyMap<number, number>,
): Promise<void> {
  const stages = [...done.keys()].sort((a, b) => a - b);
  await db.query(sql`
    insert into headway.progress (stage, part, done)
    select p.stage, ${worker % parts}, p.done
    from unnest(${int2s(stages)}, ${int8s(stages.map((stage) => done.get(stage) ?? 0))}) as p (stage, done)
    on conflict (stage, part) do update set done = progress.done + excluded.done`);
}

/** A level of a stage at one moment. */
export interface ReadingRow extends OpenCounts {
  readonly at: Date;
  readonly done: number;
  readonly accepted: number;
  readonly deleted: number;
  /** Results since the counting began: rates are differences. */
  readonly progress: number;
  /** Moment of the census behind done, accepted and deleted. */
  readonly counted_at: Date;
}

/** Writes the reading of this moment: open tasks as counted now, the rest from the census and from the workers' figures. */
export async function insertReading(tx: Queryable, open: readonly OpenCounts[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into headway.reading (at, stage, waiting, held, later, claimed, dead, closed, done, accepted, deleted, oldest,
      progress, counted_at)
    select ${now}, o.stage, o.waiting, o.held, o.later, o.claimed, o.dead, o.closed,
      (c.counts ->> 'done')::int8 + coalesce(p.done, 0) - c.progress, (c.counts ->> 'accepted')::int8 + coalesce(e.documents, 0),
      (c.counts ->> 'deleted')::int8 + coalesce(e.documents, 0), o.oldest, coalesce(p.done, 0), c.at
    from jsonb_to_recordset(${JSON.stringify(open)}::jsonb) as o (stage int2, waiting int8, held int8, later int8,
      claimed int8, dead int8, closed int8, oldest timestamptz)
    join headway.census c on c.stage = o.stage
    join headway.stage s on s.id = o.stage
    left join headway.deleted e on e.collection = s.reads and s.shape <> 'fan-in'
    left join (select stage, sum(done)::int8 as done from headway.progress group by stage) p on p.stage = o.stage
    on conflict do nothing`);
}

const dayMs = 86_400_000;

/** Keeps every minute for two weeks and every hour for a year. */
export async function thinReadings(db: Queryable, now: Date): Promise<void> {
  await db.query(sql`
    delete from headway.reading r
    where r.at < ${new Date(now.getTime() - 365 * dayMs)}
      or (r.at < ${new Date(now.getTime() - 14 * dayMs)} and exists (
        select 1 from headway.reading o
        where o.stage = r.stage and o.at < r.at and o.at >= date_trunc('hour', r.at, 'UTC')))`);
}

/** Readings of a span, oldest first; of each stage the first reading in every `everyMs`. */
export const listReadings = (
  db: Queryable,
  { since, until, everyMs, stage }: { since: Date; until: Date; everyMs: number; stage: number | null },
) =>
  db.query<ReadingRow>(sql`
    select r.at, r.stage, r.waiting, r.held, r.later, r.claimed, r.dead, r.closed, r.done, r.accepted, r.deleted, r.oldest,
      r.progress, r.counted_at
    from (
      select distinct on (b.stage, b.span) b.*
      from (
        select r.*, floor(extract(epoch from r.at) * 1000 / ${everyMs}) as span
        from headway.reading r
        where r.at >= ${since} and r.at <= ${until} and (${stage}::int2 is null or r.stage = ${stage}::int2)
      ) b
      order by b.stage, b.span, b.at
    ) r
    order by r.at, r.stage`);

/** The moment of the newest reading. */
export async function newestReading(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`
    select max(n.at) as at
    from headway.stage s
    cross join lateral (select r.at from headway.reading r where r.stage = s.id order by r.at desc limit 1) n`);
  return row?.at ?? null;
}

/** Everything a look needs when counting would take too long. */
export interface KeptCounts {
  readonly stage: number;
  /** Null before the first census. */
  readonly census: SliceCounts | null;
  readonly at: Date | null;
  /** Results since the census. */
  readonly since: number;
  /** Documents of the stage's collection that are gone for good. */
  readonly erased: number;
  /** Documents older than the stage are still to be owed. */
  readonly owes: boolean;
  /** The newest reading; null before the first. */
  readonly newest:
    | (Omit<OpenCounts, "stage" | "oldest"> & { readonly oldest: string | null; readonly at: string })
    | null;
  /** Results within the span from the reading of a minute ago to the last addition, and that reading's moment. */
  readonly recent: number;
  readonly recent_from: Date | null;
}

/** The kept counts of every stage, in one statement; `minuteAgo`: rates are measured from the last reading before it. */
export const readKeptCounts = (db: Queryable, minuteAgo: Date): Promise<KeptCounts[]> =>
  db.query<KeptCounts>(sql`
    select s.id as stage, c.counts as census, c.at, coalesce(p.done, 0) - coalesce(c.progress, 0) as since,
      case when s.shape = 'fan-in' then 0 else coalesce(e.documents, 0) end as erased, s.owing_after is not null as owes,
      (select row_to_json(r) from headway.reading r where r.stage = s.id order by r.at desc limit 1) as newest,
      coalesce(p.done - b.progress, 0) as recent, b.at as recent_from
    from headway.stage s
    left join headway.census c on c.stage = s.id
    left join headway.deleted e on e.collection = s.reads
    left join (select stage, sum(done)::int8 as done from headway.progress group by stage) p on p.stage = s.id
    left join lateral (
      select r.progress, r.at from headway.reading r
      where r.stage = s.id and r.at <= ${minuteAgo} and r.at > ${new Date(minuteAgo.getTime() - 240_000)}
      order by r.at desc limit 1
    ) b on true
    order by s.id`);
