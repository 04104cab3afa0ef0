import { isAscii, isUtf8 } from "node:buffer";
import { guessCharset } from "./charset-guess.ts";
import { readCharsetLabel } from "./charset-labels.ts";
import { decodeHz, decodeIso2022 } from "./iso-2022.ts";
import { decoderOf } from "./platform-decoders.ts";
import { highHalves } from "./single-byte-tables.ts";
import { decodeUtf7 } from "./utf-7.ts";
import { decodeMixedUtf8, readUtf8 } from "./utf-8.ts";

export interface Decoded {
  readonly text: string;
  /** Problems of the label, e.g. `charset.mislabelled`. */
  readonly flags: readonly string[];
}

export interface Label {
  readonly charset: string | null;
  /** A charset used elsewhere in the mail: the first guess if the label does not help. */
  readonly hint?: string | null;
}

/** Decodes bytes by a truthful label, otherwise by their look. */
export function decodeText(bytes: Buffer, label: Label): Decoded {
  const charset = label.charset === null ? null : readCharsetLabel(label.charset);
  const unknown = label.charset !== null && charset === null && isAWord(label.charset);
  const flags =
    unknown && !/^"?(x-)?(unknown|binary|none|default|user-defined|8bit)/i.test(label.charset)
      ? ["charset.unknown"]
      : [];
  const wide = readWide(bytes, charset);
  if (wide !== null) return { text: wide, flags };
  if (isAscii(bytes) && !isStateful(charset)) return decodeAscii(bytes, charset, flags);
  const decoded =
    charset === null || charset === "us-ascii"
      ? decodeUnlabelled(bytes, label.hint ?? null)
      : decodeLabelled(bytes, charset, label.hint ?? null);
  return { text: decoded.text, flags: [...flags, ...decoded.flags] };
}

/** Decodes bytes in a charset named by `readCharsetLabel`. */
export function decodeCharset(bytes: Buffer, charset: string): string {
  if (charset === "utf-7") return decodeUtf7(bytes);
  if (charset === "hz") return decodeHz(bytes);
  if (charset === "iso-2022") return decodeIso2022(bytes);
  const high = highHalves[charset];
  if (high !== undefined) return decodeSingleByte(bytes, high);
  try {
    return decoderOf(charset === "us-ascii" ? "utf-8" : charset).decode(bytes);
  } catch {
    // A platform without full language data knows fewer charsets.
    return bytes.toString("latin1");
  }
}

const isAWord = (label: string) => /[a-z0-9]/i.test(label.slice(0, 80));

const isStateful = (charset: string | null) =>
  charset === "utf-7" || charset === "hz" || charset === "iso-2022" || charset === "utf-16";

function decodeAscii(bytes: Buffer, charset: string | null, flags: readonly string[]): Decoded {
  const text = bytes.toString("latin1");
  if (!text.includes("\u001b$") && !text.includes("\u001b(")) return { text, flags };
  return {
    text: decodeIso2022(bytes),
    flags: [...flags, charset ? "charset.mislabelled" : "charset.guessed"],
  };
}

function decodeUnlabelled(bytes: Buffer, hint: string | null): Decoded {
  const flags = ["charset.guessed"];
  const utf8 = readUtf8(bytes);
  if (utf8.broken === 0) return { text: utf8AsText(bytes), flags };
  if (utf8.sequences > utf8.broken * 2) return { text: decodeMixedUtf8(bytes), flags };
  const hinted = hint === null ? null : readCharsetLabel(hint);
  if (hinted !== null && !isUnspecific(hinted)) {
    const text = decodeCharset(bytes, hinted);
    if (isClean(text)) return { text, flags };
  }
  return { text: decodeCharset(bytes, guessCharset(bytes) ?? "windows-1252"), flags };
}

const isUnspecific = (charset: string) => /^(us-ascii|utf-8|utf-16.*|utf-7|windows-1252)$/.test(charset);

