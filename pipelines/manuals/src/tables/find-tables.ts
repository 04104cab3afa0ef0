import type { Lines } from "../layout/lines.ts";
import { makeRows, makeSegments, median } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { type Page, wordsOf } from "../page-text.ts";
import { findBands, isWithin } from "./bands.ts";
import { withoutLeaders } from "./leaders.ts";
import { findRuled } from "./ruled.ts";
import type { Cell, Table } from "./table.ts";
import { findUnruled } from "./unruled.ts";

/** Tables of a page from top to bottom: drawn tables first, then tables in the remaining words. */
export function findTables(page: Pick<Page, "words" | "horizontal" | "vertical">): readonly Table[] {
  const words = withoutLeaders(wordsOf(page));
  const of = (all: Page["horizontal"]) => all.map(([at, from, to]) => ({ at, from, to }));
  const lines: Lines = { horizontal: of(page.horizontal), vertical: of(page.vertical) };
  const body = median(words.map(({ height }) => height)) || 10;
  const ruled = findRuled(words, lines)
    .map((table) => refine(table, lines, body))
    .filter((table) => !isLayout(table));
  const free = outside(words, ruled);
  const banded = findBands(lines, free).flatMap((band) =>
    readBand(
      free.filter((word) => isWithin(word, band)),
      lines,
      body,
    ),
  );
  const unruled = findUnruled({ words: outside(free, banded), lines, body, around: "nothing" });
  return [...ruled, ...banded, ...unruled].sort((one, other) => one.box[1] - other.box[1]);
}

const outside = (words: readonly Word[], tables: readonly Table[]): readonly Word[] =>
  words.filter((word) => !tables.some((table) => holdsWord(table, word)));

/** Between lines of one length: one table, or nothing for this finder. */
function readBand(words: readonly Word[], lines: Lines, body: number): readonly Table[] {
  const found = findUnruled({ words, lines, body, around: "lines" });
  const [table] = found;
  const held = table ? words.filter((word) => holdsWord(table, word)).length : 0;
  return found.length === 1 && held > 0.9 * words.length ? found : [];
}

export function holdsWord({ box: [x0, y0, x1, y1] }: Pick<Table, "box">, word: Word): boolean {
  const [x, y] = [(word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2];
  return x > x0 - 2 && x < x1 + 2 && y > y0 - 2 && y < y1 + 2;
}

/** A frame with few lines may hold a whole table without lines: gaps tell its cells. */
function refine(table: Table, lines: Lines, body: number): Table {
  const crowded = table.cells.filter(isCrowded);
  if (crowded.length === 0 || (table.rows > 9 && crowded.length < table.cells.length / 3)) return table;
  const words = table.cells.flatMap((cell) => cell.words);
  const inner = findUnruled({ words, lines, body, around: "frame" });
  const [best] = [...inner].sort((one, other) => other.cells.length - one.cells.length);
  const filled = table.cells.filter(({ text }) => text !== "").length;
  return best && best.cells.filter(({ text }) => text !== "").length > filled
    ? { ...best, kind: "ruled" }
    : table;
}

/** Few cells, and a whole column of prose in a cell: lines part the page, not a table. */
function isLayout({ cells }: Table): boolean {
  const filled = cells.filter(({ text }) => text !== "");
  return filled.length <= 8 && filled.some(({ words }) => makeRows(words).length > 14);
}

/** Three lines or more, most lines with a wide gap. */
function isCrowded({ words }: Cell): boolean {
  const rows = makeRows(words);
  const wide = rows.filter((row) => makeSegments(row, 0.9, []).length > 1).length;
  return rows.length >= 3 && wide >= 0.6 * rows.length;
}
