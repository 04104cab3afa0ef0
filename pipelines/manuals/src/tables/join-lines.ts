import type { Line } from "../layout/lines.ts";
import { boundsOf, type Segment } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { columnAt } from "./columns.ts";
import { type HeadCell, headJoins, nameGoesOn } from "./join-heads.ts";
import { parts, type SplitLine } from "./split-line.ts";
import { type Cell, cellText } from "./table.ts";

interface OpenCell {
  readonly column: number;
  last: number;
  readonly words: Word[];
}
type OpenRow = Map<number, OpenCell>;

interface Given {
  readonly edges: readonly number[];
  readonly lines: readonly Line[];
  readonly body: number;
}

/** Lines of text become rows of the table: drawn lines decide, else an empty first cell. */
export function joinLines(
  rows: readonly SplitLine[],
  { edges, lines, body }: Given,
): { readonly cells: readonly Cell[]; readonly count: number } {
  const ends = [edges[0] ?? 0, edges.at(-1) ?? 0] as const;
  const ruled = rows.slice(1).map((row, index) => parts(lines, rows[index] as SplitLine, row, ends));
  const drawn = ruled.filter(Boolean).length;
  const split = rows.map((row) => cellsOf(row, edges));
  const wrapGap = wrapGapOf(rows, split, edges.length - 1, body);
  const byLines = (drawn >= 3 && drawn >= 0.3 * ruled.length) || partsRows(ruled, split, edges.length - 1);
  const texts = split.map(textsOf);
  const heads = headJoins(rows, texts, { ruled, body });
  const joined: { cells: OpenRow; lines: SplitLine[] }[] = [];
  for (const [index, row] of rows.entries()) {
    const cells = split[index] as OpenRow;
    const open = joined.at(-1);
    const above = rows[index - 1];
    const goesOn =
      open !== undefined &&
      above !== undefined &&
      !ruled[index - 1] &&
      (byLines ||
        heads.has(index) ||
        (row.y0 - above.y1 < 0.5 * body && nameGoesOn(texts[index - 1] ?? [], texts[index] ?? [])) ||
        row.y0 - above.y1 < wrapGap ||
        wraps(cells, open.cells, { gap: row.y0 - above.y1, body, columns: edges.length - 1 }));
    if (!open || !goesOn) {
      joined.push({ cells, lines: [row] });
      continue;
    }
    open.lines.push(row);
    for (const cell of cells.values()) put(open.cells, cell);
  }
  const found = joined.flatMap(({ cells }, row) =>
    [...cells.values()].map(({ column, last, words }): Cell => {
      const { x0, y0, x1, y1 } = boundsOf(words);
      const text = cellText(words);
      return { row, column, rows: 1, columns: last - column + 1, box: [x0, y0, x1, y1], words, text };
    }),
  );
  return { cells: found, count: joined.length };
}

const textsOf = (cells: OpenRow): readonly HeadCell[] =>
  [...cells.values()]
    .map(({ column, last, words }) => ({ column, last, text: words.map(({ text }) => text).join(" ") }))
    .sort((one, other) => one.column - other.column);

/** Between two drawn lines there is at most one whole row: the drawn lines part rows. */
function partsRows(ruled: readonly boolean[], split: readonly OpenRow[], columns: number): boolean {
  const counts = [0];
  for (const [index, cells] of split.entries()) {
    if (ruled[index - 1]) counts.push(0);
    if (isWhole(cells, columns)) counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
  }
  return counts.length >= 3 && counts.filter((count) => count <= 1).length >= 0.8 * counts.length;
}

const isWhole = (cells: OpenRow, columns: number): boolean => cells.size >= Math.max(2, 0.75 * columns);

/**
 * Two kinds of gaps, and lines below the small ones mostly have fewer cells: then small gaps stand within a row and large
 * ones between rows. Below any gap: no such thing.
 */
function wrapGapOf(
  rows: readonly SplitLine[],
  split: readonly OpenRow[],
  columns: number,
  body: number,
): number {
  const gaps = rows.slice(1).map((row, index) => row.y0 - (rows[index]?.y1 ?? 0));
  const sorted = [...gaps].sort((one, other) => one - other);
  const [least = 0, most = 0] = [sorted[0], sorted[Math.floor(0.9 * sorted.length)]];
  if (gaps.length < 3 || most - least < 0.3 * body) return Number.NEGATIVE_INFINITY;
  const border = least + 0.15 * body;
  const below = split.slice(1).filter((_, index) => (gaps[index] ?? 0) < border);
  const apart = split.slice(1).filter((_, index) => (gaps[index] ?? 0) >= border);
  const whole = (some: readonly OpenRow[]) => some.filter((cells) => isWhole(cells, columns)).length;
  if (whole(below) > 0.15 * below.length || whole(apart) < 0.5 * apart.length)
    return Number.NEGATIVE_INFINITY;
  // Between the two kinds there must be nothing.
  const next = sorted.find((gap) => gap >= border) ?? most;
  return next - least > 0.25 * body ? border : Number.NEGATIVE_INFINITY;
}

/** A line without a first cell, close below the same columns, continues the row above. */
function wraps(
  cells: OpenRow,
  above: OpenRow,
  { gap, body, columns }: { gap: number; body: number; columns: number },
): boolean {
  if (cells.has(0) || !above.has(0) || gap >= 0.35 * body) return false;
  return cells.size < Math.max(2, columns / 2) && [...cells.keys()].every((column) => above.has(column));
}

function cellsOf({ segments, height }: SplitLine, edges: readonly number[]): OpenRow {
  const cells: OpenRow = new Map();
  for (const segment of segments) for (const part of splitSegment(segment, edges, height)) put(cells, part);
  return cells;
}

/** Words close together stay together where they cross an edge: a cell over several columns. */
function splitSegment(
  { words, x0, x1 }: Segment,
  edges: readonly number[],
  height: number,
): readonly OpenCell[] {
  const [from, to] = [columnAt(edges, x0 + 1), columnAt(edges, x1 - 1)];
  if (from === to) return [{ column: from, last: from, words: [...words] }];
  const found: OpenCell[] = [];
  for (const word of words) {
    const column = columnAt(edges, (word.x0 + word.x1) / 2);
    const open = found.at(-1);
    const before = open?.words.at(-1);
    if (
      open &&
      before &&
      (open.last === column || (word.x0 - before.x1 < 0.45 * height && !isBetween(edges, before, word)))
    ) {
      open.words.push(word);
      open.last = Math.max(open.last, column);
    } else found.push({ column, last: column, words: [word] });
  }
  return found;
}

/** An edge passes between two words, with room on both sides: two cells, however close. */
const isBetween = (edges: readonly number[], { x1 }: Word, { x0 }: Word): boolean =>
  edges.some((edge) => edge > x1 + 0.1 && edge <= x0 && x0 - edge < 1);

function put(cells: OpenRow, { column, last, words }: OpenCell): void {
  const own = cells.get(column);
  if (!own) {
    cells.set(column, { column, last, words: [...words] });
    return;
  }
  own.words.push(...words);
  own.last = Math.max(own.last, last);
}
