import { settleLateRuns } from "./late-runs.ts";
import { median, type Segment } from "./rows.ts";

type Placed = Pick<Segment, "x0" | "y0" | "x1" | "y1" | "first">;

/**
 * Reading order of the segments of a page. Programs mostly write in reading order, so the stream is trusted unless
 * incoherent; otherwise columns and strips are found by geometry.
 */
export function orderSegments<S extends Placed>(segments: readonly S[], body: number): readonly S[] {
  const stream = settleLateRuns(
    [...segments].sort((one, other) => one.first - other.first),
    body,
  );
  return isCoherent(stream, body) ? stream : orderByPlace(segments, body, 0);
}

/** How many steps upwards or back to the left a stream may take. */
const jumpShareMax = 0.12;

function isCoherent(stream: readonly Placed[], body: number): boolean {
  let jumps = 0;
  for (const [index, next] of stream.slice(1).entries()) {
    const last = stream[index] as Placed;
    const above = next.y1 < last.y0 - 0.3 * body;
    const overlaps = Math.min(last.x1, next.x1) - Math.max(last.x0, next.x0) > 0;
    const toTheLeft = next.x1 < last.x0;
    if ((above && (overlaps || toTheLeft)) || (toTheLeft && !above && next.y0 < last.y1 - 1)) jumps++;
  }
  return jumps <= Math.max(2, jumpShareMax * stream.length);
}

const depthMax = 12;
const stripsTogetherMax = 60;

function orderByPlace<S extends Placed>(segments: readonly S[], body: number, depth: number): readonly S[] {
  if (segments.length < 2 || depth > depthMax) return byLine(segments, body);
  const gutter = findGutter(segments, body);
  if (gutter)
    return [...orderByPlace(gutter.left, body, depth + 1), ...orderByPlace(gutter.right, body, depth + 1)];
  const strips = makeStrips(segments);
  if (strips.length === 1) return byLine(segments, body);
  return joinStrips(strips, body).flatMap(({ parts, columns }) =>
    columns ? orderByPlace(parts, body, depth + 1) : byLine(parts, body),
  );
}

interface Gutter<S> {
  readonly left: readonly S[];
  readonly right: readonly S[];
}

/** A gap from top to bottom with at least three wide lines on both sides. */
function findGutter<S extends Placed>(segments: readonly S[], body: number): Gutter<S> | null {
  const sorted = [...segments].sort((one, other) => one.x0 - other.x0);
  const [first] = sorted;
  if (!first) return null;
  const left = first.x0;
  const right = Math.max(...segments.map(({ x1 }) => x1));
  let reach = first.x1;
  let best: { width: number; cut: number } | null = null;
  for (const { x0, x1 } of sorted.slice(1)) {
    const width = x0 - reach;
    const cut = (reach + x0) / 2;
    reach = Math.max(reach, x1);
    if (width <= 0.7 * body || (best && width <= best.width)) continue;
    const isWide = (side: readonly Placed[], space: number) =>
      side.length >= 3 && median(side.map((one) => one.x1 - one.x0)) > 0.5 * space;
    const before = segments.filter((one) => one.x1 <= cut);
    const after = segments.filter((one) => one.x0 >= cut);
    if (isWide(before, cut - left) && isWide(after, right - cut)) best = { width, cut };
  }
  if (!best) return null;
  const { cut } = best;
  return {
    left: segments.filter((one) => one.x1 <= cut),
    right: segments.filter((one) => one.x0 >= cut),
  };
}

function makeStrips<S extends Placed>(segments: readonly S[]): S[][] {
  const strips: S[][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const one of [...segments].sort((a, b) => a.y0 - b.y0)) {
    const strip = strips.at(-1);
    if (strip && one.y0 <= bottom - 0.25 * (one.y1 - one.y0)) strip.push(one);
    else strips.push([one]);
    bottom = Math.max(bottom, one.y1);
  }
  return strips;
}

interface Strip<S> {
  readonly parts: readonly S[];
  readonly columns: boolean;
}

/** Strips with a gutter visible only together are columns together. */
function joinStrips<S extends Placed>(strips: readonly (readonly S[])[], body: number): readonly Strip<S>[] {
  const joined: Strip<S>[] = [];
  for (const parts of strips) {
    const last = joined.at(-1);
    const both = last ? [...last.parts, ...parts] : parts;
    const mayJoin = last && (last.columns || parts.length > 1 || last.parts.length > 1);
    if (mayJoin && findGutter(both, body)) joined.splice(-1, 1, { parts: both, columns: true });
    else joined.push({ parts, columns: findGutter(parts, body) !== null });
  }
  for (let at = 0; at < joined.length; at++)
    for (let count = Math.min(stripsTogetherMax, joined.length - at); count > 2; count--) {
      const parts = joined.slice(at, at + count).flatMap((strip) => strip.parts);
      if (parts.length <= 5 || !findGutter(parts, body)) continue;
      joined.splice(at, count, { parts, columns: true });
      break;
    }
  return joined;
}

const byLine = <S extends Placed>(segments: readonly S[], body: number): readonly S[] =>
  [...segments].sort((one, other) =>
    Math.abs(one.y0 - other.y0) < 0.5 * body ? one.x0 - other.x0 : one.y0 - other.y0,
  );
