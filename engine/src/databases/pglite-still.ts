import type { Database } from "../store/database.ts";
import { sql } from "../store/sql.ts";

const beatMs = 5_000;

/**
 * Runs `work` while an embedded database has no writers and is wholly on disk, so its files can be copied by this
 * process or by a remote client. The database has one session, so a transaction is enough.
 */
export async function holdStill<T>(db: Database, work: () => Promise<T>): Promise<T> {
  if (db.kind !== "pglite") throw new Error("Only an embedded database can be held still.");
  return await db.transaction(async (tx) => {
    await tx.query(sql`checkpoint`);
    // A client silent for too long within a transaction counts as gone.
    const beat = setInterval(() => void tx.query(sql`select 1`).catch(() => undefined), beatMs);
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  });
}
