import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openPglite } from "../engine/src/databases/pglite.ts";
import { openPostgres } from "../engine/src/databases/postgres.ts";
import type { Database } from "../engine/src/store/database.ts";
import { migrate } from "../engine/src/store/migrate.ts";
import { dumpSchema } from "./dump-schema.ts";
import { renderHotStatements } from "./hot-statements.ts";

const databases: [name: string, open: () => Promise<Database>][] = [
  ["the embedded PostgreSQL", () => openPglite({ folder: null, inline: true })],
  [
    "a served PostgreSQL",
    () =>
      openPostgres({
        url: process.env.HEADWAY_TEST_POSTGRES as string,
        schema: `schema_test_${process.pid}`,
      }),
  ],
];

const migrations = new URL("../engine/migrations/", import.meta.url);
const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8").catch(() => "");

for (const [name, open] of databases) {
  it(`the migrations make engine/schema.sql on ${name}`, { timeout: 60_000 }, async () => {
    await using(open, async (database) => {
      await migrate(database, migrations);
      expect(await dumpSchema(database), "run npm run schema").toBe(await read("../engine/schema.sql"));
    });
  });

  it(`the hot path sends the statements of engine/statements.sql to ${name}`, {
    timeout: 60_000,
  }, async () => {
    await using(open, async (database) => {
      await migrate(database, migrations);
      const sent = await renderHotStatements(database);
      expect(sent, "run npm run schema").toBe(await read("../engine/statements.sql"));
    });
  });

  it(`a database from before the squash becomes the same on ${name}`, { timeout: 60_000 }, async () => {
    await using(open, async (database) => {
      const { last } = JSON.parse(await read("../engine/migrations/squashed.json"));
      await database.script(`create schema "${database.schema}"`);
      await database.script(`
        set local check_function_bodies = off;
        ${await read("../test/fixtures/schema-0019.sql")}
        insert into headway.migration (number, name, sha256)
        values (1, '0001_engine', ''), (${last.number}, '${last.name}', '${last.sha256}');
      `);
      await migrate(database, migrations);
      expect(await dumpSchema(database)).toBe(await read("../engine/schema.sql"));
    });
  });
}

async function using(open: () => Promise<Database>, work: (database: Database) => Promise<void>) {
  const database = await open();
  try {
    await work(database);
  } finally {
    await database.script(`drop schema if exists "${database.schema}" cascade`);
    await database.close();
  }
}
