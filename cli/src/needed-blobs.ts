import { readKnown } from "@headway/consensus";
import { type Database, sql } from "@headway/engine";
import { readManuals } from "@headway/manuals";

/** A document whose bytes are in the blob store. */
export interface BlobOwner {
  readonly blob: string;
  readonly id: string;
  /** The command that reads the bytes again. */
  readonly command: "headway ingest" | "headway manuals ingest";
}

/**
 * Every archive and manual of the database with the name of its bytes, also of shipped pipelines that the application
 * does not run: their bytes are in the same store.
 */
export async function readBlobOwners(database: Database): Promise<readonly BlobOwner[]> {
  // A pipeline that was never started here has no views.
  const [views] = await database.query<{ archives: boolean; manuals: boolean }>(sql`
    select to_regclass('headway_read.archives') is not null as archives,
      to_regclass('headway_read.manuals') is not null as manuals`);
  const archives = views?.archives ? [...(await readKnown(database)).byId] : [];
  const manuals = views?.manuals ? await readManuals(database) : [];
  return [
    ...archives.map(([id, { blob }]) => ({ blob, id, command: "headway ingest" as const })),
    ...manuals.map(({ blob, id }) => ({ blob, id, command: "headway manuals ingest" as const })),
  ].filter(({ blob }) => typeof blob === "string");
}
