import type { Line } from "../layout/lines.ts";
import { boundsOf } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import type { Column, SplitRow } from "./heads.ts";
import { isCodeShaped, isPartShaped, type Role } from "./roles.ts";

/** The rows of one entry, word lists by column. */
export interface RawEntry {
  readonly rows: (readonly (readonly Word[])[])[];
  readonly words: Word[];
}

export interface Area {
  readonly entries: readonly RawEntry[];
  /** Rows before the first entry: they end the last entry of the page before. */
  readonly leading: readonly (readonly (readonly Word[])[])[];
  /** The table reaches the end of what was given. */
  readonly open: boolean;
}

export interface AreaOptions {
  readonly columns: readonly Column[];
  readonly kind: "trouble" | "parts";
  readonly horizontal: readonly Line[];
  readonly body: number;
  readonly pageHeight: number;
}

/** Reads the rows below a head. */
export function readArea(rows: readonly SplitRow[], options: AreaOptions): Area {
  const { columns, horizontal, body, pageHeight } = options;
  const cuts = findCuts(rows, columns);
  const key = keyColumn(columns, options.kind);
  const entries: RawEntry[] = [];
  const leading: (readonly (readonly Word[])[])[] = [];
  const [left, right] = [columns[0]?.x0 ?? 0, Math.max(...columns.map(({ x1 }) => x1))];
  const between = horizontal.filter(({ from, to }) => to - from > 0.5 * (right - left));
  let before: SplitRow | null = null;
  let crossed = 0;
  for (const row of rows) {
    if (isHeading(row, body)) return { entries, leading, open: false };
    if (isFoot(row, before, body, pageHeight)) break;
    crossed = crosses(row, cuts) ? crossed + 1 : 0;
    // One wide row may be a title within the table; two are prose behind it.
    if (crossed >= 2) return { entries: withoutLast(entries, before), leading, open: false };
    const cells = cellsOf(row, cuts);
    const first = (cells[key] ?? []).map(({ text }) => text).join(" ");
    const above = before;
    const ruled = above !== null && between.some(({ at }) => at > above.middle && at < row.middle);
    const gap = above === null ? 0 : row.y0 - above.y1;
    if (
      crossed === 0 &&
      starts(first, { role: columns[key]?.role ?? null, ruled, gap, body, fresh: entries.length === 0 })
    )
      entries.push({ rows: [], words: [] });
    const entry = entries.at(-1);
    if (entry) {
      entry.rows.push(cells);
      entry.words.push(...row.words);
    } else leading.push(cells);
    before = row;
  }
  return { entries, leading, open: true };
}

const keyColumn = (columns: readonly Column[], kind: AreaOptions["kind"]): number => {
  const wanted: readonly Role[] = kind === "parts" ? ["part", "position"] : ["code", "problem", "cause"];
  const found = wanted
    .map((role) => columns.findIndex((column) => column.role === role))
    .find((at) => at >= 0);
  return found ?? 0;
};

function starts(
  first: string,
  of: { role: Role | null; ruled: boolean; gap: number; body: number; fresh: boolean },
): boolean {
  if (first === "") return false;
  if (of.role === "code") return isCodeShaped(first);
  if (of.role === "part") return isPartShaped(first);
  if (of.role === "position") return /^\d{1,3}[a-z]?$/.test(first);
  return of.fresh || of.ruled || /^\d{1,3}[.)]\s/.test(first) || of.gap > 0.6 * of.body;
}

/** A row that crossed was taken for one of the table before the second showed what it is. */
function withoutLast(entries: readonly RawEntry[], row: SplitRow | null): readonly RawEntry[] {
  const last = entries.at(-1);
  if (!last || !row || last.rows.length < 2) return entries;
  const words = last.words.filter((word) => !row.words.includes(word));
  return [...entries.slice(0, -1), { rows: last.rows.slice(0, -1), words }];
}

const isHeading = (row: SplitRow, body: number): boolean =>
  row.words.some(({ bold }) => bold) && row.words.every(({ height }) => height > 1.25 * body);

const isFoot = (row: SplitRow, before: SplitRow | null, body: number, pageHeight: number): boolean =>
  row.y0 > 0.92 * pageHeight && row.words.length < 12 && (before === null || row.y0 - before.y1 > 1.2 * body);

/** Cuts between columns: the emptiest places between two heads. */
function findCuts(rows: readonly SplitRow[], columns: readonly Column[]): readonly number[] {
  return columns.slice(1).map((column, index) => {
    const from = (columns[index]?.x0 ?? 0) + 10;
    let best = column.x0 - 2;
    let least = Number.POSITIVE_INFINITY;
    for (let x = from; x <= column.x0 + 1; x++) {
      const ink = rows.filter(({ words }) => words.some(({ x0, x1 }) => x0 < x && x1 > x)).length;
      if (ink <= least) [least, best] = [ink, x];
    }
    return best;
  });
}

const crosses = (row: SplitRow, cuts: readonly number[]): boolean =>
  row.segments.some(
    ({ x0, x1, words }) => words.length > 3 && cuts.some((cut) => x0 < cut - 3 && x1 > cut + 15),
  );

function cellsOf(row: SplitRow, cuts: readonly number[]): readonly (readonly Word[])[] {
  const cells: Word[][] = [[], ...cuts.map(() => [])];
  for (const word of row.words) {
    const place = (word.x0 + Math.min(word.x1, word.x0 + 12)) / 2;
    cells[cuts.filter((cut) => place >= cut).length]?.push(word);
  }
  return cells;
}

/** The texts of an entry by column; a hyphen at a line's end goes when the next line begins small. */
export function textsOf(entry: Pick<RawEntry, "rows">, columns: readonly Column[]): readonly string[] {
  return columns.map((_, column) => {
    let text = "";
    for (const cells of entry.rows) {
      const part = (cells[column] ?? []).map((word) => word.text).join(" ");
      if (part === "") continue;
      const joins = /\p{Ll}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(part);
      text = text === "" ? part : joins ? text.slice(0, -1) + part : `${text} ${part}`;
    }
    return text.replaceAll("\u00ad", "-");
  });
}

export const boxOfWords = (words: readonly Word[]) => {
  const { x0, y0, x1, y1 } = boundsOf(words);
  return [x0, y0, x1, y1] as const;
};
