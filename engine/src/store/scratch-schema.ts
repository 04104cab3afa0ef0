import type { Database } from "./database.ts";
import { readSchemaOf } from "./read-views.ts";
import { quoted } from "./sql.ts";

/** Prefix of disposable schemas. */
export const scratchPrefix = "headway_scratch_";

/** Drops a scratch schema with all content; any other schema is refused. */
export async function dropScratchSchema(db: Database, schema: string): Promise<void> {
  if (!schema.startsWith(scratchPrefix))
    throw new Error(`The schema "${schema}" was not made to be thrown away.`);
  const both = [schema, readSchemaOf({ schema })].map(quoted).join(", ");
  await db.script(`drop schema if exists ${both} cascade`);
}
