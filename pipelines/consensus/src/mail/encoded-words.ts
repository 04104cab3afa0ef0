import { decodeText } from "./charsets.ts";
import { decodeBase64, decodeQuotedPrintable } from "./transfer-encodings.ts";

export interface HeaderText {
  readonly text: string;
  readonly flags: readonly string[];
}

/**
 * A header field as readable text: RFC 2047 words, including broken words from mailers, and bare bytes beyond
 * ASCII, decoded with `hint` (the body's charset).
 */
export function decodeHeaderText(value: string, hint: string | null): HeaderText {
  const limited = value.slice(0, valueCharactersMax);
  if (!limited.includes("=?") && isPlain(limited)) return { text: limited, flags: [] };
  const flags = new Set<string>();
  const out: string[] = [];
  let pending: Word[] = [];
  let at = 0;
  const search: Search = { close: 0, open: 0 };
  const flush = () => {
    if (pending.length > 0) out.push(decodeWords(pending, flags));
    pending = [];
  };
  for (;;) {
    const start = limited.indexOf("=?", at);
    if (start < 0) break;
    const word = readWord(limited, start, search);
    if (word === null) {
      flush();
      out.push(decodeBare(limited.slice(at, start + 2), hint, flags));
      at = start + 2;
      continue;
    }
    const between = limited.slice(at, start);
    // Blanks between two encoded words belong to neither.
    if (pending.length === 0 || between.trim() !== "") {
      flush();
      out.push(decodeBare(between, hint, flags));
    }
    pending.push(word);
    at = word.end;
  }
  flush();
  out.push(decodeBare(limited.slice(at), hint, flags));
  return { text: out.join(""), flags: [...flags] };
}

const valueCharactersMax = 200_000;

interface Word {
  readonly charset: string;
  readonly isBase64: boolean;
  readonly encoded: string;
  readonly end: number;
}

/** The next `?=` and `=?` after a position, cached so many openings do not each search to the end. */
interface Search {
  close: number;
  open: number;
}

const findNext = (text: string, what: string, from: number, known: number): number => {
  if (known >= from) return known;
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found;
};

function readWord(text: string, start: number, search: Search): Word | null {
  const head = /^=\?([^?\s"(),]{1,60})\?\s?([bqBQ])\s?\?/.exec(text.slice(start, start + 80));
  if (!head) return null;
  const from = start + head[0].length;
  search.close = findNext(text, "?=", from, search.close);
  search.open = findNext(text, "=?", from, search.open);
  const isBase64 = /b/i.test(head[2]!);
  let close = search.close;
  // "?=3D": an unencoded question mark before an escape.
  for (let i = 0; i < 20 && !isBase64 && /^\?=[0-9A-F]{2}/.test(text.slice(close, close + 4)); i++) {
    const further = text.indexOf("?=", close + 2);
    if (further < 0 || further - close > 200 || /\s/.test(text.slice(close, further))) break;
    close = further;
  }
  // In "x?=?=" the first "=?" is the end of this word, not the start of another.
  const isCut = search.open < close && search.open + 1 !== close;
  const blank = isCut || close === text.length ? endOfWord(text, from) : -1;
  const end = isCut ? Math.min(search.open, blank) : close === text.length ? blank : close;
  const charset = head[1]!.split("*", 1)[0]!;
  const isClosed = !isCut && close < text.length;
  return { charset, isBase64, encoded: text.slice(from, end), end: isClosed ? end + 2 : end };
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && at < from + 200 && text.charCodeAt(at) > 32) at++;
  return at;
}

/** Neighbours in one charset are decoded together, because mailers cut inside characters. */
function decodeWords(words: readonly Word[], flags: Set<string>): string {
  let out = "";
  for (let i = 0; i < words.length; ) {
    const charset = words[i]!.charset.toLowerCase();
    const chunks: Buffer[] = [];
    while (i < words.length && words[i]!.charset.toLowerCase() === charset) {
      let encoded = words[i]!.encoded;
      const isBase64 = words[i]!.isBase64;
      i++;
      while (
        isBase64 &&
        isContinued(encoded) &&
        words[i]?.isBase64 &&
        words[i]!.charset.toLowerCase() === charset
      ) {
        encoded += words[i]!.encoded;
        i++;
      }
      const bytes = Buffer.from(encoded, "latin1");
      chunks.push(isBase64 ? decodeBase64(bytes).bytes : decodeQuotedPrintable(bytes, true));
    }
    const decoded = decodeText(Buffer.concat(chunks), { charset });
    for (const flag of decoded.flags) flags.add(flag);
    out += decoded.text;
  }
  return out;
}

/** Base64 ending inside a group of four. */
const isContinued = (encoded: string) =>
  encoded.length % 4 !== 0 && !encoded.includes("=") && encoded.length < 200;

function decodeBare(text: string, hint: string | null, flags: Set<string>): string {
  if (isPlain(text)) return text;
  flags.add("header.8bit");
  return decodeText(Buffer.from(text, "latin1"), { charset: null, hint }).text;
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || code === 27) return false;
  }
  return true;
}
