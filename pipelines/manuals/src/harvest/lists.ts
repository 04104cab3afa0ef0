import type { Word } from "../layout/words.ts";
import { boxOfWords } from "./entries.ts";
import type { SplitRow } from "./heads.ts";
import type { Promised } from "./promised.ts";
import type { TroubleEntry } from "./read-troubles.ts";

const codeShape =
  "(?:[A-Z]{1,3}\\d{1,3}[-.]\\d{1,4}|[A-Z]{1,4}[-–.: ]?\\d{1,4}|0x[0-9A-Fa-f]{1,8}|-?\\d{3,6}|\\d{1,3}[-.][A-Z0-9]{1,4}(?:[-.][A-Z0-9]{1,4}){0,2}|[A-Z]\\d[A-Z0-9]?)[A-Za-z]?";
/** A code at the start of a line, perhaps with a second number in brackets, and the words about it. */
const begins = new RegExp(
  `^#?(${codeShape})(?:\\s?\\([-−–]?\\w{1,6}\\))?\\s{0,4}(?:[:–—\\-.)=]\\s{1,9}|(?<=\\s))([\\p{L}_“"‘'(<\\[].{1,})$`,
  "u",
);
/** A symbol with its number: `FILE_NOT_OPENED 104 could not open the file`. */
const named =
  /^([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6})\s{1,9}(-?\d{1,6}|0x[0-9A-Fa-f]{1,8})(?:\s{1,9}(\S.{0,2000}))?$/;
const bullet = /^[•·▪◦‣●○■□◆➢*–—-]$/;
/** Numbers of headings; a code fills its parts with zeros. */
const isNumbering = (code: string): boolean =>
  /^\d{1,2}(?:\.\d{1,2}){0,4}$/.test(code) && !/^\d{1,3}(?:\.\d{2}){2}$/.test(code);

const least = { entries: 3 } as const;
/** Lines of an entry as far left as the code. */
const levelRowsMax = 6;

interface Start {
  readonly at: number;
  readonly code: string;
  readonly said: string;
  /** Codes of a list look alike, in a column. */
  readonly kind: string;
  readonly x0: number;
}

/** `E01 Water inlet fault`, line by line below a promising heading: the heading is the witness. */
export function readLists(rows: readonly SplitRow[], promised: Promised): readonly TroubleEntry[] {
  const all = rows.flatMap((row, at) => (promised(row.y0) === null ? [] : (startOf(row, at) ?? [])));
  const counts = new Map<string, number>();
  for (const { kind } of all) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const starts = all.filter(({ kind }) => (counts.get(kind) ?? 0) >= least.entries);
  const gap = gapBehindStarts(rows, starts);
  return starts.map((start, index) => {
    const own = rowsOf(rows, start, { end: starts[index + 1]?.at ?? rows.length, gap, promised });
    return entryOf(start, rows[start.at], own, promised(rows[start.at]?.y0 ?? 0) ?? "");
  });
}

function startOf(row: SplitRow, at: number): Start | null {
  const [first, second] = row.words;
  const words = first && second && bullet.test(first.text) ? row.words.slice(1) : row.words;
  const text = words.map((word) => word.text).join(" ");
  const x0 = first?.x0 ?? 0;
  const place = Math.round(x0 / 6);
  const [, symbol, number, rest = ""] = named.exec(text) ?? [];
  if (symbol !== undefined && number !== undefined)
    return { at, code: number, said: `${symbol} ${rest}`.trim(), kind: `symbol@${place}`, x0 };
  const [, code, said] = begins.exec(text) ?? [];
  if (code === undefined || said === undefined || isNumbering(code)) return null;
  return { at, code, said, kind: `${shapeOf(code)}@${place}`, x0 };
}

const shapeOf = (code: string): string =>
  code.startsWith("0x")
    ? "0x9"
    : code.replaceAll(/\d+/g, "9").replaceAll(/[A-Za-z]+/g, (letters) => (letters.length > 1 ? "AA" : "A"));

