import type { Queryable } from "./database.ts";
import { type Statement, sql, texts } from "./sql.ts";

/** State of a document as a whole: the worst of its stages. */
export const documentStates = ["dead", "leased", "waiting", "done"] as const;
export type DocumentState = (typeof documentStates)[number];

export interface ListingFilter {
  readonly collection: number;
  /** Only documents after this id. */
  readonly after: string;
  readonly limit: number;
  readonly ids?: readonly string[];
  /** The body must contain at least one of these; empty: all documents. */
  readonly where: readonly object[];
  readonly state?: DocumentState;
  /** Only the state at this stage counts; all stages if omitted. */
  readonly stage?: number;
  readonly body: boolean;
}

export interface ListedRow {
  readonly id: string;
  readonly state: DocumentState;
  readonly request: string;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly bytes: number;
  /** Null unless requested. */
  readonly body: object | null;
}

/** A page of a collection by id, with the state of each document. */
export function listDocuments(db: Queryable, filter: ListingFilter): Promise<ListedRow[]> {
  const { collection, after, limit, ids, where, state, body } = filter;
  const contains = where.map((one) => sql`d.body @> ${JSON.stringify(one)}::jsonb`);
  const either = contains.reduce<Statement>((all, one) => sql`${all} or ${one}`, sql`false`);
  return db.query<ListedRow>(sql`
    select d.id, ${standing(filter)} as state, d.request, d.created_at, d.changed_at,
      pg_column_size(d.body) as bytes, ${body ? sql`d.body` : sql`null::jsonb`} as body
    from headway.document d
    where d.collection = ${collection} and d.id > ${after} and d.gone_at is null
      ${ids === undefined ? sql`` : sql`and d.id = any (${texts(ids)})`}
      ${where.length === 0 ? sql`` : sql`and (${either})`}
      ${state === undefined ? sql`` : sql`and ${standing(filter)} = ${state}`}
    order by d.id
    limit ${limit}`);
}

function standing({ stage }: ListingFilter): Statement {
  const at = (column: Statement) => (stage === undefined ? sql`` : sql`and ${column} = ${stage}`);
  return sql`case
    when exists (select 1 from headway.dead_letter x where x.subject = d.subject ${at(sql`x.stage`)}) then 'dead'
    when exists (select 1 from headway.task t join headway.claim c on c.stage = t.stage and t.subject = any (c.subjects)
      where t.subject = d.subject ${at(sql`t.stage`)}) then 'leased'
    when exists (select 1 from headway.task t where t.subject = d.subject ${at(sql`t.stage`)}) then 'waiting'
    else 'done' end`;
}

export interface CollectionCount {
  readonly name: string;
  readonly documents: number;
  readonly deleted: number;
}

/** Number of current and of deleted documents per collection. */
export const countCollections = (db: Queryable) =>
  db.query<CollectionCount>(sql`
    select c.name, count(d.subject) filter (where d.gone_at is null) as documents,
      count(d.subject) filter (where d.gone_at is not null) + coalesce(max(e.documents), 0) as deleted
    from headway.collection c
    left join headway.document d on d.collection = c.id
    left join headway.deleted e on e.collection = c.id
    group by c.id, c.name
    order by c.id`);
