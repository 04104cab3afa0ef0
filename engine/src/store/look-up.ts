import type { Queryable } from "./database.ts";
import { int2s, type Statement, sql } from "./sql.ts";

/** A document or a group by its human name. */
export interface NamedRow {
  readonly subject: number;
  /** Null for a group. */
  readonly collection: number | null;
  /** Null for a document. */
  readonly stage: number | null;
  readonly id: string;
}

/** Collections and stages to search; all of them unless restricted. */
export interface Places {
  readonly collections: readonly number[];
  readonly stages: readonly number[];
}

/** Everything with this name; the numbers of collections and stages are given, so each is one index lookup. */
export const findNamed = (db: Queryable, id: string, { collections, stages }: Places) =>
  db.query<NamedRow>(sql`
    select subject, collection, null::int2 as stage, id
    from headway.document
    where collection = any (${int2s(collections)}) and id = ${id}
    union all
    select subject, null, stage, key from headway.grouping where stage = any (${int2s(stages)}) and key = ${id}
    order by collection nulls last, stage`);

/** Names that begin like this, in order: one range of the index per collection and stage. */
export const findPrefixed = (db: Queryable, prefix: string, { collections, stages }: Places, limit: number) =>
  db.query<NamedRow>(sql`
    select f.subject, c.id as collection, null::int2 as stage, f.id
    from unnest(${int2s(collections)}) as c (id)
    cross join lateral (
      select d.subject, d.id from headway.document d
      where d.collection = c.id and d.id >= ${prefix} and d.id < ${`${prefix}\u{10FFFF}`} and d.gone_at is null
      order by d.id limit ${limit}
    ) f
    union all
    select f.subject, null, s.id, f.key
    from unnest(${int2s(stages)}) as s (id)
    cross join lateral (
      select g.subject, g.key from headway.grouping g
      where g.stage = s.id and g.key >= ${prefix} and g.key < ${`${prefix}\u{10FFFF}`}
      order by g.key limit ${limit}
    ) f`);

/**
 * Names with most parts in common with an unknown name: a typing mistake damages only one part. Reads all names, and
 * only after a mistyped name.
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

/** A name in about four parts, none so short as to match everything. */
export function partsOf(name: string): string[] {
  const size = Math.max(2, Math.ceil(name.length / 4));
  const parts = Array.from({ length: Math.ceil(name.length / size) }, (_, at) =>
    name.slice(at * size, (at + 1) * size),
  );
  return parts.length > 1 ? parts.filter((part) => part.length > 1) : parts;
}
