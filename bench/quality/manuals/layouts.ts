import { type PdfBook, type PdfText, writePdf } from "../../../pipelines/manuals/src/generated/pdf-writer.ts";
import { entriesOf } from "../../../pipelines/manuals/test/pages-of.ts";
import { type LayoutWords, layoutWords } from "./layout-words.ts";

/** Code shapes of makers. */
const numberings: Readonly<Record<string, (at: number) => string>> = {
  "E-101": (at) => `E-${101 + at}`,
  F01: (at) => `F${String(at + 1).padStart(2, "0")}`,
  "1001": (at) => String(1001 + at),
  "13.20.01": (at) => `13.20.${String(at + 1).padStart(2, "0")}`,
  "A1-02": (at) => `A1-${String(at + 2).padStart(2, "0")}`,
  "0x1F": (at) => `0x${(31 + at).toString(16).toUpperCase()}`,
};

interface Entry {
  readonly code: string;
  readonly problem: string;
  readonly cause: string;
  readonly remedy: string;
}

type Column = keyof Entry;
type Line = readonly [number, number, number, number];

interface Grid {
  readonly order: readonly Column[];
  readonly lines: "all" | "rows" | "none";
  /** Lines of a wrapped cell, and of a head over two lines. */
  readonly wrap?: boolean;
  readonly headLines?: 1 | 2;
  /** The head stands on the first page only. */
  readonly headOnce?: boolean;
  readonly count?: number;
}

const usual: readonly Column[] = ["code", "problem", "cause", "remedy"];
const long = { count: 60 } as const;

const grids: Readonly<Record<string, Grid>> = {
  "all lines": { order: usual, lines: "all" },
  "lines between rows": { order: usual, lines: "rows" },
  "no lines": { order: usual, lines: "none" },
  "code in the middle": { order: ["problem", "code", "cause", "remedy"], lines: "rows" },
  "code last": { order: ["problem", "cause", "remedy", "code"], lines: "all" },
  "remedy before cause": { order: ["code", "remedy", "cause"], lines: "none" },
  "two columns": { order: ["code", "remedy"], lines: "none" },
  "wrapped cells": { order: usual, lines: "none", wrap: true },
  "wrapped cells with lines": { order: usual, lines: "all", wrap: true },
  "head over two lines": { order: usual, lines: "rows", headLines: 2 },
  "over pages, head again": { order: usual, lines: "none", ...long },
  "over pages, head once": { order: usual, lines: "none", headOnce: true, ...long },
  "over pages, all lines": { order: usual, lines: "all", headOnce: true, ...long },
};

const top = 120;
const rowsOnPage = 14;
const columnWidth = 125;

function gridBook(grid: Grid, words: LayoutWords, entries: readonly Entry[], variant: number): PdfBook {
  const { order, lines, wrap = false, headLines = 1, headOnce = false } = grid;
  const letters = wrap ? 14 : 24;
  const left = (at: number) => 45 + at * columnWidth;
  const row = (texts: readonly string[], y: number, { bold = false, max = letters } = {}): PdfText[] =>
    texts.flatMap((text, at) =>
      wrapped(text, max).map((part, index) => ({
        x: left(at),
        y: y + index * 11,
        text: part,
        bold,
        size: 9,
      })),
    );
  const heightOf = (texts: readonly string[], max = letters) =>
    11 + 11 * Math.max(...texts.map((text) => wrapped(text, max).length));
  const pages = [];
  for (let from = 0; from < entries.length; from += rowsOnPage) {
    const texts: PdfText[] =
      from === 0 ? [{ x: 45, y: 70, size: 18, bold: true, text: `7.3 ${words.heading}` }] : [];
    const headed = from === 0 || !headOnce;
    const ys: number[] = [];
    let y = headed ? top : 80;
    if (headed) {
      const heads = order.map((column) => pick(words[column], variant));
      const max = headLines === 2 ? 9 : letters;
      texts.push(...row(heads, y, { bold: true, max }));
      ys.push(y - 11);
      y += heightOf(heads, max);
    }
    for (const entry of entries.slice(from, from + rowsOnPage)) {
      const cells = order.map((column) => entry[column]);
      texts.push(...row(cells, y));
      ys.push(y - 11);
      y += heightOf(cells);
    }
    pages.push({ texts, lines: drawn(lines, [...ys, y - 11], order.length, left) });
  }
  return { title: "Service manual", pages };
}

function drawn(
  kind: Grid["lines"],
  ys: readonly number[],
  columns: number,
  left: (at: number) => number,
): Line[] {
  if (kind === "none") return [];
  const [x0, x1] = [left(0) - 5, left(columns) - 5];
  const across = ys.map((y): Line => [x0, y, x1, y]);
  if (kind === "rows") return across;
  const [y0 = 0, y1 = 0] = [ys[0], ys.at(-1)];
  const down = Array.from({ length: columns + 1 }, (_, at): Line => [left(at) - 5, y0, left(at) - 5, y1]);
  return [...across, ...down];
}

const pick = (words: readonly string[], variant: number): string => words[variant % words.length] ?? "";

