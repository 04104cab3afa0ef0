import type { Queryable } from "./database.ts";
import { int2s, int8s, type Statement, sql } from "./sql.ts";

/** A row that breaks a promise. The set fields depend on the promise. */
export interface Broken {
  readonly subject: number;
  readonly stage: number;
  readonly other: number | null;
}

/** Position in a table. */
export interface Cursor {
  readonly subject: number;
  readonly stage: number;
}

interface PageRow extends Broken {
  readonly broken: boolean;
}

/** One page of a walk: broken rows, and the next position (null: last page). */
export interface Walked {
  readonly rows: number;
  readonly broken: readonly Broken[];
  readonly next: Cursor | null;
}

const living = (subject: Statement): Statement => sql`(
  exists (select 1 from headway.document d where d.subject = ${subject})
  or exists (select 1 from headway.grouping g where g.subject = ${subject}))`;

/** A stage and subject that may have outputs: recorded, or deleted and not removed yet. */
const producing = (stage: Statement, subject: Statement): Statement => sql`case when ${stage} = 0
  then exists (select 1 from headway.source o where o.id = ${subject})
  else exists (select 1 from headway.done r where r.subject = ${subject} and r.stage = ${stage})
    or exists (select 1 from headway.task t where t.subject = ${subject} and t.stage = ${stage})
    or exists (select 1 from headway.dead_letter x where x.subject = ${subject} and x.stage = ${stage})
    or exists (select 1 from headway.document d where d.subject = ${subject} and d.gone_at is not null) end`;

type Check = (page: Statement) => Statement;

/** Rows of a table with the key (subject, stage), page by page. */
const pairs =
  (table: Statement, condition: Statement): Check =>
  (page) =>
    sql`
    select p.subject, p.stage, null::int8 as other, ${condition} as broken
    from (select * from ${table} k where ${page}) p`;

/**
 * Every promise about rows, as a query over one page. Each is one statement and sees one moment, so the check is
 * valid on a busy engine too. In order of importance.
 */
export const checks = {
  "task-of-nothing": pairs(sql`headway.task`, sql`not ${living(sql`p.subject`)}`),
  "result-of-nothing": pairs(sql`headway.done`, sql`not ${living(sql`p.subject`)}`),
  "dead-letter-of-nothing": pairs(sql`headway.dead_letter`, sql`not ${living(sql`p.subject`)}`),
  "waiting-and-dead": pairs(
    sql`headway.task`,
    sql`exists (select 1 from headway.dead_letter x where x.subject = p.subject and x.stage = p.stage)`,
  ),
  "group-without-record": pairs(
    sql`headway.grouping`,
    sql`not exists (select 1 from headway.task t where t.subject = p.subject)
      and not exists (select 1 from headway.done r where r.subject = p.subject)
      and not exists (select 1 from headway.dead_letter x where x.subject = p.subject)`,
  ),
  "member-of-nothing": (page) => sql`
    select p.subject, p.stage, p.grouping as other,
      not exists (select 1 from headway.document d where d.subject = p.subject)
      or not exists (select 1 from headway.grouping g where g.subject = p.grouping and g.stage = p.stage) as broken
    from (select k.subject, k.stage, k.grouping
      from (select document as subject, stage, grouping from headway.member) k where ${page}) p`,
  "document-without-producer": (page) => sql`
    select p.subject, p.stage, p.producer as other,
      p.gone_at is null and not ${producing(sql`p.producer_stage`, sql`p.producer`)} as broken
    from (select k.* from (select subject, 0::int2 as stage, producer, producer_stage, gone_at from headway.document) k
      where ${page}) p`,
  "share-of-nothing": (page) => sql`
    select p.subject, p.stage, p.producer as other,
      not exists (select 1 from headway.document d where d.subject = p.subject)
      or not ${producing(sql`p.stage`, sql`p.producer`)} as broken
    from (select k.* from (select document as subject, stage, producer from headway.co_producer) k where ${page}) p`,
  "outputs-miscounted": (page) => sql`
    select p.subject, p.stage, p.counted as other, p.outputs <> p.counted
        and not exists (select 1 from headway.task t where t.subject = p.subject and t.stage = p.stage)
        and not exists (select 1 from headway.dead_letter x where x.subject = p.subject and x.stage = p.stage)
        and not exists (select 1 from headway.document d where d.subject = p.subject and d.gone_at is not null) as broken
    from (
      select k.subject, k.stage, k.outputs,
        (select count(*) from headway.document d
          where d.producer = k.subject and d.producer_stage = k.stage and d.gone_at is null)
        + (select count(*) from headway.co_producer c where c.producer = k.subject and c.stage = k.stage) as counted
      from headway.done k
      where ${page}
    ) p`,
} as const satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;

/** One page of a check. A document has one row per share, so a page must not end between equal keys. */
export async function walkPage(
  db: Queryable,
  check: CheckName,
  { from, limit }: { from: Cursor; limit: number },
): Promise<Walked> {
  const page = sql`(k.subject, k.stage) > (${from.subject}, ${from.stage}::int2) order by k.subject, k.stage
    fetch first (${limit}) rows with ties`;
  const rows = await db.query<PageRow>(
    sql`select * from (${checks[check](page)}) q order by q.subject, q.stage`,
  );
  const last = rows.at(-1);
  return {
    rows: rows.length,
    broken: rows.filter((row) => row.broken),
    next: last ? { subject: last.subject, stage: last.stage } : null,
  };
}

