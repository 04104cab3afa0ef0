import type { Database } from "./database.ts";
import { sql } from "./sql.ts";

const beatMs = 5_000;

/**
 * Runs `work` while nobody writes to an embedded database and all of it is on the disk: then its files can be copied, by
 * this process or by another one that came through the door. It has one session, so a transaction is enough.
 */
export async function holdStill<T>(db: Database, work: () => Promise<T>): Promise<T> {
  if (db.kind !== "pglite") throw new Error("Only an embedded database can be held still.");
  return await db.transaction(async (tx) => {
    await tx.query(sql`checkpoint`);
    // Whoever is silent within a transaction for too long is taken for gone.
    const beat = setInterval(() => void tx.query(sql`select 1`).catch(() => undefined), beatMs);
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  });
}
