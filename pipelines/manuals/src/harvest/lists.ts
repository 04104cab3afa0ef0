import type { Word } from "../layout/words.ts";
import { boxOfWords } from "./entries.ts";
import type { SplitRow } from "./heads.ts";
import type { TroubleEntry } from "./read-troubles.ts";

/** A code at the start of a line and what is said of it. */
const begins =
  /^#?((?:[A-Z]{1,4}[-–.: ]?\d{1,4}|\d{3,6}|\d{1,3}[-.][A-Z0-9]{1,4}(?:[-.][A-Z0-9]{1,4})?|[A-Z]\d[A-Z0-9]?)[A-Za-z]?)\s{0,4}(?:[:–—\-.)]\s{1,9}|(?<=\s))(\p{L}.{2,})$/u;
const least = { entries: 3 } as const;

interface Open {
  readonly code: string;
  readonly shape: string;
  readonly x0: number;
  texts: string[];
  readonly words: Word[];
}

/** `E01 Water inlet fault`, line by line below a heading that promises codes: the heading is the witness. */
export function readLists(rows: readonly SplitRow[], promise: string): readonly TroubleEntry[] {
  const found: Open[] = [];
  let open: Open | null = null;
  let bottom = 0;
  for (const row of rows) {
    const text = row.words.map((word) => word.text).join(" ");
    const [, code, said] = begins.exec(text) ?? [];
    const [first] = row.words;
    if (code !== undefined && said !== undefined && first) {
      open = { code, shape: shapeOf(code), x0: first.x0, texts: [said], words: [...row.words] };
      found.push(open);
    } else if (open && first && first.x0 > open.x0 + 4 && row.y0 - bottom < 1.5 * row.height) {
      open.texts.push(text);
      open.words.push(...row.words);
    } else open = null;
    bottom = row.y1;
  }
  const counts = new Map<string, number>();
  for (const { shape, x0 } of found)
    counts.set(`${shape}@${Math.round(x0 / 6)}`, (counts.get(`${shape}@${Math.round(x0 / 6)}`) ?? 0) + 1);
  return found
    .filter(({ shape, x0 }) => (counts.get(`${shape}@${Math.round(x0 / 6)}`) ?? 0) >= least.entries)
    .map((entry) => entryOf(entry, promise));
}

/** Codes of one list look alike. */
const shapeOf = (code: string): string =>
  code.replaceAll(/\d+/g, "9").replaceAll(/[A-Za-z]+/g, (letters) => (letters.length > 1 ? "AA" : "A"));

function entryOf({ code, texts, words }: Open, promise: string): TroubleEntry {
  const whole = texts.join(" ").replaceAll(/(\p{Ll})[-\u00ad] (?=\p{Ll})/gu, "$1");
  const [, problem = whole, remedy = ""] = /^(.{3,200}?[.:;!?])\s+(\p{Lu}.*)$/u.exec(whole) ?? [];
  return {
    kind: "trouble",
    texts: { code, problem, ...(remedy && { remedy }) },
    box: boxOfWords(words),
    quote: code,
    witness: promise,
    reader: "lists",
  };
}