/** The usual gap between a line with a code and the line below. */
function gapBehindStarts(rows: readonly SplitRow[], starts: readonly Start[]): number {
  const gaps = starts
    .map(({ at }) => (rows[at + 1]?.y0 ?? Number.POSITIVE_INFINITY) - (rows[at]?.y1 ?? 0))
    .filter(Number.isFinite)
    .sort((one, other) => one - other);
  return gaps[gaps.length >> 1] ?? 0;
}

/** Lines of an entry: further right, or as far left at the usual gap of the list. */
function rowsOf(
  rows: readonly SplitRow[],
  { at, x0 }: Start,
  { end, gap, promised }: { readonly end: number; readonly gap: number; readonly promised: Promised },
): readonly SplitRow[] {
  const own: SplitRow[] = [];
  const promise = promised(rows[at]?.y0 ?? 0);
  let bottom = rows[at]?.y1 ?? 0;
  let level = 0;
  for (const row of rows.slice(at + 1, end)) {
    const left = row.words[0]?.x0 ?? 0;
    const below = row.y0 - bottom;
    const indented = left > x0 + 4;
    if (!indented) level++;
    const near = indented ? below < 1.5 * row.height : below <= Math.min(1.15 * gap + 1, 1.6 * row.height);
    if (!near || left < x0 - 4 || level > levelRowsMax || promised(row.y0) !== promise) break;
    if (row.height > 1.2 * (rows[at]?.height ?? row.height)) break;
    own.push(row);
    bottom = row.y1;
  }
  return own;
}

function entryOf(
  { code, said, x0 }: Start,
  first: SplitRow | undefined,
  own: readonly SplitRow[],
  promise: string,
): TroubleEntry {
  const textOf = (row: SplitRow) => row.words.map(({ text }) => text).join(" ");
  // A line as far left as the code is a new sentence; a line further right goes on.
  const level = own.findIndex((row) => (row.words[0]?.x0 ?? 0) <= x0 + 4);
  const head = joined([said, ...(level < 0 ? own : own.slice(0, level)).map(textOf)]);
  const rest = level < 0 ? "" : joined(own.slice(level).map(textOf));
  const words: Word[] = [first, ...own].flatMap((row) => row?.words ?? []);
  return {
    kind: "trouble",
    texts: { code, ...(rest === "" ? splitSaid(head) : { problem: head, ...explained(rest) }) },
    box: boxOfWords(words),
    quote: code,
    witness: promise,
    reader: "lists",
  };
}

const joined = (texts: readonly string[]): string =>
  texts.join(" ").replaceAll(/(\p{Ll})[-\u00ad] (?=\p{Ll})/gu, "$1");

/** `NAME - explanation`, or a sentence and the rest. */
function splitSaid(said: string): { problem: string; cause?: string; remedy?: string } {
  const [, name, about] = /^(\S.{1,80}?)\s[-–—]\s{1,9}(\S.*)$/u.exec(said) ?? [];
  if (name !== undefined && about !== undefined) return { problem: name, ...explained(about) };
  const [, problem = said, rest = ""] = /^(.{3,200}?[.:;!?])\s+(\p{Lu}.*)$/u.exec(said) ?? [];
  return { problem, ...(rest && explained(rest)) };
}

const orders =
  /^(?:please\s+)?(?:check|clean|replace|open|close|turn|switch|restart|reset|contact|call|make sure|ensure|remove|press|tighten|adjust|refill|fill|add|wait|try|install|update|verify|use|disconnect|reconnect|reduce|increase|lower|unplug|plug|insert|repeat|reinsert|prüfen|reinigen|ersetzen|überprüfen|vérifi|nettoy|remplac|compruebe|limpi|sustitu|verifi|limp|substitu|controll|pulire|sostitu)/iu;

/** An explanation in the form of an order is a remedy, else a cause. */
const explained = (text: string): { cause: string } | { remedy: string } =>
  orders.test(text) ? { remedy: text } : { cause: text };
