import { readFromLine } from "./split-from-line.ts";
import {
  headerNameOf,
  isBinary,
  isListservLine,
  isListservOpening,
  isMailHeader,
  lookAtOpening,
} from "./split-header-lines.ts";

export interface Sniffed {
  readonly kind: "mbox" | "mmdf" | "listserv" | "mail" | "empty" | "not-mail";
  readonly because: string;
}

/** Where the content begins, and what was found there. */
export interface Start extends Sniffed {
  readonly begin: number;
  /** The file is something else, so it is not searched for mails any further. */
  readonly foreign: boolean;
}

/** Looks at the first bytes. */
export function sniffArchive(head: Buffer): Sniffed {
  const { kind, because } = findStart(head);
  return { kind, because };
}

/** How many leading lines may be something else before the first header. */
const oddLinesMax = 20;

export function findStart(head: Buffer): Start {
  const foreign = foreignKind(head);
  if (foreign !== null) return { kind: "not-mail", because: `It is ${foreign}.`, begin: 0, foreign: true };
  const begin = skipPadding(head);
  const found = (kind: Sniffed["kind"], because: string, at = begin): Start => ({
    ...{ kind, because, begin: at, foreign: false },
  });
  if (head.length === 0) return found("empty", "It has no bytes.");
  if (begin === head.length) return found("empty", "It has nothing but blanks.");
  const rest = head.subarray(begin);
  if (rest.subarray(0, 4).equals(Buffer.from([1, 1, 1, 1])))
    return found("mmdf", "It begins with a line of four ^A.");
  const text = rest.toString("latin1");
  const lines = text.split(/\r\n|\n|\r/, 4096);
  if (isListservLine(lines[0] ?? "") && isListservOpening(lines.slice(1)))
    return found("listserv", 'It begins with the line of "=" of a LISTSERV log.');
  if (opensWithSeparator(rest, lines[0] ?? "")) return found("mbox", 'It begins with a "From " line.');
  if (lookAtOpening(rest) === "headers" && lines.slice(0, blockLength(lines, 0)).some(isMailHeader))
    return found("mail", "It begins with the headers of a mail.");
  const odd = oddLines(lines);
  if (odd > 0)
    return found(
      "mail",
      `It has the headers of a mail after ${odd} other lines.`,
      begin + offsetOfLine(text, odd),
    );
  if (lines.some((line, at) => isLaterSeparator(lines, line, at)))
    return found("mbox", 'It has a "From " line that is followed by headers.');
  return found(
    "not-mail",
    isBinary(text) ? "It is binary data." : "It is text without a single mail header.",
  );
}

function opensWithSeparator(rest: Buffer, line: string): boolean {
  const from = line.startsWith("From ") ? readFromLine(line) : null;
  if (from === null) return false;
  return from.grade !== "bare" || lookAtOpening(rest.subarray(line.length + 1)) === "headers";
}

function isLaterSeparator(lines: readonly string[], line: string, at: number): boolean {
  if (!line.startsWith("From ") || readFromLine(line) === null) return false;
  return lookAtOpening(Buffer.from(lines.slice(at + 1, at + 8).join("\n"), "latin1")) === "headers";
}

/** How many header lines, with their continuations, stand from line `at` on. */
function blockLength(lines: readonly string[], at: number): number {
  let length = 0;
  for (const line of lines.slice(at)) {
    if (headerNameOf(line) === null && !(length > 0 && /^[ \t]+\S/.test(line))) break;
    length++;
  }
  return length;
}

/** How many lines stand before a block of at least three headers that mails have; 0 when there is none. */
function oddLines(lines: readonly string[]): number {
  for (let at = 1; at <= Math.min(oddLinesMax, lines.length - 3); at++) {
    const block = isMailHeader(lines[at] ?? "") ? lines.slice(at, at + blockLength(lines, at)) : [];
    if (block.filter(isMailHeader).length >= 3) return at;
  }
  return 0;
}

function offsetOfLine(text: string, line: number): number {
  const breaks = /\r\n|\n|\r/g;
  for (let at = 0; at < line; at++) breaks.exec(text);
  return breaks.lastIndex;
}

/** A byte order mark, blanks, and the NULs of a file that was never fully written. */
function skipPadding(head: Buffer): number {
  let at = head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  while (at < head.length && [0x00, 0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d].includes(head[at] ?? -1)) at++;
  return at;
}

const wideText = "text in UTF-16, and mail archives are bytes: save it as UTF-8";

const magics: readonly (readonly [bytes: string, name: string])[] = [
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP file or a document packed as one"],
  ["PK\x05\x06", "an empty ZIP file"],
  ["\x1f\x8b", "a gzip file"],
  ["BZh", "a bzip2 file"],
  ["\xfd7zXZ\x00", "an xz file"],
  ["\x28\xb5\x2f\xfd", "a Zstandard file"],
  ["7z\xbc\xaf\x27\x1c", "a 7-Zip file"],
  ["Rar!\x1a\x07", "a RAR file"],
  ["\x89PNG\r\n", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["\x7fELF", "a program"],
  ["MZ\x90\x00", "a program"],
  ["!BDN", "an Outlook data file (.pst)"],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Outlook message or an old Office document"],
  ["SQLite format 3\x00", "an SQLite database"],
  ["{\\rtf", "an RTF document"],
  ["%!PS", "a PostScript document"],
  ["\xff\xfe", wideText],
  ["\xfe\xff", wideText],
];

function foreignKind(head: Buffer): string | null {
  const text = head.toString("latin1", 0, 1024);
  const magic = magics.find(([bytes]) => text.startsWith(bytes));
  if (magic !== undefined) return magic[1];
  if (head.length > 262 && head.toString("latin1", 257, 262) === "ustar") return "a tar archive";
  if (isTwoBytesEach(head)) return wideText;
  const page = /^(?:\xef\xbb\xbf)?\s*<(!doctype html|html|head|body|\?xml|svg)[\s>]/i
    .exec(text)?.[1]
    ?.toLowerCase();
  if (page === undefined) return null;
  return page === "?xml" || page === "svg" ? "an XML document" : "an HTML page";
}

/** ASCII letters with a NUL beside each of them. */
function isTwoBytesEach(head: Buffer): boolean {
  const bytes = [...head.subarray(0, 16)];
  const isText = (odd: number) => bytes.every((byte, at) => (byte === 0) === (at % 2 === odd));
  return bytes.length === 16 && (isText(0) || isText(1));
}
