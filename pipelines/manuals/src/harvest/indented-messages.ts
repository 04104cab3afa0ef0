import { boxOfWords } from "./entries.ts";
import type { SplitRow } from "./heads.ts";
import type { Promised } from "./promised.ts";
import type { TroubleEntry } from "./read-troubles.ts";

const least = { entries: 3, indentPoints: 9 } as const;
const most = { indentPoints: 70, rows: 6 } as const;
const bullet = /^(?:[•·▪◦‣●○■□◆➢*–—-]|\(?\d{1,2}[.)]|\(?[a-z]\))$/;

const textOf = (rows: readonly SplitRow[]): string =>
  rows
    .map(({ words }) => words.map(({ text }) => text).join(" "))
    .join(" ")
    .replaceAll(/(\p{Ll})[-\u00ad] (?=\p{Ll})/gu, "$1");
const leftOf = ({ words }: SplitRow): number => words[0]?.x0 ?? 0;

interface Message {
  readonly heads: SplitRow[];
  readonly rows: SplitRow[];
  readonly promise: string;
}

/** Messages further right, each with sentences at the margin below, under a promising heading. */
export function readIndentedMessages(rows: readonly SplitRow[], promised: Promised): readonly TroubleEntry[] {
  const under = rows.filter((row) => promised(row.y0) !== null);
  const margin = Math.min(...under.map(leftOf));
  const found: Message[] = [];
  const current = (): Message | undefined => (closed ? undefined : found.at(-1));
  let closed = true;
  let listed = false;
  for (const row of under) {
    const promise = promised(row.y0) ?? "";
    const indent = leftOf(row) - margin;
    const open = current();
    if (row.words.every(({ bold }) => bold) || textOf([row]) === promise) closed = true;
    else if (indent < least.indentPoints) {
      open?.rows.push(row);
      listed = false;
    } else if (bullet.test(row.words[0]?.text ?? "") || (listed && indent <= most.indentPoints)) {
      // A list explains; its lines are no messages.
      open?.rows.push(row);
      listed = true;
    } else if (open && (isFurther(open, row) || indent > most.indentPoints)) goOn(open, row);
    else if (indent <= most.indentPoints) {
      found.push({ heads: [row], rows: [], promise });
      closed = false;
    }
  }
  const whole = found.filter(isWhole);
  const places = new Set(whole.map(({ heads: [head] }) => Math.round((head ? leftOf(head) : 0) / 4)));
  return whole.length < least.entries || places.size > 2 ? [] : whole.map(entryOf);
}

/** A second line of the message. */
function isFurther(open: Message, row: SplitRow): boolean {
  const last = open.heads.at(-1);
  return open.rows.length === 0 && last !== undefined && row.y0 - last.y1 < 0.6 * row.height;
}

function goOn(open: Message, row: SplitRow): void {
  (open.rows.length === 0 ? open.heads : open.rows).push(row);
}

/** Sentences explain; lines of a listing do not. */
const isWhole = ({ heads, rows }: Message): boolean =>
  heads.length <= most.rows && /^[\p{Lu}‘“"'`].*[.!?)\]:]$/u.test(textOf(rows));

function entryOf({ heads, rows, promise }: Message): TroubleEntry {
  return {
    kind: "trouble",
    texts: { problem: textOf(heads), cause: textOf(rows) },
    box: boxOfWords([...heads, ...rows].flatMap(({ words }) => words)),
    quote: textOf(heads.slice(0, 1)),
    witness: promise,
    reader: "lists",
  };
}