function decodeLabelled(bytes: Buffer, charset: string, hint: string | null): Decoded {
  if (charset === "utf-8") return decodeSupposedUtf8(bytes, hint);
  const isUtf8Too = isUtf8(bytes);
  const text = charset === "iso-2022" && isUtf8Too ? decodeIso2022(bytes) : decodeCharset(bytes, charset);
  const clean = isClean(text);
  // Text in another charset is hardly ever valid UTF-8 by chance, except in charsets that accept any pair of bytes.
  if (isUtf8Too && (!clean || isSingleByte(charset)) && charset !== "utf-7" && charset !== "iso-2022") {
    return { text: utf8AsText(bytes), flags: ["charset.mislabelled"] };
  }
  if (isSingleByte(charset)) {
    const better = isDoubtful(charset) ? guessCharset(bytes, charset) : null;
    return better === null
      ? { text, flags: clean ? [] : ["charset.undecodable"] }
      : { text: decodeCharset(bytes, better), flags: ["charset.mislabelled"] };
  }
  if (clean) return { text, flags: [] };
  // A broken character or two do not indicate another language.
  const better = countBroken(text) * 20 > text.length ? guessCharset(bytes) : guessCharset(bytes, charset);
  if (better === null || better === charset) return { text, flags: ["charset.undecodable"] };
  return { text: decodeCharset(bytes, better), flags: ["charset.mislabelled"] };
}

function decodeSupposedUtf8(bytes: Buffer, hint: string | null): Decoded {
  const utf8 = readUtf8(bytes);
  if (utf8.broken === 0) return { text: utf8AsText(bytes), flags: [] };
  const flags = ["charset.mislabelled"];
  if (utf8.sequences > utf8.broken * 2) return { text: decodeMixedUtf8(bytes), flags };
  return { text: decodeUnlabelled(bytes, hint).text, flags };
}

/** Default labels of mailers; a rarer label was chosen on purpose. */
const isDoubtful = (charset: string) => /^(windows-125[12]|koi8-r|iso-8859-(5|15))$/.test(charset);

const utf8AsText = (bytes: Buffer) => {
  const text = isUtf8(bytes) ? bytes.toString("utf8", 0, bytes.length) : decodeMixedUtf8(bytes);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
};

const countBroken = (text: string) => text.split("\ufffd").length - 1;

const isClean = (text: string) => !text.includes("\ufffd");

const isSingleByte = (charset: string) =>
  highHalves[charset] !== undefined || /^(iso-8859|windows-|koi8|ibm866|macintosh|x-mac)/.test(charset);

/** UTF-16 and UTF-32, by label, by byte order mark, or by the NULs beside every Latin letter. */
function readWide(bytes: Buffer, charset: string | null): string | null {
  const isLabelled = charset !== null && /^utf-(16|32)/.test(charset);
  if (bytes.length < 2) return null;
  const mark = bytes.readUInt16BE(0);
  const isMarked = mark === 0xfeff || mark === 0xfffe;
  if (!isLabelled && !isMarked && !bytes.subarray(0, 64).includes(0)) return null;
  if (charset === "utf-32" || (isMarked && bytes.length > 3 && bytes[2] === 0 && bytes[3] === 0)) {
    return decodeUtf32(bytes);
  }
  const { even, odd, pairs } = countNuls(bytes);
  const looksWide = even > pairs / 2 !== odd > pairs / 2;
  if (isMarked && (isLabelled || looksWide || !isUtf8(bytes))) {
    return decodeUtf16(bytes.subarray(2), mark === 0xfeff);
  }
  if (looksWide) return decodeUtf16(bytes, even > odd);
  // "charset=utf-16" on plain text comes from a broken mailer, not from a page of Chinese.
  if (!isLabelled || (even === 0 && odd === 0 && isUtf8(bytes))) return null;
  if (charset !== "utf-16") return decodeUtf16(bytes, charset === "utf-16be");
  return decodeUtf16(bytes, even >= odd);
}

function countNuls(bytes: Buffer): { even: number; odd: number; pairs: number } {
  const end = Math.min(bytes.length & ~1, 4096);
  let even = 0;
  let odd = 0;
  for (let i = 0; i < end; i += 2) {
    if (bytes[i] === 0) even++;
    if (bytes[i + 1] === 0) odd++;
  }
  return { even, odd, pairs: end / 2 };
}

const decodeUtf16 = (bytes: Buffer, isBigEndian: boolean) =>
  decoderOf(isBigEndian ? "utf-16be" : "utf-16le").decode(bytes.subarray(0, bytes.length & ~1));

function decodeUtf32(bytes: Buffer): string {
  const isBigEndian = bytes[0] === 0;
  const out: string[] = [];
  for (let i = 0; i + 3 < bytes.length; i += 4) {
    const code = isBigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i);
    if (code === 0xfeff && i === 0) continue;
    out.push(code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code));
  }
  return out.join("");
}

function decodeSingleByte(bytes: Buffer, high: string): string {
  const codes = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    codes[i] = byte < 128 ? byte : high.charCodeAt(byte - 128);
  }
  return Buffer.from(codes.buffer).toString("utf16le");
}
