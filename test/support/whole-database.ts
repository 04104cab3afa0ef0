import { createHash } from "node:crypto";
import type { Database } from "../../engine/src/store/database.ts";

const statement = (text: string) => ({ text, values: [] });

async function tablesOf(database: Database): Promise<string[]> {
  const rows = await database.query<{ tablename: string }>(
    statement(`select tablename from pg_tables where schemaname = '${database.schema}' order by tablename`),
  );
  return rows.map((row) => row.tablename);
}

/** A hash over every row of every table and over every sequence: equal hashes, equal databases. */
export async function hashDatabase(database: Database): Promise<string> {
  const hash = createHash("sha256");
  for (const table of await tablesOf(database)) {
    const [row] = await database.query<{ content: string }>(
      statement(
        `select coalesce(string_agg(t::text, chr(10) order by t::text), '') as content from "${database.schema}"."${table}" t`,
      ),
    );
    hash.update(`${table}\n${row?.content}\n`);
  }
  const sequences = await database.query(
    statement(
      `select sequencename, last_value from pg_sequences where schemaname = '${database.schema}' order by sequencename`,
    ),
  );
  return hash.update(JSON.stringify(sequences)).digest("hex");
}

/** Empties a database except for its schema, so the tests of a file can share the database. */
export async function emptyDatabase(database: Database): Promise<void> {
  const tables = (await tablesOf(database)).filter((table) => table !== "migration");
  const names = tables.map((table) => `"${database.schema}"."${table}"`);
  if (names.length > 0) await database.script(`truncate ${names.join(", ")} restart identity cascade`);
}
