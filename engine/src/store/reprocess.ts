import type { Queryable } from "./database.ts";
import { int8s, type Statement, sql, texts } from "./sql.ts";

/** A variant to compare results with: the newest that ran, or a given version, configuration and model. */
export type Stale =
  | "newest"
  | { readonly version: string; readonly configHash: Buffer; readonly model: string };

/** A selection of results of a stage. */
export interface ResultFilter {
  readonly stage: number;
  readonly grouped: boolean;
  /** Ids of documents, or keys of groups. */
  readonly ids?: readonly string[];
  readonly finishedSince?: Date;
  /** Only results of another variant than this; null: all. */
  readonly stale: Stale | null;
  /** Only documents that contain this object; for groups: with such a member. */
  readonly where?: object;
}

/** Results not being reprocessed already. A dead letter waits for a person. */
function matching(filter: ResultFilter): Statement {
  const { stage, grouped, ids, finishedSince, stale, where } = filter;
  const json = where && JSON.stringify(where);
  const named = (name: Statement) => (ids ? sql`and ${name} = any (${texts(ids)})` : sql``);
  const subject = grouped
    ? sql`exists (select 1 from headway.grouping g where g.subject = r.subject ${named(sql`g.key`)})
        ${
          json === undefined
            ? sql``
            : sql`and exists (select 1 from headway.member m join headway.document i on i.subject = m.document
                where m.grouping = r.subject and i.gone_at is null and i.body @> ${json}::jsonb)`
        }`
    : sql`exists (select 1 from headway.document d where d.subject = r.subject and d.gone_at is null
        ${named(sql`d.id`)} ${json === undefined ? sql`` : sql`and d.body @> ${json}::jsonb`})`;
  return sql`r.stage = ${stage} and ${subject}
    ${finishedSince === undefined ? sql`` : sql`and r.finished_at >= ${finishedSince}`}
    ${stale === null ? sql`` : sql`and r.variant is distinct from (${variantOf(stage, stale)})`}
    and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)`;
}

const variantOf = (stage: number, than: Stale): Statement =>
  than === "newest"
    ? sql`select s.variant from headway.stage s where s.id = ${stage}`
    : sql`select v.id from headway.variant v where v.stage = ${stage} and v.version = ${than.version}
        and v.config_hash = ${than.configHash} and v.model = ${than.model}`;

export async function findResults(
  db: Queryable,
  filter: ResultFilter,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ subject: number }>(sql`
    select r.subject
    from headway.done r
    where r.subject > ${after} and ${matching(filter)}
    order by r.subject
    limit ${limit}`);
  return rows.map((row) => row.subject);
}

export interface ResultState {
  readonly subject: number;
  readonly rank: number;
  readonly owed: boolean;
  readonly claimed: boolean;
}

/** Current state of results; read under the stage's lock, so the state cannot change. */
export const stateOfResults = (tx: Queryable, stage: number, subjects: readonly number[]) =>
  tx.query<ResultState>(sql`
    select r.subject, coalesce(t.rank, d.rank, 0) as rank, t.subject is not null as owed,
      exists (select 1 from headway.claim c where c.stage = r.stage and r.subject = any (c.subjects)) as claimed
    from headway.done r
    left join headway.task t on t.subject = r.subject and t.stage = r.stage
    left join headway.document d on d.subject = r.subject
    where r.stage = ${stage} and r.subject = any (${int8s(subjects)})
    order by r.subject`);

export interface DownstreamRow {
  readonly stage: string;
  readonly results: number;
}

/** Number of downstream results: the upper limit of work caused by reprocessing. */
export const countDownstream = (db: Queryable, filter: ResultFilter) =>
  db.query<DownstreamRow>(sql`
    with recursive derived (subject) as (
      select d.subject
      from headway.done r
      join headway.document d on d.producer = r.subject and d.producer_stage = r.stage
      where ${matching(filter)}
      union
      select n.subject
      from derived x
      cross join lateral (
        select d.subject from headway.document d where d.producer = x.subject and d.producer_stage <> 0
        union all
        select m.grouping from headway.member m where m.document = x.subject
      ) n
    )
    select s.name as stage, count(*) as results
    from derived x
    join headway.done r on r.subject = x.subject
    join headway.stage s on s.id = r.stage
    group by s.name
    order by s.name`);

/** Downstream documents by collection: the upper limit of documents replaced by reprocessing. */
export const countDerivedDocuments = (db: Queryable, filter: ResultFilter) =>
  db.query<{ collection: string; documents: number }>(sql`
    with recursive derived (subject) as (
      select d.subject
      from headway.done r
      join headway.document d on d.producer = r.subject and d.producer_stage = r.stage
      where ${matching(filter)}
      union
      select n.subject
      from derived x
      cross join lateral (
        select d.subject from headway.document d where d.producer = x.subject and d.producer_stage <> 0
        union all
        select m.grouping from headway.member m where m.document = x.subject
      ) n
    )
    select c.name as collection, count(*) as documents
    from derived x
    join headway.document d on d.subject = x.subject and d.gone_at is null
    join headway.collection c on c.id = d.collection
    group by c.name
    order by c.name`);

/** Size of the inputs of these results, as JSON text. */
export async function inputSize(db: Queryable, filter: ResultFilter): Promise<number> {
  const inputs = filter.grouped
    ? sql`join headway.member m on m.grouping = r.subject join headway.document i on i.subject = m.document`
    : sql`join headway.document i on i.subject = r.subject`;
  const [row] = await db.query<{ characters: number }>(sql`
    select coalesce(sum(length(i.body::text)), 0)::int8 as characters
    from headway.done r
    ${inputs}
    where ${matching(filter)} and i.gone_at is null`);
  return row?.characters ?? 0;
}

/** Recent speed of a stage: the time between its last results, without longer breaks. Null: too few results. */
export async function paceOf(
  db: Queryable,
  { stage, results, breakMs }: { stage: number; results: number; breakMs: number },
): Promise<{ results: number; ms: number } | null> {
  const [row] = await db.query<{ results: number; ms: number | null }>(sql`
    with recent as (
      select r.finished_at as at from headway.done r where r.stage = ${stage} order by r.finished_at desc limit ${results}
    ), gap as (
      select extract(epoch from at - lag(at) over (order by at)) * 1000 as ms from recent
    )
    select count(*) as results, sum(ms)::float8 as ms from gap where ms <= ${breakMs}`);
  return row?.ms ? { results: row.results, ms: row.ms } : null;
}
