import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findTables } from "../../../pipelines/manuals/src/tables/find-tables.ts";
import { pagesOf } from "../../../pipelines/manuals/test/pages-of.ts";
import { agreement, plainText, relationsOf, type ScoredCell } from "./relations.ts";

const corpora = fileURLToPath(new URL("../../../../shared/corpora/", import.meta.url));
const pagesMax = 8;

export interface TableFigure {
  readonly name: string;
  readonly cells: number;
  /** Share of the expected cells found with exactly their text. */
  readonly recall: number;
  /** Share of the expected neighbourships found. */
  readonly relations: number;
}

/** Expected tables of tabula's own tests; nothing is told about pages or areas, so precision cannot be read off. */
export async function tabulaFigures(): Promise<readonly TableFigure[]> {
  const folder = `${corpora}pdf-tabula/`;
  const names = readdirSync(folder).filter((name) => name.endsWith(".pdf"));
  const figures: TableFigure[] = [];
  for (const file of names) {
    const expected = expectedCells(folder, file.replace(/\.pdf$/, ""));
    if (!expected) continue;
    figures.push(figureOf(file, expected, await foundCells(`${folder}${file}`)));
  }
  return figures;
}

/** Tables of docling's ground truth, found without any knowledge of them; files without a table count what is invented. */
export async function doclingFigures(): Promise<readonly (TableFigure & { readonly invented: number })[]> {
  const folder = `${corpora}pdf-docling/pdf/`;
  const figures: (TableFigure & { readonly invented: number })[] = [];
  for (const file of readdirSync(`${folder}groundtruth`).filter((name) =>
    /^[^.]+(?:\.\d+v1-pg9)?\.json$/.test(name),
  )) {
    const truth = JSON.parse(readFileSync(`${folder}groundtruth/${file}`, "utf8")) as DoclingTruth;
    const expected = truth.tables.flatMap(({ data }, table) =>
      data.table_cells.map((cell) => ({
        r0: table * 1_000 + cell.start_row_offset_idx,
        r1: table * 1_000 + cell.end_row_offset_idx - 1,
        c0: cell.start_col_offset_idx,
        c1: cell.end_col_offset_idx - 1,
        text: cell.text,
      })),
    );
    const found = await foundCells(`${folder}sources/${file.replace(/\.json$/, ".pdf")}`);
    const invented =
      truth.tables.length === 0 ? new Set(found.map(({ r0 }) => Math.floor(r0 / 1_000))).size : 0;
    figures.push({ ...figureOf(file, expected, found), invented });
  }
  return figures;
}

interface DoclingTruth {
  readonly tables: readonly {
    readonly data: {
      readonly table_cells: readonly {
        readonly start_row_offset_idx: number;
        readonly end_row_offset_idx: number;
        readonly start_col_offset_idx: number;
        readonly end_col_offset_idx: number;
        readonly text: string;
      }[];
    };
  }[];
}

function figureOf(name: string, expected: readonly ScoredCell[], found: readonly ScoredCell[]): TableFigure {
  const texts = (cells: readonly ScoredCell[]) =>
    cells.map(({ text }) => plainText(text)).filter((text) => text !== "");
  const given = texts(expected);
  const pairs = relationsOf(expected);
  return {
    name,
    cells: given.length,
    recall: agreement(given, texts(found)) / (given.length || 1),
    relations: agreement(pairs, relationsOf(found)) / (pairs.length || 1),
  };
}

async function foundCells(path: string): Promise<readonly ScoredCell[]> {
  const pages = await pagesOf(readFileSync(path));
  return pages
    .slice(0, pagesMax)
    .flatMap((page) => findTables(page))
    .flatMap(({ cells }, table) =>
      cells.map(({ row, column, rows, columns, text }) => ({
        r0: table * 1_000 + row,
        r1: table * 1_000 + row + rows - 1,
        c0: column,
        c1: column + columns - 1,
        text,
      })),
    );
}

function expectedCells(folder: string, name: string): readonly ScoredCell[] | null {
  const [csv, json] = [`${folder}csv/${name}.csv`, `${folder}json/${name}.json`];
  const cell = (text: string, row: number, column: number) => ({
    r0: row,
    r1: row,
    c0: column,
    c1: column,
    text,
  });
  if (existsSync(csv))
    return readCsv(readFileSync(csv, "utf8")).flatMap((row, at) =>
      row.map((text, column) => cell(text, at, column)),
    );
  if (!existsSync(json)) return null;
  const found = JSON.parse(readFileSync(json, "utf8")) as Expected | readonly Expected[];
  return [found]
    .flat()
    .flatMap(({ data }, table) =>
      data.flatMap((row, at) => row.map(({ text }, column) => cell(text, table * 1_000 + at, column))),
    );
}

interface Expected {
  readonly data: readonly (readonly { readonly text: string }[])[];
}

function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows;
}
