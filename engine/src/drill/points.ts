import type { Call, FaultKind, Planned } from "./faulty-database.ts";

/**
 * Fault points: before every call; and after every call with an effect, before its answer.
 * "After an answered call" equals "before the next call", so no point is missing.
 */
export function pointsOf(calls: readonly Call[]): Planned[] {
  return calls.flatMap(({ number, effect }) => {
    const kinds: FaultKind[] = ["crash before", "cut before"];
    if (effect) kinds.push("crash after", "cut after");
    return kinds.map((kind) => ({ at: number, kind }));
  });
}

export interface PointChoice {
  /** Only while a stage of this list runs; null: anywhere. */
  readonly stages: readonly string[] | null;
  /** Limit, shared among the stages; null: all points. */
  readonly pointsMax: number | null;
}

/** Chooses crash points, deterministically. */
export function chooseCrashes(calls: readonly Call[], { stages, pointsMax }: PointChoice): Planned[] {
  const byStage = new Map<string | null, Planned[]>();
  for (const call of calls) {
    if (stages && !(call.stage && stages.includes(call.stage))) continue;
    const points = byStage.get(call.stage) ?? [];
    points.push(...pointsOf([call]).filter(({ kind }) => kind.startsWith("crash")));
    byStage.set(call.stage, points);
  }
  // Stages with few points use all of them and leave the rest of their share to the following stages.
  const few = [...byStage.values()].sort((a, b) => a.length - b.length);
  let left = pointsMax ?? Number.POSITIVE_INFINITY;
  return few
    .flatMap((points, index) => {
      const drawn = spread(points, Math.ceil(left / (few.length - index)));
      left -= drawn.length;
      return drawn;
    })
    .slice(0, pointsMax ?? undefined)
    .sort((a, b) => a.at - b.at);
}

/** Picks `most` items, evenly spaced, including the last: the commit. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from(
    { length: most },
    (_, index) => all[Math.ceil(((index + 1) * all.length) / most) - 1] as T,
  );
}
