import { type Page, wordsOf } from "../page-text.ts";
import { findTables } from "./find-tables.ts";
import { gridOf, type Table } from "./table.ts";

/** The outline of a table at the edge of a page, for comparison with the table of the next page. */
export interface TableEdge {
  readonly columns: number;
  readonly left: number;
  readonly right: number;
  /** Words of the first row. */
  readonly head: string;
}

export interface PageTables {
  readonly count: number;
  /** The first table, if nothing but a running head stands above; the last one, if nothing but a foot stands below. */
  readonly top: TableEdge | null;
  readonly foot: TableEdge | null;
}

/** Lines that may stand above or below: running heads, page numbers, a repeated title. */
const linesBeside = 3;
const samePoints = 8;

export function edgesOfPage(page: Page): PageTables {
  const tables = findTables(page);
  const [first, last] = [tables[0], tables.at(-1)];
  const middles = wordsOf(page).map(({ y0, y1 }) => (y0 + y1) / 2);
  const lines = (test: (y: number) => boolean) =>
    new Set(middles.filter(test).map((y) => Math.round(y / 4))).size;
  return {
    count: tables.length,
    top:
      first && first.box[1] < 0.3 * page.height && lines((y) => y < first.box[1]) <= linesBeside
        ? edgeOf(first)
        : null,
    foot: last && lines((y) => y > last.box[3]) <= linesBeside ? edgeOf(last) : null,
  };
}

const edgeOf = (table: Table): TableEdge => ({
  columns: table.columns,
  left: Math.round(table.box[0]),
  right: Math.round(table.box[2]),
  head: headOf(table),
});

export const headOf = (table: Pick<Table, "rows" | "columns" | "cells">): string =>
  (gridOf(table)[0] ?? []).join(" | ").slice(0, 300);

/** Same columns, and the head repeated or the same width. */
export function goesOn(above: TableEdge | null, below: TableEdge | null): boolean {
  if (!above || !below || above.columns !== below.columns) return false;
  const near =
    Math.abs(above.left - below.left) < samePoints && Math.abs(above.right - below.right) < 4 * samePoints;
  return near || (above.head === below.head && above.head !== "");
}

/** A cell with the page it stands on. */
export type PlacedCell = Table["cells"][number] & { readonly page: number };

/** One table out of the parts on several pages; a repeated head is left out. */
export function joinParts(parts: readonly { readonly page: number; readonly table: Table }[]): {
  readonly rows: number;
  readonly cells: readonly PlacedCell[];
} {
  const [first] = parts;
  if (!first) return { rows: 0, cells: [] };
  const head = headOf(first.table);
  let rows = 0;
  const cells = parts.flatMap(({ page, table }, index) => {
    const skipped = index > 0 && headOf(table) === head ? 1 : 0;
    const start = rows - skipped;
    rows += table.rows - skipped;
    return table.cells
      .filter(({ row }) => row >= skipped)
      .map((cell) => ({ ...cell, row: cell.row + start, page }));
  });
  return { rows, cells };
}
