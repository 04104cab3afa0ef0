import { hash } from "node:crypto";

export interface Fingerprinted {
  readonly stage?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/**
 * Twelve hex digits shared by faults with the same cause, independent of ids, numbers, names, addresses and dates in
 * their messages: made of the stage, the code, the wording and the failed function.
 */
export function fingerprint({ stage, code, message, stack }: Fingerprinted): string {
  const parts = [stage ?? null, code, wording(message), stack === undefined ? null : ownFunction(stack)];
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 12);
}

/** Cut first, so a huge or hostile message costs no more than a long message. */
const messageLengthMax = 10_000;
const wordingLengthMax = 300;

/** The first line of a message with `#` for all parts specific to a document. */
function wording(message: string): string {
  const text = withoutQuotes(message.slice(0, messageLengthMax), message.length > messageLengthMax);
  return (text.trimStart().split(/[\r\n]/, 1)[0] ?? "")
    .replace(url, "#")
    .replace(email, "#")
    .replace(path, "#")
    .replace(writtenDate, "#")
    .replace(isoDate, "#")
    .replace(word, (found) => (hasDigit.test(found) || hexWord.test(found) ? "#" : found))
    .replace(adjacent, "#")
    .replace(/\s+/g, " ")
    .slice(0, wordingLengthMax);
}

// All quantifiers are bounded or run over one class: no input can make them slow.
const url = /[a-z][a-z0-9+.-]{0,20}:\/\/\S{0,2000}[^\s.,;:!?)\]}>'"]/gi;
const email = /[^\s@<>()[\],;:"']{1,200}@[^\s@<>()[\],;:"']{1,255}/g;
/** Names of files and archives: with a slash inside, or with an ending of a file. */
const path =
  /[\p{L}\p{N}_.~-]{0,200}\/[\p{L}\p{N}_.~/-]{1,400}|[\p{L}\p{N}_-]{1,200}\.(?:mbox|mbx|eml|gz|tgz|zip|tar|bz2|xz|zst|txt|json|xml|html?|pdf|csv|md|log)\b/giu;
const isoDate =
  /\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?/g;
const writtenDate = makeWrittenDate();
const word = /[\p{L}\p{N}_-]+/gu;
const hasDigit = /\p{N}/u;
const hexWord = /^[0-9a-f]{8,}$/i;
const adjacent = /(?:[.,:/+ -]{0,3}#)+/g;

/** `Mon, 06 May 2024 10:00:00 GMT`, `Mon May 06 2024 10:00:00 GMT+0000 (Coordinated Universal Time)` … */
function makeWrittenDate(): RegExp {
  const day = "(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? ";
  const month = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
  const date = `(?:\\d{1,2} ${month}|${month} \\d{1,2}),? \\d{4}`;
  const zone = "(?: ?(?:gmt|utc|z|am|pm))?(?: ?[+-]\\d{2}:?\\d{2})?(?: \\([^)]{1,60}\\))?";
  const time = `(?:,? \\d{1,2}:\\d{2}(?::\\d{2})?${zone})?`;
  return new RegExp(`(?:\\b${day})?\\b${date}${time}`, "gi");
}

const closingOf = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["‘", "’"],
  ["«", "»"],
]);

/**
 * Replaces quoted text. A quote opens after a space or sign and closes before one, so that the apostrophe of "can't"
 * does neither. Linear: what is found is skipped, and what is not found is not looked for again.
 */
function withoutQuotes(text: string, isCut: boolean): string {
  const unclosed = new Set<string>();
  let result = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const closing = closingOf.get(text.charAt(at));
    if (closing === undefined || unclosed.has(closing) || isWordAt(text, at - 1)) continue;
    const end = closingAt(text, at + 1, closing, isCut ? text.length : -1);
    if (end === -1) {
      unclosed.add(closing);
      continue;
    }
    result += `${text.slice(from, at)}#`;
    from = end + 1;
    at = end;
  }
  return result + text.slice(from);
}

function closingAt(text: string, from: number, closing: string, otherwise: number): number {
  for (let at = text.indexOf(closing, from); at !== -1; at = text.indexOf(closing, at + 1)) {
    if (text.charAt(at - 1) !== "\\" && !isWordAt(text, at + 1)) return at;
  }
  return otherwise;
}

const isWordAt = (text: string, at: number): boolean => /[\p{L}\p{N}_]/u.test(text.charAt(at));

const framesLengthMax = 8_192;

/** The innermost function of a stack that is neither Node's nor a package's; lines and columns do not count. */
function ownFunction(stack: string): string | null {
  const start = stack.indexOf("\n    at ");
  if (start === -1) return null;
  const frames = stack.slice(start + 1, start + framesLengthMax).split("\n");
  const own = frames.find((frame) => frame.startsWith("    at ") && !foreignFrame.test(frame));
  if (own === undefined) return null;
  const frame = own.slice("    at ".length).replace(/^async /, "");
  const place = frame.indexOf(" (");
  return place === -1 ? fileName(frame) : frame.slice(0, place).replace(/ \[as [^[]*$/, "");
}

const foreignFrame = /node_modules[\\/]|[ (]node:|<anonymous>\)|\(native|\(index \d/;

function fileName(place: string): string {
  const file = place.slice(Math.max(place.lastIndexOf("/"), place.lastIndexOf("\\")) + 1);
  return file.split(/[?:]/, 1)[0] ?? "";
}
