import { highHalves } from "./single-byte-tables.ts";

/** Number of multi-byte UTF-8 characters, and of invalid bytes, a cut end aside. */
export function readUtf8(bytes: Buffer): { sequences: number; broken: number } {
  let sequences = 0;
  let broken = 0;
  for (let i = 0; i < bytes.length; ) {
    if (bytes[i]! < 0x80) {
      i++;
      continue;
    }
    const length = sequenceLength(bytes, i);
    if (length > 0) sequences++;
    else if (sequences > 0 && isCutAtEnd(bytes, i)) break;
    else broken++;
    i += Math.max(1, length);
  }
  return { sequences, broken };
}

/** UTF-8 with stray Windows-1252 bytes, as made by lists that add a footer to every mail. */
export function decodeMixedUtf8(bytes: Buffer): string {
  const out: string[] = [];
  let start = 0;
  for (let i = 0; i < bytes.length; ) {
    const length = bytes[i]! < 0x80 ? 1 : sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    out.push(bytes.toString("utf8", start, i));
    if (isCutAtEnd(bytes, i)) return out.join("");
    out.push(highHalves["windows-1252"]!.charAt(bytes[i]! - 128));
    start = ++i;
  }
  out.push(bytes.toString("utf8", start, bytes.length));
  return out.join("");
}

function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (first < 0xc2 || length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  for (let i = 1; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** The first bytes of a character cut off at the end of the text. */
function isCutAtEnd(bytes: Buffer, at: number): boolean {
  const first = bytes[at]!;
  const left = bytes.length - at;
  if (left > 3 || first < 0xc2 || first > 0xf4) return false;
  if (left >= (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4)) return false;
  for (let i = 1; i < left; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return false;
  return true;
}
