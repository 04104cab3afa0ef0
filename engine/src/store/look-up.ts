import type { Queryable } from "./database.ts";
import { int2s, type Statement, sql } from "./sql.ts";

/** A document or a group by what people call it. */
export interface NamedRow {
  readonly subject: number;
  /** Null for a group. */
  readonly collection: number | null;
  /** Null for a document. */
  readonly stage: number | null;
  readonly id: string;
}

/** Where to look; in all collections and among the groups of all stages, unless some are meant. */
export interface Places {
  readonly collections: readonly number[];
  readonly stages: readonly number[];
}

/** Everything of that name: the numbers of collections and stages are given, so that each is one look into an index. */
export const findNamed = (db: Queryable, id: string, { collections, stages }: Places) =>
  db.query<NamedRow>(sql`
    select subject, collection, null::int2 as stage, id
    from headway.document
    where collection = any (${int2s(collections)}) and id = ${id}
    union all
    select subject, null, stage, key from headway.grouping where stage = any (${int2s(stages)}) and key = ${id}
    order by collection nulls last, stage`);

/**
 * Names that have most parts in common with the one that was not found: a slip of the finger damages one of them. Reads all
 * names, and only when somebody has mistyped one.
 */
export function findSimilar(db: Queryable, name: string, { collections, stages }: Places, limit: number) {
  const parts = partsOf(name.toLowerCase());
  const alike = parts.reduce<Statement>(
    (sum, part) => sql`${sum} + (position(${part} in lower(s.id)) > 0)::int4`,
    sql`0`,
  );
  return db.query<NamedRow>(sql`
    select f.subject, f.collection, f.stage, f.id
    from (
      select s.subject, s.collection, s.stage, s.id, ${alike} as alike
      from (
        select subject, collection, null::int2 as stage, id
        from headway.document
        where collection = any (${int2s(collections)}) and gone_at is null
        union all
        select subject, null, stage, key from headway.grouping where stage = any (${int2s(stages)})
      ) s
    ) f
    where f.alike * 2 >= ${parts.length}
    order by f.alike desc, abs(length(f.id) - ${name.length}), f.id
    limit ${limit}`);
}

/** A name in about four parts, none so short that it is in everything. */
export function partsOf(name: string): string[] {
  const size = Math.max(2, Math.ceil(name.length / 4));
  const parts = Array.from({ length: Math.ceil(name.length / size) }, (_, at) =>
    name.slice(at * size, (at + 1) * size),
  );
  return parts.length > 1 ? parts.filter((part) => part.length > 1) : parts;
}
