import { boxOfWords } from "./entries.ts";
import type { SplitRow } from "./heads.ts";
import type { Promised } from "./promised.ts";
import type { TroubleEntry } from "./read-troubles.ts";

const opens = /^[‘“"'«„‚`]/u;
const closes = /[’”"'»“‘`][.,;:]?$/u;
const least = { entries: 2, indentPoints: 8 } as const;

const textOf = (row: SplitRow): string => row.words.map(({ text }) => text).join(" ");

interface Message {
  readonly heads: SplitRow[];
  readonly rows: SplitRow[];
  readonly promise: string;
}

/** Messages in quotes, or bold, with the explanation further right, below a promising heading. */
export function readMessages(rows: readonly SplitRow[], promised: Promised): readonly TroubleEntry[] {
  const found: Message[] = [];
  let open: Message | null = null;
  for (const row of rows) {
    const promise = promised(row.y0);
    const left = row.words[0]?.x0 ?? 0;
    const head: SplitRow | undefined = open?.heads[0];
    const edge = head?.words[0]?.x0 ?? 0;
    if (promise === null || textOf(row) === promise || (head && row.height > 1.25 * head.height)) open = null;
    else if (isMessage(row)) {
      // Several messages may share an explanation.
      if (open && open.rows.length === 0 && Math.abs(left - edge) < 3) open.heads.push(row);
      else if (!open || left < edge + least.indentPoints) {
        open = { heads: [row], rows: [], promise };
        found.push(open);
      } else open.rows.push(row);
    } else if (open && left > edge + least.indentPoints) open.rows.push(row);
    else open = null;
  }
  const whole = found.filter(({ rows: own }) => own.length > 0);
  return whole.length < least.entries ? [] : whole.map(entryOf);
}

function isMessage({ words }: SplitRow): boolean {
  const [first, last] = [words[0]?.text ?? "", words.at(-1)?.text ?? ""];
  if (opens.test(first)) return closes.test(last);
  return words.every(({ bold }) => bold) && words.some(({ text }) => /\p{L}{3}/u.test(text));
}

function entryOf({ heads, rows, promise }: Message): TroubleEntry {
  const explained = rows
    .map(textOf)
    .join(" ")
    .replaceAll(/(\p{Ll})[-\u00ad] (?=\p{Ll})/gu, "$1");
  return {
    kind: "trouble",
    texts: { problem: heads.map(textOf).join(" / "), cause: explained },
    box: boxOfWords([...heads, ...rows].flatMap(({ words }) => words)),
    quote: heads.slice(0, 1).map(textOf).join(""),
    witness: promise,
    reader: "lists",
  };
}
