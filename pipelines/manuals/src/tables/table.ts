import { makeRows } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import type { Box } from "../pdf/upright.ts";

/** A cell with its place in the grid; a spanning cell has `rows` or `columns` above 1. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
  readonly box: Box;
  readonly words: readonly Word[];
  readonly text: string;
}

export interface Table {
  readonly kind: "ruled" | "unruled";
  readonly box: Box;
  readonly rows: number;
  readonly columns: number;
  readonly cells: readonly Cell[];
  /** Edges of columns, from left to right. */
  readonly edges: readonly number[];
}

/** Words of a cell, line by line; a hyphen at a line's end goes before a small letter. */
export function cellText(words: readonly Word[]): string {
  let text = "";
  for (const row of makeRows(words)) {
    const line = row.words.map((word) => word.text).join(" ");
    const joins = /\p{Ll}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(line);
    text = text === "" ? line : joins ? text.slice(0, -1) + line : `${text} ${line}`;
  }
  return text.replaceAll("\u00ad", "-");
}

/** Rows of texts, a spanning cell in its first place. */
export function gridOf({
  rows,
  columns,
  cells,
}: Pick<Table, "rows" | "columns"> & {
  readonly cells: readonly Pick<Cell, "row" | "column" | "text">[];
}): readonly (readonly string[])[] {
  const grid = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ""));
  for (const { row, column, text } of cells) {
    const line = grid[row];
    if (line && column < columns) line[column] = line[column] ? `${line[column]} ${text}` : text;
  }
  return grid;
}
