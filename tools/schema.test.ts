import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Database } from "../engine/src/store/database.ts";
import { migrate } from "../engine/src/store/migrate.ts";
import { openPglite } from "../engine/src/store/pglite.ts";
import { openPostgres } from "../engine/src/store/postgres.ts";
import { dumpSchema } from "./dump-schema.ts";

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

for (const [name, open] of databases) {
  it(`the migrations make engine/schema.sql on ${name}`, { timeout: 60_000 }, async () => {
    const database = await open();
    try {
      await migrate(database, new URL("../engine/migrations/", import.meta.url));
      const written = await readFile(new URL("../engine/schema.sql", import.meta.url), "utf8").catch(
        () => "",
      );
      expect(await dumpSchema(database), "run npm run schema").toBe(written);
    } finally {
      await database.script(`drop schema if exists "${database.schema}" cascade`);
      await database.close();
    }
  });
}
