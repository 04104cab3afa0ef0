import { passToCoProducers } from "./co-producers.ts";
import type { Queryable } from "./database.ts";
import { type Hiding, hideDeep } from "./hide.ts";
import { int8s, sql } from "./sql.ts";

/** Hides a document and everything derived, for all producers. Returns its producers; null: no such document. */
export async function deleteDocument(
  tx: Queryable,
  subject: number,
  hiding: Hiding,
): Promise<{ producers: { stage: string; subject: number }[] } | null> {
  const found = await tx.query(sql`
    select 1 from headway.document where subject = ${subject} and gone_at is null for update`);
  if (found.length === 0) return null;
  const producers = await tx.query<{ stage: string; subject: number }>(sql`
    with producer as (
      select producer as subject, producer_stage as stage from headway.document where subject = ${subject}
      union
      select producer, stage from headway.co_producer where document = ${subject}
    ), fewer as (
      update headway.done r
      set outputs = r.outputs - 1
      from producer p
      where p.stage <> 0 and r.subject = p.subject and r.stage = p.stage
    )
    select s.name as stage, p.subject
    from producer p
    join headway.stage s on s.id = p.stage
    order by s.name, p.subject`);
  await tx.query(sql`delete from headway.co_producer where document = ${subject}`);
  await hideDeep(tx, [subject], hiding);
  return { producers };
}

/** Number of documents derived from a document, over all stages; documents with another producer stay. */
export async function countDerived(db: Queryable, subject: number): Promise<number> {
  const [row] = await db.query<{ documents: number }>(sql`
    with recursive derived (subject) as (
      select d.subject from headway.document d where d.producer = ${subject} and d.producer_stage <> 0
      union
      select d.subject
      from derived x
      join headway.document d on d.producer = x.subject and d.producer_stage <> 0
    )
    select count(*) as documents from derived`);
  return row?.documents ?? 0;
}

export async function findSource(db: Queryable, name: string): Promise<number | null> {
  const [row] = await db.query<{ id: number }>(sql`select id from headway.source where name = ${name}`);
  return row?.id ?? null;
}

export const listSources = (db: Queryable, countMax: number) =>
  db.query<{ name: string; first_seen_at: Date; documents: number }>(sql`
    select s.name, s.first_seen_at,
      (select count(*) from (select 1 from headway.document d
        where d.producer = s.id and d.producer_stage = 0 and d.gone_at is null limit ${countMax}) d)
      + (select count(*) from (select 1 from headway.co_producer c
        where c.producer = s.id and c.stage = 0 limit ${countMax}) c) as documents
    from headway.source s
    order by s.name`);

/** Number of documents from this source alone, and shared with other sources. */
export async function countOfSource(
  db: Queryable,
  source: number,
): Promise<{ alone: number; shared: number }> {
  const [row] = await db.query<{ alone: number; shared: number }>(sql`
    select
      (select count(*) from headway.document d
        where d.producer = ${source} and d.producer_stage = 0 and d.gone_at is null
          and not exists (select 1 from headway.co_producer c where c.document = d.subject)) as alone,
      (select count(*) from headway.document d
        where d.producer = ${source} and d.producer_stage = 0 and d.gone_at is null
          and exists (select 1 from headway.co_producer c where c.document = d.subject))
      + (select count(*) from headway.co_producer c where c.producer = ${source} and c.stage = 0) as shared`);
  return row as { alone: number; shared: number };
}

/**
 * Documents leave their source: documents without another producer are hidden with everything derived, the rest pass
 * to their heirs.
 */
export async function leaveSource(
  tx: Queryable,
  { source, limit, ...hiding }: Hiding & { source: number; limit: number },
): Promise<{ gone: number; passedOn: number }> {
  const page = await tx.query<{ subject: number; producer: number | null; stage: number | null }>(sql`
    select p.subject, h.producer, h.stage
    from (
      select d.subject
      from headway.document d
      where d.producer = ${source} and d.producer_stage = 0 and d.gone_at is null
      order by d.subject
      limit ${limit}
      for update
    ) p
    left join lateral (
      select c.producer, c.stage from headway.co_producer c where c.document = p.subject order by c.producer, c.stage limit 1
    ) h on true
    order by p.subject`);
  const gone = page.filter((row) => row.producer === null).map((row) => row.subject);
  const heirs = int8s(page.filter((row) => row.producer !== null).map((row) => row.subject));
  await hideDeep(tx, gone, hiding);
  await passToCoProducers(tx, sql`select unnest(${heirs})`);
  return { gone: gone.length, passedOn: page.length - gone.length };
}

/** Removes the source from a page of documents with other producers. */
export async function leaveShared(tx: Queryable, source: number, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from headway.co_producer
    where (document, producer, stage) in (
      select document, producer, stage from headway.co_producer where producer = ${source} and stage = 0
      order by document limit ${limit})
    returning 1`);
  return rows.length;
}

/** Deletes conflicts of a source: content refused because another source had the id first. */
export async function forgetConflictsOf(tx: Queryable, source: number): Promise<void> {
  await tx.query(sql`delete from headway.conflict where producer = ${source} and stage = 0`);
}
