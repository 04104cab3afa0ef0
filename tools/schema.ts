import { readFile, writeFile } from "node:fs/promises";
import { openPglite } from "../engine/src/databases/pglite.ts";
import { migrate } from "../engine/src/store/migrate.ts";
import { dumpSchema } from "./dump-schema.ts";
import { renderHotStatements } from "./hot-statements.ts";

// Writes engine/schema.sql, the schema after all migrations on one page, and engine/statements.sql, the statements of
// the hot path; with --check only compares.
const target = (name: string) => new URL(`../engine/${name}`, import.meta.url);

const database = await openPglite({ folder: null, inline: true });
try {
  await migrate(database, target("migrations/"));
  for (const [name, text] of [
    ["schema.sql", await dumpSchema(database)],
    ["statements.sql", await renderHotStatements(database)],
  ] as const) {
    if (!process.argv.includes("--check")) {
      await writeFile(target(name), text);
    } else if (text !== (await readFile(target(name), "utf8").catch(() => ""))) {
      console.error(`engine/${name} is not what the code makes: run npm run schema.`);
      process.exitCode = 1;
    }
  }
} finally {
  await database.close();
}
