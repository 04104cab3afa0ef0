import type { Lines } from "../layout/lines.ts";
import { boundsOf, makeRows, makeSegments, median, type Segment } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { findColumns, splitColumns } from "./columns.ts";
import { joinLines } from "./join-lines.ts";
import { looksLikeTable } from "./looks-like-table.ts";
import type { SplitLine } from "./split-line.ts";
import type { Cell, Table } from "./table.ts";

/** Facts of a page for the finder. */
export interface Sheet {
  readonly words: readonly Word[];
  readonly lines: Lines;
  readonly body: number;
  /** In a frame all words are a single table; between two lines a single table or none. */
  readonly around: "nothing" | "lines" | "frame";
}

/** Gaps as shares of the letters' height: between cells, between lines of one table, and where cells stand below cells. */
const gaps = { cells: 0.75, lines: 2.2, aligned: 5 } as const;

/** Tables without lines between their columns: runs of lines with gaps at the same places. */
export function findUnruled(sheet: Sheet): readonly Table[] {
  const rows: readonly SplitLine[] = makeRows(sheet.words).map((row) => ({
    ...row,
    segments: makeSegments(row, gaps.cells, sheet.lines.vertical),
  }));
  const found: Table[] = [];
  for (let at = 0; at < rows.length; ) {
    if (sheet.around === "nothing" && (rows[at]?.segments.length ?? 0) < 2) {
      at++;
      continue;
    }
    const run = growRun(rows, at, sheet);
    const least = sheet.around === "nothing" ? 3 : 2;
    if (run.parted >= least) {
      const table = readRun(rows.slice(at, run.end + 1), sheet);
      if (table) found.push(table);
    }
    at = Math.max(run.stop, run.end + 1);
  }
  return found;
}

interface Run {
  /** Lines with a gap. */
  readonly parted: number;
  /** The last line of the run, and the first line behind what was looked at. */
  readonly end: number;
  readonly stop: number;
}

/** How far down a table may reach: lines without a gap are titles or wrapped cells; many such lines end the table. */
function growRun(rows: readonly SplitLine[], from: number, { lines, body, around }: Sheet): Run {
  let [parted, plain, end] = [0, 0, from];
  let { x0, x1 } = boundsOf(rows[from]?.segments ?? []);
  let at = from;
  for (; at < rows.length; at++) {
    const row = rows[at] as SplitLine;
    const before = rows[at - 1];
    const width = x1 - x0;
    if (at > from && before && around === "nothing" && row.y0 - before.y1 > gaps.lines * body) {
      const joined = lines.horizontal.some(
        (line) => line.at > before.y1 - 2 && line.at < row.y0 + 2 && line.to - line.from > 0.5 * width,
      );
      const far = row.y0 - before.y1 > gaps.aligned * body;
      if (!joined && (far || !standsBelow(row, rows.slice(from, at)))) break;
    }
    if (row.segments.length >= 2) {
      const own = boundsOf(row.segments);
      [x0, x1] = [Math.min(x0, own.x0), Math.max(x1, own.x1)];
      parted++;
      plain = 0;
      end = at;
      continue;
    }
    if (around !== "nothing") {
      end = at;
      continue;
    }
    const [only] = row.segments;
    if (only && before && wraps(only, row.y0 - before.y1, rows.slice(from, at), body)) {
      end = at;
      continue;
    }
    plain++;
    const own = only ? only.x1 - only.x0 : 0;
    const prose = own > 0.85 * width && (only?.text.length ?? 0) > 60;
    if (plain > 2 || (plain > 1 && own > 0.6 * width) || prose) break;
  }
  return { parted, end, stop: at };
}

/** Cells that begin where cells above begin: rows with much room between them. */
function standsBelow({ segments }: SplitLine, above: readonly SplitLine[]): boolean {
  const starts = above
    .filter((row) => row.segments.length >= 2)
    .flatMap((row) => row.segments.map(({ x0 }) => x0));
  const same = segments.filter(({ x0 }) => starts.some((start) => Math.abs(start - x0) < 2)).length;
  return segments.length >= 2 && same >= Math.max(2, 0.75 * segments.length);
}

/** A line close below that begins where a cell other than the first did, and is no wider than its column: a wrapped cell. */
function wraps(only: Segment, gap: number, above: readonly SplitLine[], body: number): boolean {
  if (gap > 0.35 * body) return false;
  const parted = above.findLast(({ segments }) => segments.length >= 2);
  const at = parted?.segments.findIndex(({ x0 }) => Math.abs(x0 - only.x0) < 3) ?? -1;
  if (at < 1) return false;
  const next = parted?.segments[at + 1];
  return !next || only.x1 < next.x0;
}

function readRun(rows: readonly SplitLine[], sheet: Sheet): Table | null {
  const parted = rows.filter(({ segments }) => segments.length >= 2);
  const edges = edgesOf(parted, sheet.body);
  if (edges.length < 3) return null;
  if (isProse(parted, edges.length - 1, sheet.around === "frame")) return null;
  const { cells, count } = joinLines(rows, { edges, lines: sheet.lines.horizontal, body: sheet.body });
  const columns = edges.length - 1;
  const listed = columns === 2 && sheet.around === "nothing" && isList(cells);
  if (count < 2 || listed || (sheet.around !== "frame" && !looksLikeTable(cells, count, columns)))
    return null;
  const { x0, y0, x1, y1 } = boundsOf(rows.flatMap(({ segments }) => segments));
  return { kind: "unruled", box: [x0, y0, x1, y1], rows: count, columns, cells, edges };
}

/** Titles within a table may stand over its gaps: then only lines with as many parts as most have tell the columns. */
function edgesOf(rows: readonly SplitLine[], body: number): readonly number[] {
  const counts = rows.map(({ segments }) => segments.length).sort((one, other) => one - other);
  const usual = counts[Math.floor(0.8 * counts.length)] ?? 2;
  const rich = rows.filter(({ segments }) => segments.length >= Math.max(2, 0.6 * usual));
  const all = findColumns(rows, body);
  const few = all.length - 1 < 0.6 * usual && rich.length >= 3;
  return few ? splitColumns(rich, findColumns(rich, body), body) : splitColumns(rows, all, body);
}

/** Names with long explanations beside them, and no line drawn: a list. */
function isList(cells: readonly Cell[]): boolean {
  const lengths = cells.filter(({ column }) => column === 1).map(({ text }) => text.length);
  return median(lengths) > 40;
}

/** Written down the columns with long lines, or few columns of long lines: prose in columns. */
function isProse(parted: readonly SplitLine[], columns: number, framed: boolean): boolean {
  const length = median(parted.flatMap(({ segments }) => segments.map(({ text }) => text.length)));
  const steps = parted.flatMap(({ segments }) =>
    segments.slice(1).map(({ first }, index) => first - (segments[index]?.words.at(-1)?.last ?? 0)),
  );
  const across = steps.filter((step) => step >= 0 && step < 6).length;
  if (across < 0.5 * steps.length && length > 15) return true;
  if (framed) return false;
  return (columns === 2 && length > 28) || (columns <= 3 && length > 45);
}
