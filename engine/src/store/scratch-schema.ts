import type { Database } from "./database.ts";
import { quoted } from "./sql.ts";

/** The names of schemas that are made to be thrown away. */
export const scratchPrefix = "headway_scratch_";

/** Throws a scratch schema away with everything in it; any other is refused, whatever the caller believes. */
export async function dropScratchSchema(db: Database, schema: string): Promise<void> {
  if (!schema.startsWith(scratchPrefix))
    throw new Error(`The schema "${schema}" was not made to be thrown away.`);
  await db.script(`drop schema if exists ${quoted(schema)} cascade`);
}
