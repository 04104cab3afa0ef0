import { afterAll, afterEach, beforeAll } from "vitest";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import type { CollectionsOf, Pipeline } from "../../engine/src/define/pipeline.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { openTestEngine, type TestEngine, type TestEngineOptions } from "../../engine/src/testing.ts";

export interface VirtualEngines {
  readonly database: Database;
  /** An engine whose time stands still, on the database that all tests of a file share. */
  open<const Pipelines extends readonly Pipeline[]>(
    options: TestEngineOptions<Pipelines>,
  ): Promise<TestEngine<CollectionsOf<Pipelines>>>;
}

/** One embedded database for a test file, emptied after each test: opening one takes a second. */
export function useVirtualEngines(): VirtualEngines {
  let database: Database | undefined;
  const opened: TestEngine[] = [];
  beforeAll(async () => {
    database = await openPglite({ folder: null, inline: true });
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close();
    await emptyTables(database as Database);
  });
  afterAll(() => database?.close());
  return {
    get database() {
      return database as Database;
    },
    async open(options) {
      const engine = await openTestEngine({ database: database as Database, ...options });
      opened.push(engine);
      return engine;
    },
  };
}

/** Forgets everything but which migrations were applied. */
async function emptyTables(db: Database): Promise<void> {
  const tables = await db.query<{ name: string }>(sql`
    select tablename as name from pg_tables where schemaname = ${db.schema} and tablename not like '%migration%'`);
  if (tables.length === 0) return;
  await db.script(`truncate ${tables.map(({ name }) => `headway."${name}"`).join(", ")}`);
}
