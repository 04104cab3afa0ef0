import type { Indexes } from "../define/collection.ts";
import type { Queryable } from "./database.ts";
import { indexedConditions } from "./field-indexes.ts";
import { int8s, literal, prepared, type Statement, sql, texts } from "./sql.ts";

export interface DocumentRow {
  readonly subject: number;
  readonly id: string;
  readonly hash: Buffer;
  readonly body: object;
  readonly request: string;
  readonly created_at: Date;
  readonly changed_at: Date;
}

const columns = sql`subject, id, hash, body, request, created_at, changed_at`;

export async function readDocument(
  db: Queryable,
  collection: number,
  id: string,
): Promise<DocumentRow | null> {
  const rows = await db.query<DocumentRow>(
    prepared(
      "document",
      sql`
    select ${columns} from headway.document where collection = ${collection} and id = ${id} and gone_at is null`,
    ),
  );
  return rows[0] ?? null;
}

/** A page of a collection, by id. */
export async function readDocuments(
  db: Queryable,
  { collection, after, limit }: { collection: number; after: string; limit: number },
): Promise<DocumentRow[]> {
  return await db.query<DocumentRow>(
    prepared(
      "documents",
      sql`
    select ${columns}
    from headway.document
    where collection = ${collection} and id > ${after} and gone_at is null
    order by id
    limit ${limit}`,
    ),
  );
}

/** Documents of a collection with these values of fields. */
export interface Sought {
  readonly collection: number;
  readonly where: Readonly<Record<string, unknown>>;
  readonly indexes: Indexes;
}

/** The number of the collection is a constant in the text: an index of the collection's fields is for this number only. */
const soughtBy = ({ collection, where, indexes }: Sought): Statement => sql`
  collection = ${literal(collection)} and gone_at is null
  ${indexedConditions(where, indexes)}
  ${Object.keys(where).length > 0 ? sql`and body @> ${JSON.stringify(where)}::jsonb` : sql``}`;

/** By id. */
export async function findDocuments(
  db: Queryable,
  { after, limit, ...sought }: Sought & { readonly after: string; readonly limit: number },
): Promise<DocumentRow[]> {
  return await db.query<DocumentRow>(sql`
    select ${columns}
    from headway.document
    where ${soughtBy(sought)} and id > ${after}
    order by id
    limit ${limit}`);
}

export async function countFound(db: Queryable, sought: Sought): Promise<number> {
  const [row] = await db.query<{ documents: number }>(sql`
    select count(*) as documents from headway.document where ${soughtBy(sought)}`);
  return row?.documents ?? 0;
}

/** Documents by id, in no order; unknown ids are left out. */
export const readNamed = (
  db: Queryable,
  collection: number,
  ids: readonly string[],
): Promise<DocumentRow[]> =>
  db.query<DocumentRow>(sql`
    select ${columns} from headway.document
    where collection = ${collection} and id = any (${texts(ids)}) and gone_at is null`);

export async function countDocuments(db: Queryable): Promise<{ collection: number; documents: number }[]> {
  return await db.query(sql`
    select collection, count(*) as documents from headway.document where gone_at is null group by collection`);
}

/** The numbers of documents by id; unknown ids are left out. */
export async function findSubjects(
  db: Queryable,
  collection: number,
  ids: readonly string[],
): Promise<{ subject: number; id: string }[]> {
  return await db.query(sql`
    select subject, id
    from headway.document
    where collection = ${collection} and id = any (${texts(ids)}) and gone_at is null`);
}

/** A page of a source's documents, oldest first. */
export async function findOfSource(db: Queryable, source: number, limit: number): Promise<number[]> {
  const rows = await db.query<{ subject: number }>(sql`
    select subject
    from headway.document
    where producer_stage = 0 and producer = ${source} and gone_at is null
    order by subject
    limit ${limit}`);
  return rows.map((row) => row.subject);
}

/** Documents without any record of a stage that reads the collection, page by page; the sweep owes the stage. */
export async function findUnowed(
  db: Queryable,
  { collection, stage, after, limit }: { collection: number; stage: number; after: number; limit: number },
): Promise<{ last: number | null; missing: { subject: number; rank: number }[] }> {
  const rows = await db.query<{ subject: number; rank: number; recorded: boolean }>(sql`
    select p.subject, p.rank, coalesce(
      -- Looked up one by one: of "exists" PostgreSQL would read a whole table, and that for each page.
      (select true from headway.task t where t.subject = p.subject and t.stage = ${stage}),
      -- A result of older content is none: it changed, and the task that said so was lost.
      (select true from headway.done r
        where r.subject = p.subject and r.stage = ${stage} and r.input_hash = p.hash),
      (select true from headway.dead_letter x where x.subject = p.subject and x.stage = ${stage}),
      false) as recorded
    from (
      select d.subject, d.rank, d.hash
      from headway.document d
      where d.subject > ${after} and d.collection = ${collection} and d.gone_at is null
      order by d.subject
      limit ${limit}
    ) p
    order by p.subject`);
  return {
    last: rows.at(-1)?.subject ?? null,
    missing: rows.filter((row) => !row.recorded).map(({ subject, rank }) => ({ subject, rank })),
  };
}

/** Documents of a collection without a group at a fan-in stage, page by page. */
export async function findUngrouped(
  db: Queryable,
  { collection, stage, after, limit }: { collection: number; stage: number; after: number; limit: number },
): Promise<{ last: number | null; missing: (DocumentRow & { rank: number })[] }> {
  const rows = await db.query<DocumentRow & { rank: number; recorded: boolean }>(sql`
    select p.*, exists (select 1 from headway.member m where m.document = p.subject and m.stage = ${stage}) as recorded
    from (
      select ${columns}, rank
      from headway.document
      where subject > ${after} and collection = ${collection} and gone_at is null
      order by subject
      limit ${limit}
    ) p
    order by p.subject`);
  return { last: rows.at(-1)?.subject ?? null, missing: rows.filter((row) => !row.recorded) };
}

/** Names of subjects, for people: the document or group behind a number. */
export async function nameSubjects(
  db: Queryable,
  subjects: readonly number[],
): Promise<Map<number, { collection: number | null; id: string }>> {
  const rows = await db.query<{ subject: number; collection: number | null; id: string }>(sql`
    select subject, collection, id from headway.document where subject = any (${int8s(subjects)})
    union all
    select subject, null, key from headway.grouping where subject = any (${int8s(subjects)})`);
  return new Map(rows.map((row) => [row.subject, row]));
}
