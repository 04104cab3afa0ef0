import { createHash } from "node:crypto";
import type { Indexes } from "../define/collection.ts";
import type { Database } from "./database.ts";
import { readOwners } from "./owners.ts";
import { listCollections } from "./registry.ts";
import { quoted, quotedText, type Statement, sql, statementOf } from "./sql.ts";

/*
  An index on fields of a collection is a partial index on `document`. Fields are indexed by hash: a value of any length and kind
  fits, and the id behind it keeps pages in order.
*/
const hashOf = (field: string): string => `jsonb_hash_extended(body -> ${quotedText(field)}, 0)`;

/** The name of an index among the owners: what it is. */
export const indexName = (collection: string, fields: readonly string[]): string =>
  JSON.stringify([collection, ...fields]);

/** Conditions for these values, as far as an index of the collection begins with their fields. */
export function indexedConditions(where: Readonly<Record<string, unknown>>, indexes: Indexes): Statement {
  const helped = new Set(
    Object.values(indexes).flatMap((fields) => {
      const first = fields.findIndex((field) => !(field in where));
      return first < 0 ? fields : fields.slice(0, first);
    }),
  );
  return [...helped].reduce<Statement>(
    (all, field) =>
      sql`${all} and ${statementOf(hashOf(field))} = jsonb_hash_extended(${JSON.stringify(where[field])}::jsonb, 0)`,
    sql``,
  );
}

export interface IndexChange {
  readonly make: readonly { readonly name: string; readonly on: string }[];
  readonly drop: readonly string[];
}

/** The difference between declared indexes, of all pipelines of the database, and existing ones. */
export async function compareIndexes(db: Database): Promise<IndexChange> {
  const numbers = new Map((await listCollections(db)).map(({ id, name }) => [name, id]));
  const declared = new Map(
    (await readOwners(db))
      .filter((one) => one.kind === "index")
      .map(({ name }) => indexOf(JSON.parse(name) as [string, ...string[]], numbers)),
  );
  const existing = await db.query<{ name: string; valid: boolean }>(sql`
    select c.relname as name, i.indisvalid as valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'headway.document'::regclass and starts_with(c.relname, ${prefix})`);
  // An index that was not built to its end slows writers down and helps nobody.
  const drop = existing.filter(({ name, valid }) => !valid || !declared.has(name)).map(({ name }) => name);
  const kept = new Set(existing.map(({ name }) => name).filter((name) => !drop.includes(name)));
  return {
    make: [...declared].filter(([name]) => !kept.has(name)).map(([name, on]) => ({ name, on })),
    drop,
  };
}

const prefix = "field_";

function indexOf(
  [collection, ...fields]: readonly [string, ...string[]],
  numbers: ReadonlyMap<string, number>,
): [name: string, on: string] {
  const number = numbers.get(collection);
  const readable = fields
    .join("_")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, "")
    .slice(0, 30);
  const unique = createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 6);
  const columns = fields.map((field) => `(${hashOf(field)})`).join(", ");
  return [
    `${prefix}${number}_${readable}_${unique}`,
    `headway.document (${columns}, id) where collection = ${number} and gone_at is null`,
  ];
}

/** Advisory lock key of a change of indexes. */
export const indexLockKey = ({ schema }: Pick<Database, "schema">): bigint =>
  createHash("sha256").update(`headway indexes ${schema}`).digest().readBigInt64BE();

/**
 * Makes and drops indexes. On a server writers go on meanwhile; an interrupted change leaves an invalid index, which the next
 * comparison drops.
 */
export async function changeIndexes(db: Database, { make, drop }: IndexChange): Promise<void> {
  const how = db.kind === "postgres" ? "concurrently" : "";
  for (const name of drop) await db.script(`drop index ${how} if exists headway.${quoted(name)}`);
  for (const { name, on } of make)
    await db.script(`create index ${how} if not exists ${quoted(name)} on ${on}`);
}