export interface BrokenClaim {
  readonly claim: number;
  readonly worker: number;
  readonly stage: number;
  readonly subject: number | null;
  readonly problem:
    | "its worker is not alive"
    | "it names a document without a task"
    | "another claim names it too";
}

/** Broken claims; there are few claims at any time. */
export const brokenClaims = (db: Queryable) =>
  db.query<BrokenClaim>(sql`
    with named as (
      select c.id as claim, c.worker, c.stage, s.subject from headway.claim c, unnest(c.subjects) as s (subject)
    )
    select c.id as claim, c.worker, c.stage, null::int8 as subject, 'its worker is not alive' as problem
    from headway.claim c
    where not exists (select 1 from headway.worker w where w.id = c.worker and w.evicted_at is null)
    union all
    select n.claim, n.worker, n.stage, n.subject, 'it names a document without a task'
    from named n
    where not exists (select 1 from headway.task t where t.subject = n.subject and t.stage = n.stage)
      and not exists (select 1 from headway.dead_letter x where x.subject = n.subject and x.stage = n.stage)
      and (exists (select 1 from headway.document d where d.subject = n.subject and d.gone_at is null)
        or exists (select 1 from headway.grouping g where g.subject = n.subject))
    union all
    select n.claim, n.worker, n.stage, n.subject, 'another claim names it too'
    from named n
    where exists (select 1 from named o where o.stage = n.stage and o.subject = n.subject and o.claim < n.claim)
    order by 1, 4`);

export interface ResultParts {
  readonly subject: number;
  readonly stage: number;
  readonly name: string;
  readonly marker: Buffer;
  readonly input_hash: Buffer;
  readonly version: string | null;
  readonly config_hash: Buffer | null;
  readonly model: string | null;
  readonly looked: Buffer | null;
}

/** A page of results with the parts of their markers. */
export const readMarkers = (db: Queryable, { from, limit }: { from: Cursor; limit: number }) =>
  db.query<ResultParts>(sql`
    select r.subject, r.stage, s.name, r.marker, r.input_hash, r.looked, v.version, v.config_hash, v.model
    from (select * from headway.done k where (k.subject, k.stage) > (${from.subject}, ${from.stage}::int2)
      order by k.subject, k.stage limit ${limit}) r
    join headway.stage s on s.id = r.stage
    left join headway.variant v on v.id = r.variant and v.stage = r.stage
    order by r.subject, r.stage`);

/** A page of documents with content. */
export const readBodies = (db: Queryable, { after, limit }: { after: number; limit: number }) =>
  db.query<{ subject: number; hash: Buffer; body: object }>(sql`
    select subject, hash, body from headway.document where subject > ${after} order by subject limit ${limit}`);

const rowsOfNothing = {
  "task-of-nothing": sql`headway.task`,
  "result-of-nothing": sql`headway.done`,
  "dead-letter-of-nothing": sql`headway.dead_letter`,
} as const;

const keyed = (broken: readonly Broken[]): Statement =>
  sql`unnest(${int8s(broken.map((one) => one.subject))}, ${int2s(broken.map((one) => one.stage))},
    ${int8s(broken.map((one) => one.other))}) as b (subject, stage, other)`;

/** Deletes dangling rows; checked again in the statement, because of concurrent changes. */
export async function dropRows(
  tx: Queryable,
  check: keyof typeof rowsOfNothing,
  broken: readonly Broken[],
): Promise<number> {
  const rows = await tx.query(sql`
    delete from ${rowsOfNothing[check]} k
    using ${keyed(broken)}
    where k.subject = b.subject and k.stage = b.stage and not ${living(sql`k.subject`)}
    returning 1`);
  return rows.length;
}

export async function dropMembers(tx: Queryable, broken: readonly Broken[]): Promise<number> {
  const rows = await tx.query(sql`
    delete from headway.member k
    using ${keyed(broken)}
    where k.document = b.subject and k.stage = b.stage and k.grouping = b.other
    returning 1`);
  return rows.length;
}

export async function dropShares(tx: Queryable, broken: readonly Broken[]): Promise<number> {
  const rows = await tx.query(sql`
    delete from headway.co_producer k
    using ${keyed(broken)}
    where k.document = b.subject and k.stage = b.stage and k.producer = b.other
    returning 1`);
  return rows.length;
}

/** Deletes the old dead letter of an owed task: it would block a new dead letter. */
export async function dropRevived(tx: Queryable, broken: readonly Broken[]): Promise<number> {
  const rows = await tx.query(sql`
    delete from headway.dead_letter k
    using ${keyed(broken)}
    where k.subject = b.subject and k.stage = b.stage
      and exists (select 1 from headway.task t where t.subject = k.subject and t.stage = k.stage)
    returning 1`);
  return rows.length;
}

export async function recount(tx: Queryable, broken: readonly Broken[]): Promise<number> {
  const rows = await tx.query(sql`
    update headway.done r
    set outputs = (select count(*) from headway.document d
        where d.producer = r.subject and d.producer_stage = r.stage and d.gone_at is null)
      + (select count(*) from headway.co_producer c where c.producer = r.subject and c.stage = r.stage)
    from ${keyed(broken)}
    where r.subject = b.subject and r.stage = b.stage
    returning 1`);
  return rows.length;
}

/** Frees the claims of missing workers. */
export async function dropDeadClaims(tx: Queryable): Promise<number> {
  const rows = await tx.query(sql`
    delete from headway.claim c
    where not exists (select 1 from headway.worker w where w.id = c.worker and w.evicted_at is null)
    returning 1`);
  return rows.length;
}
