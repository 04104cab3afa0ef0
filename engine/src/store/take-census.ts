import { type Census, lastSubject } from "./census.ts";
import type { Database } from "./database.ts";
import { countSlice, type SliceCounts, type SliceOfCollection } from "./ledger.ts";

/** Between two slices, work has the database four fifths of the time. */
const sliceRest = 4;
const sliceStart = 5_000;
const sliceLeast = 2_000;
const sliceMost = 200_000;
/** An embedded database answers nobody else meanwhile. */
const sliceMs = { pglite: 40, postgres: 200 };

/**
 * Counts everything in slices of a few ten milliseconds. Null: given up, because `pause` between two slices resolved to
 * false.
 */
export async function takeCensus(
  db: Pick<Database, "kind" | "query">,
  clock: { now(): Date },
  pause: (ms: number) => Promise<boolean> = () => Promise.resolve(true),
): Promise<Census | null> {
  const beganAt = clock.now();
  const last = await lastSubject(db);
  const stages = new Map<number, SliceCounts>();
  const collections = new Map<number, SliceOfCollection>();
  let [after, width, busyMs] = [0, sliceStart, 0];
  for (;;) {
    const isLast = after + width >= last;
    const began = clock.now().getTime();
    // Numbers are given out all the time: the last slice has no end.
    const slice = await countSlice(
      db,
      { after, until: isLast ? Number.MAX_SAFE_INTEGER : after + width },
      clock.now(),
    );
    const tookMs = clock.now().getTime() - began;
    busyMs += tookMs;
    for (const one of slice.stages)
      stages.set(one.stage, sum(stages.get(one.stage), one, one.stage, "stage"));
    for (const one of slice.collections)
      collections.set(
        one.collection,
        sum(collections.get(one.collection), one, one.collection, "collection"),
      );
    if (isLast)
      return {
        stages: [...stages.values()],
        collections: [...collections.values()],
        beganAt,
        at: clock.now(),
        busyMs,
      };
    after += width;
    width = nextWidth(width, tookMs, sliceMs[db.kind]);
    if (!(await pause(sliceRest * tookMs))) return null;
  }
}

function nextWidth(width: number, tookMs: number, atMostMs: number): number {
  if (tookMs > atMostMs) return Math.max(sliceLeast, Math.floor(width / 2));
  return tookMs < atMostMs / 3 ? Math.min(sliceMost, width * 2) : width;
}

/** Adds all figures of two records of the same shape, except for their key. */
function sum<One extends object>(before: One | undefined, more: One, key: number, keyName: keyof One): One {
  if (!before) return more;
  const entries = Object.entries(more).map(([name, value]) => [
    name,
    typeof value === "number" ? value + (before[name as keyof One] as number) : value,
  ]);
  return { ...(Object.fromEntries(entries) as One), [keyName]: key };
}
