import { boundsOf, type Segment } from "./rows.ts";

type Placed = Pick<Segment, "x0" | "y0" | "x1" | "y1">;

/**
 * Moves runs that were written late into the gap where they stand. Programs write tables, figures and heads of a page
 * after its text; such a run begins above the line before, and has lines of its own columns above and below, which follow
 * each other.
 */
export function settleLateRuns<S extends Placed>(stream: readonly S[], body: number): readonly S[] {
  const [first = [], ...later] = splitRuns(stream, body);
  const placed = [...first];
  for (const run of later) placed.splice(gapFor(run, placed), 0, ...run);
  return placed;
}

/** A new run begins with a step upwards. */
function splitRuns<S extends Placed>(stream: readonly S[], body: number): S[][] {
  const runs: S[][] = [];
  for (const next of stream) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && next.y1 >= last.y0 - 0.3 * body) run.push(next);
    else runs.push([next]);
  }
  return runs;
}

/** The place before the first line below, if all lines above come before; otherwise the end, as written. */
function gapFor<S extends Placed>(run: readonly S[], placed: readonly S[]): number {
  const { x0, y0, x1, y1 } = boundsOf(run);
  let lastAbove = -1;
  let firstBelow = placed.length;
  for (const [index, one] of placed.entries()) {
    if (Math.min(one.x1, x1) - Math.max(one.x0, x0) <= 0) continue;
    const middle = (one.y0 + one.y1) / 2;
    if (middle < y0) lastAbove = index;
    else if (middle > y1) firstBelow = Math.min(firstBelow, index);
    else return placed.length;
  }
  return lastAbove < firstBelow ? firstBelow : placed.length;
}
