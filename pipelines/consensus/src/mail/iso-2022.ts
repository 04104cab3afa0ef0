import { decoderOf } from "./platform-decoders.ts";

/**
 * Charsets that switch with escape sequences: ISO-2022-JP and its extensions, -KR, -CN, and HZ. Two-byte
 * characters equal the EUC family without the top bit, so the platform's decoders do the rest.
 */
export function decodeIso2022(bytes: Buffer): string {
  const out: string[] = [];
  let current: CodeSet = ascii;
  let shiftedOut: CodeSet = korean;
  let isShifted = false;
  let start = 0;
  const flush = (end: number) => {
    if (end > start) out.push(decodeRun(bytes.subarray(start, end), isShifted ? shiftedOut : current));
  };
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte > 27) continue;
    if (byte === 14 || byte === 15) {
      flush(i);
      isShifted = byte === 14;
      start = i + 1;
    } else if (byte === 10) {
      // A line starts in ASCII; after a lost closing escape the following lines must not be lost too.
      flush(i);
      current = ascii;
      isShifted = false;
      start = i;
    } else if (byte === 27) {
      const found = readEscape(bytes, i);
      if (!found) continue;
      flush(i);
      if (found.isShift) shiftedOut = found.set;
      else current = found.set;
      start = i + found.length;
      i = start - 1;
    }
  }
  flush(bytes.length);
  return out.join("");
}

/** HZ (RFC 1843): `~{` to `~}` is GB 2312, `~~` a tilde, `~` at the end of a line nothing. */
export function decodeHz(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  const out: string[] = [];
  let at = 0;
  let line = -1;
  while (at < text.length) {
    const tilde = text.indexOf("~", at);
    if (tilde < 0) break;
    out.push(text.slice(at, tilde));
    const next = text[tilde + 1];
    at = tilde + 2;
    if (next === "{") {
      if (line < at) line = text.indexOf("\n", at);
      if (line < 0) line = text.length;
      const close = bytes.subarray(at, line).indexOf("~}");
      out.push(decodeRun(bytes.subarray(at, close < 0 ? line : at + close), chinese));
      at = close < 0 ? line : at + close + 2;
    } else if (next === "~") out.push("~");
    else if (next !== "\n") out.push(text.slice(tilde, at));
  }
  out.push(text.slice(at));
  return out.join("");
}

interface CodeSet {
  readonly charset: string | null;
  /** Prefix of each two bytes in EUC. */
  readonly lead?: number;
  readonly isSingle?: boolean;
}

const ascii: CodeSet = { charset: null };
const korean: CodeSet = { charset: "euc-kr" };
const chinese: CodeSet = { charset: "gb18030" };
const sets: ReadonlyMap<string, CodeSet> = new Map([
  ["(B", ascii],
  ["(J", ascii],
  ["(H", ascii],
  ["(I", { charset: "euc-jp", lead: 0x8e, isSingle: true }],
  ["$@", { charset: "euc-jp" }],
  ["$B", { charset: "euc-jp" }],
  ["$(@", { charset: "euc-jp" }],
  ["$(B", { charset: "euc-jp" }],
  ["$(D", { charset: "euc-jp", lead: 0x8f }],
  ["$(Q", { charset: "euc-jp" }],
  ["$(O", { charset: "euc-jp" }],
  ["$A", chinese],
  ["$(A", chinese],
  ["$(C", korean],
  ["$)A", chinese],
  ["$)C", korean],
]);

function readEscape(bytes: Buffer, at: number): { set: CodeSet; length: number; isShift: boolean } | null {
  for (const length of [3, 2]) {
    const name = bytes.toString("latin1", at + 1, Math.min(at + 1 + length, bytes.length));
    const set = sets.get(name);
    if (set) return { set, length: name.length + 1, isShift: name[1] === ")" };
  }
  return null;
}

function decodeRun(run: Buffer, set: CodeSet): string {
  if (set.charset === null) return decoderOf("utf-8").decode(run);
  const width = set.isSingle ? 1 : 2;
  const euc: number[] = [];
  for (let i = 0; i < run.length; ) {
    // Spaces and line ends need no escape between characters.
    if (run[i]! <= 32) euc.push(run[i++]!);
    else {
      if (set.lead !== undefined) euc.push(set.lead);
      for (let k = 0; k < width && i < run.length; k++) euc.push(run[i++]! | 0x80);
    }
  }
  return decoderOf(set.charset).decode(Buffer.from(euc));
}
