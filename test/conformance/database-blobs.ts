import { readFile } from "node:fs/promises";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { addPiece, beginBlob } from "../../intake/src/blob-pieces.ts";
import { makeDatabaseBlobs } from "../../intake/src/database-blobs.ts";
import { type BlobShelf, sha256 } from "./blobs.ts";

const migration = new URL("../../pipelines/consensus/migrations/0001_schema.sql", import.meta.url);

/** Blobs in a database of any kind, with none of the engine's tables beside them. */
export async function openDatabaseShelf(database: Database): Promise<BlobShelf> {
  await database.script(`create schema if not exists "${database.schema}"`);
  await database.script(await readFile(migration, "utf8"));
  return {
    open: async (now = Date.now()) => makeDatabaseBlobs(Promise.resolve(database), { now: () => now }),
    async count() {
      const rows = await database.query(sql`
        select hash from headway.blob union select hash from headway.blob_piece`);
      return rows.length;
    },
    async spoil(hash, bytes) {
      await database.query(sql`update headway.blob_piece set bytes = ${bytes} where hash = ${hash}`);
    },
    async leaveHalf(whole, at) {
      const hash = sha256(whole);
      await beginBlob(database, { hash, size: whole.length, at });
      await addPiece(database, { hash, number: 0, bytes: whole.subarray(0, 1 << 20), at });
    },
    empty: () => database.script("truncate headway.blob, headway.blob_piece"),
    async close() {
      await database.script(`drop schema "${database.schema}" cascade`);
      await database.close();
    },
  };
}
