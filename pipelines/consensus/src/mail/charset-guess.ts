import { scoreText } from "./charset-score.ts";
import { decodeHz, decodeIso2022 } from "./iso-2022.ts";
import { decoderOf } from "./platform-decoders.ts";
import { highHalves } from "./single-byte-tables.ts";

/**
 * The charset in which the bytes read most like language. With `declared`, null unless the declared charset reads
 * badly and another clearly better: labels are right more often than statistics.
 */
export function guessCharset(bytes: Buffer, declared?: string): string | null {
  const sample = sampleOf(bytes);
  const declaredScore =
    declared === undefined ? null : scoreText(decodeSample(sample, declared), isJapanese(declared));
  if (declaredScore !== null && declaredScore >= goodEnough) return null;
  let best: string | null = null;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const charset of candidates) {
    const score = scoreText(decodeSample(sample, charset), isJapanese(charset));
    if (score > bestScore) {
      best = charset;
      bestScore = score;
    }
  }
  if (declaredScore === null) return best;
  return bestScore > certain && bestScore > declaredScore + clearlyBetter ? best : null;
}

const sampleBytesMax = 8192;
/** Mean score per character, for text in the right charset. */
const goodEnough = 0.7;
const clearlyBetter = 1.2;
const certain = 1.5;

/** Of two similar charsets the more common comes first. */
const candidates = [
  "windows-1252",
  "windows-1251",
  "koi8-r",
  "gb18030",
  "shift_jis",
  "euc-jp",
  "big5",
  "euc-kr",
  "iso-8859-2",
  "windows-1250",
  "koi8-u",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-874",
  "ibm866",
  "iso-8859-5",
  "macintosh",
  "cp850",
];

const isJapanese = (charset: string) => /jis|jp|2022/.test(charset);

/** Enough lines with bytes beyond ASCII. */
function sampleOf(bytes: Buffer): Buffer {
  if (bytes.length <= sampleBytesMax) return bytes;
  const lines: Buffer[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length && size < sampleBytesMax; ) {
    const newline = bytes.indexOf(10, at);
    const end = newline < 0 ? bytes.length : newline + 1;
    const line = bytes.subarray(at, Math.min(end, at + sampleBytesMax));
    if (line.some((byte) => byte >= 0x80)) {
      lines.push(line);
      size += line.length;
    }
    at = end;
  }
  return Buffer.concat(lines);
}

function decodeSample(sample: Buffer, charset: string): string {
  if (charset === "iso-2022") return decodeIso2022(sample);
  if (charset === "hz") return decodeHz(sample);
  const high = highHalves[charset];
  if (high !== undefined) {
    let text = "";
    for (const byte of sample) text += byte < 128 ? String.fromCharCode(byte) : high.charAt(byte - 128);
    return text;
  }
  try {
    return decoderOf(charset).decode(sample);
  } catch {
    return "\ufffd";
  }
}
