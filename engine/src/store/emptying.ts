import type { Database } from "./database.ts";
import { noProjections } from "./projections.ts";
import { readSchemaOf } from "./read-views.ts";
import { quotedText, sql } from "./sql.ts";

/**
 * A script that empties the database, tables of pipelines too, and restarts all sequences: faster than a new
 * database.
 */
export async function composeEmptying(db: Database): Promise<string> {
  const found = await db.query<{ name: string; kind: string }>(sql`
    select c.relname as name, c.relkind::text as kind
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and c.relkind in ('r', 'S') and c.relname not like 'migration%'`);
  const last = ["variant", "deleted", "stage", "collection"];
  const order = (name: string) => last.indexOf(name);
  const tables = found.filter(({ kind }) => kind === "r").sort((a, b) => order(a.name) - order(b.name));
  return [
    dropReadSide(db),
    ...noProjections.map((text) => `${text};`),
    ...tables.map(({ name }) => `delete from headway."${name}";`),
    ...found
      .filter(({ kind }) => kind === "S")
      .map(({ name }) => `select setval('headway."${name}"', 1, false);`),
  ].join("\n");
}

/** Projections and indexes on fields are for numbers of collections, which are given anew. Views go by name and stay. */
const dropReadSide = (db: Database): string => `
  do $$
  declare
    one record;
  begin
    for one in select schemaname, tablename from pg_tables where schemaname = ${quotedText(readSchemaOf(db))} loop
      execute format('drop table %I.%I', one.schemaname, one.tablename);
    end loop;
    for one in select schemaname, indexname from pg_indexes
      where schemaname = ${quotedText(db.schema)} and tablename = 'document' and starts_with(indexname, 'field_') loop
      execute format('drop index %I.%I', one.schemaname, one.indexname);
    end loop;
  end $$;`;
