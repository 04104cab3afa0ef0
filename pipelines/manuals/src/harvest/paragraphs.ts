import type { Segment } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { boxOfWords } from "./entries.ts";
import type { SplitRow } from "./heads.ts";
import type { TroubleEntry } from "./read-troubles.ts";
import { isCodeShaped, roleOf } from "./roles.ts";

const title =
  /^(?:(?:error|fault|alarm|code|fehler|störung|falha|erro|error)\s+)?#?((?:[A-Z]{1,4}[-. ]?)?\d{1,5}(?:[-._][A-Z0-9]{1,4}){0,3}|[A-Z]{1,2}\d{1,4})[:.\s–-]+(\p{Lu}.+)$/iu;
const labelled =
  /^(?:[•·▪◦‣●○■□*–—-]\s{1,9})?(\p{L}[\p{L}\s/'’()-]{2,40}?)(?:\s\([^)]{1,24}\))?\s?:(?:\s{1,9}(\S.*))?$/u;

type Field = "code" | "problem" | "cause" | "remedy";

interface Open {
  readonly texts: Partial<Record<Field, string>>;
  field: Field;
  readonly words: Word[];
  readonly quote: string;
  readonly x0: number;
  readonly height: number;
}

export interface Paragraphs {
  readonly entries: readonly TroubleEntry[];
  /** The last entry reaches the end of the page. */
  readonly open: boolean;
}

/**
 * Fields below a bold `E12 TITLE`, or `Problem:` with `Cause:` or `Solution:`. A code without such a field is a
 * numbered heading.
 */
export function readParagraphs(rows: readonly SplitRow[], next: readonly SplitRow[] = []): Paragraphs {
  const found: Open[] = [];
  let open: Open | null = null;
  for (const segment of inStream(rows)) {
    const begun = begin(segment, open);
    if (begun) {
      open = begun;
      found.push(begun);
    } else if (open) open = goOn(open, segment);
  }
  const reaches = open !== null;
  for (const segment of inStream(next)) {
    if (open === null || begin(segment, open)) break;
    open = goOn(open, segment, false);
  }
  const whole = found.filter(({ texts }) => texts.cause !== undefined || texts.remedy !== undefined);
  return { entries: whole.map(entryOf), open: reaches };
}

const inStream = (rows: readonly SplitRow[]): readonly Segment[] =>
  rows.flatMap((row) => row.segments).sort((one, other) => one.first - other.first);

function begin(segment: Segment, open: Open | null): Open | null {
  const { text, bold, words, x0, height } = segment;
  const place = { words: [...words], quote: text, x0, height };
  const [, code, problem] = (bold ? title.exec(text) : null) ?? [];
  if (code !== undefined && problem !== undefined && isCodeShaped(code) && !isNumbering(code))
    return { ...place, texts: { code, problem }, field: "problem" };
  const label = labelOf(segment);
  if (label?.field === "code" && isCodeShaped(label.rest))
    return { ...place, texts: { code: label.rest }, field: "code" };
  if (label?.field !== "problem" || (open && open.texts.problem === undefined)) return null;
  return { ...place, texts: { problem: label.rest }, field: "problem" };
}

const isNumbering = (code: string): boolean => /^\d{1,2}(?:\.\d{1,2})*$/.test(code);

/** `Solution: …`, or a bold role word at the start of the line. */
function labelOf({ text, words }: Segment): { readonly field: Field; readonly rest: string } | null {
  const [, name, rest = ""] = labelled.exec(text) ?? [];
  const field = name === undefined ? null : fieldOf(name);
  if (field) return { field, rest };
  const plain = words.findIndex(({ bold }) => !bold);
  if (plain < 1) return null;
  const role = fieldOf(words[0]?.text ?? "");
  return (
    role && {
      field: role,
      rest: words
        .slice(plain)
        .map((word) => word.text)
        .join(" "),
    }
  );
}

function fieldOf(name: string): Field | null {
  const role = roleOf(name);
  return role === "code" || role === "problem" || role === "cause" || role === "remedy" ? role : null;
}

/** Null: the segment is no part of the entry. */
function goOn(open: Open, segment: Segment, ownPage = true): Open | null {
  const { text, bold, words, height, x0 } = segment;
  const label = labelOf(segment);
  if (!label && bold && open.field !== "problem") return null;
  if (!label && (height > 1.25 * open.height || x0 < open.x0 - 4)) return null;
  const field = label?.field ?? open.field;
  const part = label?.rest ?? text;
  const before = open.texts[field];
  open.texts[field] = before === undefined || before === "" ? part : joined(before, part);
  open.field = field;
  if (ownPage) open.words.push(...words);
  return open;
}

const joined = (before: string, part: string): string =>
  /\p{Ll}[-\u00ad]$/u.test(before) && /^\p{Ll}/u.test(part)
    ? before.slice(0, -1) + part
    : `${before} ${part}`;

function entryOf({ texts, words, quote }: Open): TroubleEntry {
  const told = Object.fromEntries(
    Object.entries(texts).flatMap(([field, text]) => (text ? [[field, text.replaceAll("\u00ad", "-")]] : [])),
  );
  return {
    kind: "trouble",
    texts: told,
    box: boxOfWords(words),
    quote,
    witness: texts.cause === undefined ? "a remedy below the heading" : "a cause below the heading",
    reader: "paragraphs",
  };
}
