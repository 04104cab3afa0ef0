import type { Call, FaultKind, Planned } from "./faulty-database.ts";

/**
 * Every call, before it happens; and every call that changes something, after it happened and before anybody heard.
 * "After a call that was answered" is "before the next call", so nothing is left out.
 */
export function pointsOf(calls: readonly Call[]): Planned[] {
  return calls.flatMap(({ number, effect }) => {
    const kinds: FaultKind[] = ["crash before", "cut before"];
    if (effect) kinds.push("crash after", "cut after");
    return kinds.map((kind) => ({ at: number, kind }));
  });
}

export interface PointChoice {
  /** Only while one of these is at work; null: wherever it may be. */
  readonly stages: readonly string[] | null;
  /** At most so many, shared out among the stages; null: all of them. */
  readonly pointsMax: number | null;
}

/** Where a process is to be killed: the same places every time. */
export function chooseCrashes(calls: readonly Call[], { stages, pointsMax }: PointChoice): Planned[] {
  const byStage = new Map<string | null, Planned[]>();
  for (const call of calls) {
    if (stages && !(call.stage && stages.includes(call.stage))) continue;
    const points = byStage.get(call.stage) ?? [];
    points.push(...pointsOf([call]).filter(({ kind }) => kind.startsWith("crash")));
    byStage.set(call.stage, points);
  }
  // Those with few points take what they have, and leave the rest of their share to the others.
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

/** So many of them, as far apart as can be, the last one among them: it is the commit. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from(
    { length: most },
    (_, index) => all[Math.ceil(((index + 1) * all.length) / most) - 1] as T,
  );
}
