import type { Line, Lines } from "../layout/lines.ts";
import { makeRows, makeSegments, type Row } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import type { Box } from "../pdf/upright.ts";

/** Lines of one band begin and end at the same places, and stand no further apart than `apart` points. */
const same = { ends: 4, apart: 320, widthMin: 60, linesMin: 3, countMax: 200 } as const;

/** Areas between horizontal lines of the same length, one below the other: tables without vertical lines are drawn so. */
export function findBands({ horizontal }: Lines, words: readonly Word[]): readonly Box[] {
  const groups: Line[][] = [];
  const long = horizontal.filter(({ from, to }) => to - from > same.widthMin).slice(0, same.countMax * 10);
  for (const line of [...long].sort((one, other) => one.at - other.at)) {
    const group = groups.find(([first]) => first && isAligned(first, line));
    const last = group?.at(-1);
    if (group && last && line.at - last.at <= same.apart) group.push(line);
    else if (groups.length < same.countMax) groups.unshift([line]);
  }
  return groups
    .filter((group) => group.length >= same.linesMin)
    .map((group): Box => {
      const from = Math.min(...group.map((line) => line.from));
      const to = Math.max(...group.map((line) => line.to));
      return [from - 2, (group[0]?.at ?? 0) - 1, to + 2, (group.at(-1)?.at ?? 0) + 1];
    })
    .filter((box) => words.some((word) => isWithin(word, box)))
    .map((box) => stretch(box, words));
}

/** Lines of text beyond the outer lines that a band may still take: a head above, a last row below. */
const beyond = { above: 3, below: 12 } as const;

/** Where only the rows are parted, the head stands above the first line and the last row below the last one. */
function stretch(box: Box, words: readonly Word[]): Box {
  const [x0, y0, x1, y1] = box;
  const rows = makeRows(words.filter((word) => word.x0 > x0 - 2 && word.x1 < x1 + 2));
  const above = rows.filter(({ middle }) => middle < y0).toReversed();
  const below = rows.filter(({ middle }) => middle > y1);
  const top = reach(above, (row, edge) => edge - row.y1, y0, beyond.above);
  const bottom = reach(below, (row, edge) => row.y0 - edge, y1, beyond.below);
  return [
    x0,
    top.length > 0 ? Math.min(...top.map((row) => row.y0)) - 1 : y0,
    x1,
    bottom.length > 0 ? Math.max(...bottom.map((row) => row.y1)) + 1 : y1,
  ];
}

function reach(rows: readonly Row[], gapOf: (row: Row, edge: number) => number, from: number, most: number) {
  const taken: Row[] = [];
  let edge = from;
  for (const row of rows.slice(0, most + 1)) {
    const gap = gapOf(row, edge);
    const parted = makeSegments(row, 1.5, []).length;
    if (gap > (taken.length === 0 ? 0.9 : 0.45) * row.height) break;
    if (taken.length === 0 && parted < 2) break;
    taken.push(row);
    edge = row.middle < from ? row.y0 : row.y1;
  }
  return taken.length > most ? [] : taken;
}

const isAligned = (one: Line, other: Line): boolean =>
  Math.abs(one.from - other.from) < same.ends && Math.abs(one.to - other.to) < same.ends;

export function isWithin({ x0, y0, x1, y1 }: Word, [bx0, by0, bx1, by1]: Box): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return x > bx0 && x < bx1 && y > by0 && y < by1;
}
