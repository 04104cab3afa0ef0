import { readFile, writeFile } from "node:fs/promises";
import { migrate } from "../engine/src/store/migrate.ts";
import { openPglite } from "../engine/src/store/pglite.ts";
import { dumpSchema } from "./dump-schema.ts";

// Writes engine/schema.sql, the schema after all migrations on one page; with --check only compares.
const target = new URL("../engine/schema.sql", import.meta.url);

const database = await openPglite({ folder: null, inline: true });
try {
  await migrate(database, new URL("../engine/migrations/", import.meta.url));
  const text = await dumpSchema(database);
  if (!process.argv.includes("--check")) {
    await writeFile(target, text);
  } else if (text !== (await readFile(target, "utf8").catch(() => ""))) {
    console.error("engine/schema.sql is not what the migrations make: run npm run schema.");
    process.exitCode = 1;
  }
} finally {
  await database.close();
}