/** Lines of at most so many letters, cut at spaces. */
function wrapped(text: string, max: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= max)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Lists: a line each, a bold code with fields below, and named fields. */
const lists: Readonly<
  Record<string, (words: LayoutWords, entries: readonly Entry[]) => readonly string[][]>
> = {
  "list without heads": (_, entries) => entries.map(({ code, problem }) => [`${code} ${problem}`]),
  "list with dashes": (_, entries) =>
    entries.map(({ code, problem, remedy }) => [`- ${code} - ${problem} - ${remedy}`]),
  "list with colons": (_, entries) =>
    entries.map(({ code, problem, remedy }) => [`${code}: ${problem}. ${remedy}.`]),
  "bold code with fields": ({ fields: [cause, remedy] }, entries) =>
    entries.map((one) => [
      `*${one.code} ${one.problem}`,
      `${cause}: ${one.cause}`,
      `${remedy}: ${one.remedy}`,
    ]),
};

function listBook(words: LayoutWords, items: readonly string[][]): PdfBook {
  let y = 100;
  const texts: PdfText[] = [{ x: 45, y: 70, size: 18, bold: true, text: `7.3 ${words.heading}` }];
  for (const lines of items) {
    for (const line of lines) {
      texts.push({ x: 45, y, text: line.replace(/^\*/, ""), bold: line.startsWith("*"), size: 10 });
      y += 13;
    }
    y += 5;
  }
  return { title: "Service manual", pages: [{ texts }] };
}

export interface LayoutFigure {
  readonly layout: string;
  readonly language: string;
  readonly numbering: string;
  /** Fresh: words of heads no reader was fitted to. */
  readonly words: "fitted" | "fresh";
  readonly codes: number;
  readonly found: number;
  readonly invented: readonly string[];
  /** Entries with problem, cause and remedy in place. */
  readonly right: number;
}

function entriesFor(words: LayoutWords, numbering: string, count: number): readonly Entry[] {
  const name = numberings[numbering] ?? String;
  return Array.from({ length: count }, (_, at) => {
    const [problem = "", cause = "", remedy = ""] = words.troubles[at % words.troubles.length] ?? [];
    return { code: name(at), problem, cause, remedy };
  });
}

/** Every layout in every language, with changing numberings and words of heads. */
export async function layoutFigures(): Promise<readonly LayoutFigure[]> {
  const figures: LayoutFigure[] = [];
  let turn = 0;
  for (const [language, words] of Object.entries(layoutWords)) {
    for (const variant of [0, 1, 2, 3])
      for (const [layout, grid] of Object.entries(grids)) {
        const numbering = Object.keys(numberings)[turn++ % 6] ?? "";
        const entries = entriesFor(words, numbering, grid.count ?? 12);
        const of = { layout, language, numbering, words: variant < 3 ? "fitted" : "fresh" } as const;
        figures.push(await figureOf(of, entries, gridBook(grid, words, entries, variant), grid.order));
      }
    for (const [layout, itemsOf] of Object.entries(lists)) {
      const numbering = Object.keys(numberings)[turn++ % 6] ?? "";
      const entries = entriesFor(words, numbering, 10);
      const of = { layout, language, numbering, words: "fitted" } as const;
      figures.push(
        await figureOf(of, entries, listBook(words, itemsOf(words, entries)), ["code", "problem"]),
      );
    }
  }
  return figures;
}

async function figureOf(
  of: Pick<LayoutFigure, "layout" | "language" | "numbering" | "words">,
  entries: readonly Entry[],
  book: PdfBook,
  order: readonly Column[],
): Promise<LayoutFigure> {
  const told = (await entriesOf(writePdf(book))).map(({ texts }) => texts);
  const byCode = new Map(told.map((texts) => [texts.code ?? "", texts]));
  const known = new Set(entries.map(({ code }) => code));
  const right = entries.filter((entry) => {
    const texts = byCode.get(entry.code);
    return texts !== undefined && order.every((column) => sameIn(texts, column, entry[column]));
  }).length;
  return {
    ...of,
    codes: entries.length,
    found: entries.filter(({ code }) => byCode.has(code)).length,
    invented: told.map(({ code }) => code ?? "").filter((code) => !known.has(code)),
    right,
  };
}

function sameIn(
  texts: Readonly<Record<string, string | undefined>>,
  column: Column,
  wanted: string,
): boolean {
  const text = column === "problem" ? (texts.problem ?? texts.description) : texts[column];
  return (text ?? "").replaceAll(/\s+/g, " ").startsWith(wanted);
}

/** Sums over the layouts with fitted and with fresh words. */
export function layoutSums(figures: readonly LayoutFigure[], words: LayoutFigure["words"]) {
  const some = figures.filter((figure) => figure.words === words);
  const sum = (pick: (figure: LayoutFigure) => number) => some.reduce((total, one) => total + pick(one), 0);
  return {
    codes: sum(({ codes }) => codes),
    found: sum(({ found }) => found),
    right: sum(({ right }) => right),
    invented: sum(({ invented }) => invented.length),
  };
}
