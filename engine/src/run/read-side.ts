import type { Database } from "../store/database.ts";
import { changeIndexes, compareIndexes, indexLockKey } from "../store/field-indexes.ts";
import { buildPage, findUnbuilt, publishProjections } from "../store/projections.ts";
import { publishViews } from "../store/read-views.ts";
import { type Clock, sleep } from "./clock.ts";

/** Makes what readers use as declared: views, projections and indexes, also for documents that exist. */
export async function keepReadSide(
  db: Database,
  collections: readonly string[],
  clock: Clock,
): Promise<void> {
  await publishViews(db, collections);
  await publishProjections(db);
  for (const name of await findUnbuilt(db)) while (await retried(() => buildPage(db, name))) {}
  await keepIndexes(db, clock);
}

const triesMax = 5;

/** A page and a commit may lock documents in another order: the server ends one of them. */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if ((error as { code?: unknown }).code !== "40P01" || tries >= triesMax) throw error;
    }
  }
}

const lookAgainMs = 200;

/** Two processes never change indexes at once: each would wait for the other. */
async function keepIndexes(db: Database, clock: Clock): Promise<void> {
  for (;;) {
    const { make, drop } = await compareIndexes(db);
    if (make.length + drop.length === 0) return;
    const session = await db.session();
    try {
      if (await session.lock(indexLockKey(db))) {
        await retried(async () => changeIndexes(db, await compareIndexes(db)));
        continue;
      }
    } finally {
      await session.close();
    }
    await sleep(clock, lookAgainMs);
  }
}
