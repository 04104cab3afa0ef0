import type { Segment } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";

/** Columns are looked for in half points. */
const perPoint = 2;

/** Edges of columns: the places where almost no line has ink, and the two ends. */
export function findColumns(
  rows: readonly { readonly segments: readonly Segment[] }[],
  body: number,
): readonly number[] {
  const all = rows.flatMap(({ segments }) => segments);
  const left = Math.min(...all.map(({ x0 }) => x0));
  const right = Math.max(...all.map(({ x1 }) => x1));
  const places = Math.ceil((right - left) * perPoint) + 1;
  if (!Number.isFinite(places) || places > 40_000) return [];
  const ink = new Uint16Array(places);
  for (const { segments } of rows)
    for (const { x0, x1 } of segments)
      for (
        let at = Math.max(0, Math.floor((x0 - left) * perPoint));
        at <= Math.min(places - 1, Math.ceil((x1 - left) * perPoint));
        at++
      )
        ink[at] = (ink[at] ?? 0) + 1;
  const allowed = rows.length >= 12 ? 0.12 * rows.length : rows.length >= 5 ? 1 : 0;
  const cuts: number[] = [];
  let from = -1;
  for (let at = 0; at < places; at++) {
    if ((ink[at] ?? 0) <= allowed) {
      if (from < 0) from = at;
      continue;
    }
    if (from > 0 && (at - from) / perPoint > 0.35 * body)
      cuts.push(left + emptiest(ink, from, at) / perPoint);
    from = -1;
  }
  return [left - 1, ...cuts, right + 1];
}

/** Cells may stand closer than words of a wide line: shares of lines that must agree on an edge between them. */
const close = { rowsMin: 8, both: 0.6, aligned: 0.75, gap: 0.18, wider: 1.35, tolerance: 1.6 } as const;

/** Adds edges between columns that almost touch: most lines have words on both sides, which begin or end at one place. */
export function splitColumns(
  rows: readonly { readonly words: readonly Word[] }[],
  edges: readonly number[],
  body: number,
): readonly number[] {
  if (rows.length < close.rowsMin) return edges;
  return edges.flatMap((edge, index) => {
    const next = edges[index + 1];
    if (next === undefined) return [edge];
    const inside = rows.map(({ words }) =>
      words.filter(({ x0, x1 }) => (x0 + x1) / 2 > edge && (x0 + x1) / 2 < next),
    );
    return [
      edge,
      ...closeCuts(
        inside.filter((words) => words.length > 0),
        edge,
        next,
        body,
      ),
    ];
  });
}

function closeCuts(
  rows: readonly (readonly Word[])[],
  from: number,
  to: number,
  body: number,
): readonly number[] {
  const cuts: number[] = [];
  const starts = rows.flatMap((words) => words.map(({ x0 }) => x0)).sort((one, other) => one - other);
  const spaces = rows.flatMap((words) => words.slice(1).map(({ x0 }, at) => x0 - (words[at]?.x1 ?? 0)));
  const usual = [...spaces].sort((one, other) => one - other)[Math.floor(spaces.length / 4)] ?? 0;
  const least = Math.max(close.gap * body, close.wider * usual);
  let last = from;
  for (const x of starts) {
    if (x - last < 0.8 * body || x > to - 2) continue;
    const cut = x - 0.4;
    const crossing = rows.filter((words) =>
      words.some(({ x0, x1 }) => x0 < cut - 0.5 && x1 > cut + 0.5),
    ).length;
    if (crossing > 0.06 * rows.length) continue;
    const sides = rows.map((words) => ({
      left: words.filter(({ x1, x0 }) => (x0 + x1) / 2 < cut && x0 > last - 0.5).at(-1),
      right: words.find(({ x1, x0 }) => (x0 + x1) / 2 > cut),
    }));
    const both = sides.filter(({ left, right }) => left && right);
    if (both.length < close.both * rows.length) continue;
    const begins = sides.filter(({ right }) => right && Math.abs(right.x0 - x) < close.tolerance).length;
    const ends = both.map(({ left }) => left?.x1 ?? 0);
    const end = [...ends].sort((one, other) => one - other)[ends.length >> 1] ?? 0;
    const stops = ends.filter((value) => Math.abs(value - end) < close.tolerance).length;
    const gaps = both.filter(({ left, right }) => (right?.x0 ?? 0) - (left?.x1 ?? 0) > least).length;
    const agreed = Math.max(
      begins / Math.max(1, sides.filter(({ right }) => right).length),
      stops / both.length,
    );
    if (agreed < close.aligned || gaps < 0.9 * both.length) continue;
    cuts.push(cut);
    last = cut;
  }
  return cuts;
}

/** The middle of the longest stretch with least ink. */
function emptiest(ink: Uint16Array, from: number, to: number): number {
  const least = Math.min(...ink.subarray(from, to));
  let best = { start: from, length: 0 };
  let start = -1;
  for (let at = from; at <= to; at++) {
    if (at < to && ink[at] === least) {
      if (start < 0) start = at;
      continue;
    }
    if (start >= 0 && at - start > best.length) best = { start, length: at - start };
    start = -1;
  }
  return best.start + best.length / 2;
}

/** The column of a place. */
export const columnAt = (edges: readonly number[], x: number): number =>
  Math.max(
    0,
    Math.min(
      edges.length - 2,
      edges.findLastIndex((edge) => edge <= x),
    ),
  );
