import { insertReading, keepCensus, newestReading, readCensus, thinReadings } from "../store/census.ts";
import type { Database } from "../store/database.ts";
import { forgetFormer } from "../store/former-content.ts";
import { countOpenByStage } from "../store/ledger.ts";
import { takeCensus } from "../store/take-census.ts";
import { type Clock, sleep } from "./clock.ts";

export interface CensusParts {
  readonly db: Database;
  readonly clock: Clock;
  /** Shortest time between two readings. */
  readonly censusMs: number;
  /** Ends a count under way. */
  readonly stopping?: AbortSignal;
  /** False: another worker counts now. */
  readonly stillOurs?: () => Promise<boolean>;
}

/** A census may take a hundredth of the time. */
const restFactor = 100;

/**
 * Counts the open tasks for a reading, and everything before it if the last count is old enough. Returns false if the
 * newest reading is too young, or another worker took over.
 */
export async function takeReading(parts: CensusParts): Promise<boolean> {
  const { db, clock, censusMs } = parts;
  const before = await newestReading(db);
  // A little early counts: readings are compared with the time between two wake-ups.
  if (before && clock.now().getTime() - before.getTime() < 0.9 * censusMs) return false;
  if (await isCensusDue(parts)) {
    const census = await takeCensus(db, clock, (ms) => rest(parts, ms));
    if (!census) return false;
    await db.transaction((tx) => keepCensus(tx, census));
  }
  const now = clock.now();
  const open = (await countOpenByStage(db, now, Number.MAX_SAFE_INTEGER - 1)) ?? [];
  await insertReading(db, open, now);
  await thinReadings(db, now);
  await forgetFormer(db, now);
  return true;
}

/** A stage without a count is counted at the next reading. */
async function isCensusDue({ db, clock, censusMs }: CensusParts): Promise<boolean> {
  const rows = await readCensus(db);
  const now = clock.now().getTime();
  return rows.some(
    ({ at, busy_ms: busyMs }) =>
      at === null || now - at.getTime() >= Math.max(0.9 * censusMs, restFactor * (busyMs ?? 0)),
  );
}

async function rest({ clock, stopping, stillOurs }: CensusParts, ms: number): Promise<boolean> {
  if (ms > 0) await sleep(clock, ms, stopping);
  return !stopping?.aborted && (!stillOurs || (await stillOurs()));
}
