import { isUtf8 } from "node:buffer";
import { readUuencoded } from "./embedded-files.ts";

export interface Unpacked {
  readonly bytes: Buffer;
  readonly flags: readonly string[];
}

/** The bytes of a part without transfer encoding; wrongly labelled bytes stay unchanged. */
export function decodeTransfer(body: Buffer, encoding: string): Unpacked {
  const kind = readEncoding(encoding);
  if (kind === "base64") return decodeBase64(body);
  if (kind === "quoted-printable") return { bytes: decodeQuotedPrintable(body), flags: [] };
  if (kind === "uuencode") return { bytes: readUuencoded(body) ?? body, flags: [] };
  return { bytes: body, flags: [] };
}

export function readEncoding(encoding: string): "base64" | "quoted-printable" | "uuencode" | "none" {
  const word = encoding
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
  if (word.startsWith("quotedprint") || word === "qp") return "quoted-printable";
  if (word.startsWith("base64") || word === "b64" || word === "xbase64") return "base64";
  if (word.startsWith("xuu") || word.startsWith("uue") || word.startsWith("uucode")) return "uuencode";
  return "none";
}

/**
 * Base64 line by line. Invalid lines are left out: lists add a footer after the encoded text. If most lines are
 * invalid, the text was never encoded.
 */
export function decodeBase64(body: Buffer): Unpacked {
  const encoded = paddedStart(body);
  return encoded === null || encoded.length === body.length
    ? decodeLines(body)
    : { bytes: decodeLines(encoded).bytes, flags: ["encoding.broken"] };
}

const paddedText =
  /^(?:[ \t]*[A-Za-z0-9+/]{4,}[ \t]*\r?\n){0,10000}[ \t]*([A-Za-z0-9+/]{4,}={1,2})[ \t]*\r?\n/;
const startMax = 65_536;

/** Encoded lines up to a padding, if words follow; a footer may be longer than a short mail. */
function paddedStart(body: Buffer): Buffer | null {
  const start = body.subarray(0, startMax).toString("latin1");
  const found = paddedText.exec(start.replace(/^\s+/, ""));
  if (found === null || found[1]!.length % 4 !== 0) return null;
  const end = start.length - start.trimStart().length + found[0].length;
  return /[^A-Za-z0-9+/=\s]|[A-Za-z] [A-Za-z]/.test(start.slice(end)) ? body.subarray(0, end) : null;
}

function decodeLines(body: Buffer): Unpacked {
  const out = Buffer.allocUnsafe(Math.ceil((body.length * 3) / 4) + 3);
  let size = 0;
  let bits = 0;
  let held = 0;
  let left = 0;
  let strange = 0;
  for (let at = 0; at < body.length; ) {
    const newline = body.indexOf(10, at);
    const end = newline < 0 ? body.length : newline;
    const odd = oddity(body, at, end);
    strange += odd;
    if (odd > 0 && odd * 8 > end - at) left += end - at;
    else {
      for (let i = at; i < end; i++) {
        const value = base64Values[body[i]!]!;
        if (value < 64) {
          held = (held << 6) | value;
          bits += 6;
          if (bits >= 8) {
            bits -= 8;
            out[size++] = (held >> bits) & 255;
          }
        } else if (value === padding) bits = 0;
      }
    }
    at = end + 1;
  }
  const bytes = out.subarray(0, size);
  // Words of only letters look like Base64, but decode to noise.
  const isNoise = strange * 25 > body.length && !isUtf8(bytes) && isUtf8(body);
  if (left * 2 > body.length || isNoise) return { bytes: body, flags: ["encoding.mislabelled"] };
  return { bytes, flags: strange > 0 ? ["encoding.broken"] : [] };
}

/** Number of characters of a line outside Base64; blanks at the ends are ignored. */
function oddity(body: Buffer, start: number, end: number): number {
  let from = start;
  let to = end;
  while (from < to && base64Values[body[from]!] === blank) from++;
  while (to > from && base64Values[body[to - 1]!] === blank) to--;
  let odd = 0;
  for (let i = from; i < to; i++) if (base64Values[body[i]!]! > padding) odd++;
  return odd;
}

const padding = 64;
const blank = 65;
const strangeByte = 66;
const base64Values = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".indexOf(
    String.fromCharCode(byte),
  );
  if (at >= 0) return at;
  return byte === 9 || byte === 13 || byte === 32 ? blank : strangeByte;
});

/** Quoted-printable; an invalid escape stays unchanged. `_` is a blank in header words. */
export function decodeQuotedPrintable(body: Buffer, isHeader = false): Buffer {
  if (!body.includes(61) && !isHeader) return body;
  const out = Buffer.allocUnsafe(body.length);
  let size = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (byte === 61) {
      const high = hexValue(body[i + 1]);
      const low = hexValue(body[i + 2]);
      if (high >= 0 && low >= 0) {
        out[size++] = (high << 4) | low;
        i += 2;
        continue;
      }
      const next = isHeader ? -1 : endOfSoftBreak(body, i + 1);
      if (next >= 0) {
        i = next - 1;
        continue;
      }
    }
    out[size++] = isHeader && byte === 95 ? 32 : byte;
  }
  return out.subarray(0, size);
}

/** Start of the next line if only blanks follow, else -1. */
function endOfSoftBreak(body: Buffer, from: number): number {
  let at = from;
  // No mailer makes longer padding, and every "=" inside would walk it again.
  const limit = Math.min(body.length, from + 80);
  while (at < limit && (body[at] === 32 || body[at] === 9)) at++;
  if (at >= body.length) return body.length;
  if (body[at] === 13) return body[at + 1] === 10 ? at + 2 : at + 1;
  return body[at] === 10 ? at + 1 : -1;
}

const hexValue = (byte: number | undefined): number => {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
};
