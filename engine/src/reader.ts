import { DefinitionError } from "./define/definition-error.ts";
import type { Pipeline } from "./define/pipeline.ts";
import { migrationsFolder, openDatabase } from "./engine.ts";
import type { DatabaseOption } from "./engine-options.ts";
import { makeReaders, type Readers } from "./run/readers.ts";
import { lend } from "./store/borrowed-database.ts";
import type { Database, Queryable } from "./store/database.ts";
import { type Standing, standingOf } from "./store/migrate.ts";
import { listCollections } from "./store/registry.ts";

/** How far the engine's own tables and those of pipelines have been migrated. */
export async function migrationsStanding(
  db: Database,
  pipelines: readonly Pick<Pipeline, "name" | "migrations">[],
): Promise<Standing[]> {
  const all = [{ of: "engine", folder: migrationsFolder as URL | string }].concat(
    pipelines.flatMap(({ name: of, migrations: folder }) => (folder ? [{ of, folder }] : [])),
  );
  return await Promise.all(all.map((one) => standingOf(db, one)));
}

/** The documents and tables of a database for a process that only looks. */
export interface Reader extends Readers {
  /** For statements of your own. */
  readonly database: Database;
  /** Closes the database. */
  stop(): Promise<void>;
}

/**
 * Opens a database to look into it. Nothing is migrated, registered or otherwise written, and no stage runs here.
 *
 * @example
 * import { collection, openReader } from "@headway/engine";
 * import { z } from "zod";
 *
 * const sizes = collection("sizes", z.object({ words: z.number() }));
 * const reader = await openReader({ database: { folder: ".headway" }, pipelines: [] });
 * for await (const { id, words } of reader.documents(sizes)) console.log(id, words);
 * await reader.stop();
 */
export async function openReader({
  database,
  pipelines,
}: {
  readonly database: DatabaseOption;
  readonly pipelines: readonly Pick<Pipeline, "name" | "migrations">[];
}): Promise<Reader> {
  const db = await openDatabase(database, { poolMax: 2 });
  try {
    for (const standing of await migrationsStanding(db, pipelines)) refuseToLook(db, standing);
    const numbers = new Map((await listCollections(db)).map(({ id, name }) => [name, id]));
    const readers = makeReaders(db, (name) => numbers.get(name) ?? null);
    return { ...readers, database: lend(db), stop: () => db.close() };
  } catch (error) {
    await db.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Documents of a database that is open, e.g. the one lent to services or commands.
 *
 * @example
 * import { collection, type Database, readersOf } from "@headway/engine";
 * import { z } from "zod";
 *
 * const bills = collection("bills", z.object({ paid: z.boolean() }), { indexes: { byPaid: ["paid"] } });
 * export const countUnpaid = (database: Database) => readersOf(database).count(bills, { where: { paid: false } });
 */
export function readersOf(database: Queryable): Readers {
  const numbers = new Map<string, number>();
  return makeReaders(database, async (name) => {
    if (!numbers.has(name))
      for (const known of await listCollections(database)) numbers.set(known.name, known.id);
    return numbers.get(name) ?? null;
  });
}

function refuseToLook({ place }: Database, { of, applied, known, problem }: Standing): void {
  if (problem) throw new DefinitionError(problem);
  if (applied === known) return;
  const whose = of === "engine" ? "Headway" : `the pipeline "${of}"`;
  throw new DefinitionError(
    applied === 0
      ? `There is nothing of ${whose} in ${place} yet: start a worker there first.`
      : `The tables of ${whose} in ${place} are of an older version, and looking does not change them: start a worker there first.`,
  );
}
