import { isUtf8 } from "node:buffer";
import { decodeBase64, decodeQuotedPrintable, type Unpacked } from "./transfer-encodings.ts";

/**
 * The bytes of a text whose mail does not say how it is encoded, because an archive threw the header away. It is
 * decoded only on signs that prose and code do not give:
 *
 * | read as          | when                                                                                  |
 * |------------------|---------------------------------------------------------------------------------------|
 * | Base64           | it begins with even lines of it, and what comes out is text; a plain footer may follow |
 * | quoted-printable | every "=" in it is an escape or ends a full line, and at least two are beyond doubt    |
 */
export function decodeUndeclared(body: Buffer): Unpacked {
  const bytes = fromBase64(body) ?? fromQuotedPrintable(body);
  return bytes === null ? { bytes: body, flags: [] } : { bytes, flags: ["encoding.mislabelled"] };
}

/** Encoders write lines of 60 to 76 characters; fewer characters in total are a word, not a mail. */
const lineLengthMin = 56;
const lineLengthMax = 76;
const encodedLengthMin = 40;

function fromBase64(body: Buffer): Buffer | null {
  const block = findBase64(body);
  if (block === null) return null;
  const { bytes } = decodeBase64(body.subarray(block.start, block.end));
  if (!isText(bytes)) return null;
  const rest = body.subarray(block.end);
  const needsBreak = rest.length > 0 && bytes.at(-1) !== 10;
  return Buffer.concat(needsBreak ? [bytes, Buffer.from("\n"), rest] : [bytes, rest]);
}

interface Block {
  readonly start: number;
  readonly end: number;
}

/** Lines of one length, then a shorter line; together whole groups of four. */
function findBase64(body: Buffer): Block | null {
  let start = 0;
  while (start < body.length && isBlank(body[start]!)) start++;
  let at = start;
  let characters = 0;
  let lines = 0;
  let full = 0;
  let isLast = false;
  while (at < body.length && !isLast) {
    const { text, next } = lineAt(body, at);
    if (!base64Line.test(text) || (lines > 0 && text.length > full)) break;
    if (lines === 0) full = text.length;
    isLast = text.length < full || text.endsWith("=");
    characters += text.length;
    lines++;
    at = next;
  }
  const isLong = lines > 1 ? full >= lineLengthMin && full % 4 === 0 : isAlone(body, at);
  if (!isLong || characters < encodedLengthMin || characters % 4 !== 0) return null;
  return { start, end: at };
}

const base64Line = /^[A-Za-z0-9+/]{1,76}={0,2}$/;
const isBlank = (byte: number): boolean => byte === 10 || byte === 13 || byte === 32 || byte === 9;

/** The line at a position without trailing blanks; of an overlong line only the beginning. */
function lineAt(body: Buffer, at: number): { readonly text: string; readonly next: number } {
  const newline = body.indexOf(10, at);
  const end = newline < 0 ? body.length : newline;
  const text = body.toString("latin1", at, Math.min(end, at + lineLengthMax + 8)).trimEnd();
  return { text, next: Math.min(body.length, end + 1) };
}

/** A single line is accepted only if nothing but a footer follows. */
function isAlone(body: Buffer, from: number): boolean {
  const rest = body.toString("latin1", from, Math.min(body.length, from + 200)).trimStart();
  return rest === "" || /^(?:_{5,}|-{5,}|-- ?\r?\n)/.test(rest);
}

/** Text has no control characters, and non-UTF-8 bytes must be many to exclude chance. */
function isText(bytes: Buffer): boolean {
  let spaces = 0;
  for (const byte of bytes) {
    if (byte < 32 && !isTextControl(byte)) return false;
    if (byte === 32 || byte === 10) spaces++;
  }
  if (isUtf8(bytes)) return spaces > 0 || bytes.some((byte) => byte >= 128);
  return bytes.length >= 60 && spaces > 0;
}

/** Tab, line feed, form feed, carriage return, and the escape of Japanese mail. */
const isTextControl = (byte: number): boolean =>
  byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 27;

function fromQuotedPrintable(body: Buffer): Buffer | null {
  if (!body.includes(61)) return null;
  const end = startOfFooter(body);
  const encoded = body.subarray(0, end);
  if (!isQuotedPrintable(encoded.toString("latin1"))) return null;
  return Buffer.concat([decodeQuotedPrintable(encoded), body.subarray(end)]);
}

/** The rule drawn by lists above their footer, which is never encoded. */
function startOfFooter(body: Buffer): number {
  const ruled = body.lastIndexOf("\n____________________");
  return ruled < 0 ? body.length : ruled + 1;
}

/** A letter or typographic mark in UTF-8; another escape; the end of a line; or a literal "=". */
const equals =
  /=(?:(C[2-9A-F]=[89AB][0-9A-F]|D[0-9A-F]=[89AB][0-9A-F]|E[0-9A-F]=[89AB][0-9A-F]=[89AB][0-9A-F]|F0=[89AB][0-9A-F]=[89AB][0-9A-F]=[89AB][0-9A-F])|([0-9A-F]{2})|([ \t]{0,4}(?:\r?\n|$))|)/g;

function isQuotedPrintable(text: string): boolean {
  let softBreaks = 0;
  let letters = 0;
  let escapes = 0;
  for (const { 0: found, 1: letter, 2: hex, 3: ending, index } of text.matchAll(equals)) {
    if (letter !== undefined) letters++;
    else if (hex !== undefined) {
      if (!isEscapable(Number.parseInt(hex, 16))) return false;
      escapes++;
    } else if (ending === undefined || text[index - 1] === "=") return false;
    else if (isFullLine(text, index, index + found.length)) softBreaks++;
  }
  const sure = softBreaks + letters + (/^=20\r?$/m.test(text) ? 1 : 0);
  return sure > 1 || (softBreaks > 0 && escapes > 0) || (sure > 0 && escapes > 1);
}

const isEscapable = (byte: number): boolean => byte >= 32 || isTextControl(byte);

/** Whether a line has about an encoder's full length, and the next line continues. */
function isFullLine(text: string, index: number, next: number): boolean {
  const start = text.lastIndexOf("\n", index) + 1;
  const length = index + 1 - start;
  return length >= lineLengthMin && length <= lineLengthMax + 2 && next < text.length;
}
