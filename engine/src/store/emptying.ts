import type { Database } from "./database.ts";
import { sql } from "./sql.ts";

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
    ...tables.map(({ name }) => `delete from headway."${name}";`),
    ...found
      .filter(({ kind }) => kind === "S")
      .map(({ name }) => `select setval('headway."${name}"', 1, false);`),
  ].join("\n");
}
