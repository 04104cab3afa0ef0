import type { Queryable } from "./database.ts";
import { int2s, sql } from "./sql.ts";

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
 * Names that have a part in common with the one that was not found: it stands in them, or they begin or end like it. Reads
 * all names, and only when somebody has mistyped one.
 */
export function findSimilar(db: Queryable, id: string, { collections, stages }: Places, limit: number) {
  const half = Math.max(2, Math.floor(id.length / 2));
  const alike = (column: "id" | "key") => {
    const name = column === "id" ? sql`id` : sql`key`;
    return sql`(position(lower(${id}) in lower(${name})) > 0 or left(${name}, ${half}::int4) = left(${id}, ${half}::int4)
      or right(${name}, ${half}::int4) = right(${id}, ${half}::int4))`;
  };
  return db.query<NamedRow>(sql`
    select s.subject, s.collection, s.stage, s.id
    from (
      select subject, collection, null::int2 as stage, id
      from headway.document
      where collection = any (${int2s(collections)}) and gone_at is null and ${alike("id")}
      union all
      select subject, null, stage, key
      from headway.grouping
      where stage = any (${int2s(stages)}) and ${alike("key")}
    ) s
    -- The whole of what was typed first, then what is about as long.
    order by position(lower(${id}) in lower(s.id)) = 0, abs(length(s.id) - length(${id})), s.id
    limit ${limit}`);
}
