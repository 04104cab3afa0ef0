import { IngestRefusal } from "./refusal.ts";

/** Limits for unpacking an archive. */
export interface UnpackLimits {
  readonly entriesMax: number;
  /** Total output of one file, at every level. */
  readonly bytesMax: number;
  readonly entryBytesMax: number;
  /** Unpacked bytes per packed byte, beyond the first `ratioFreeBytes`. */
  readonly ratioMax: number;
  readonly ratioFreeBytes: number;
  /** Compressed files inside compressed files. */
  readonly nestingMax: number;
  /** Members of one gzip file. */
  readonly membersMax: number;
  readonly nameLengthMax: number;
  /** For an unpacked file; only against endless streams. */
  readonly plainBytesMax: number;
}

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

export const defaultLimits: UnpackLimits = {
  entriesMax: 10_000,
  bytesMax: 4 * gibibyte,
  entryBytesMax: 2 * gibibyte,
  ratioMax: 200,
  ratioFreeBytes: 16 * mebibyte,
  nestingMax: 1,
  membersMax: 100_000,
  nameLengthMax: 1024,
  plainBytesMax: 64 * gibibyte,
};

/** The remaining budget of one file; each function throws at its limit. */
export interface Budget {
  readonly limits: UnpackLimits;
  countEntry(): void;
  countMember(): void;
  countBytes(bytes: number): void;
}

export function makeBudget(of: {
  readonly place: string;
  readonly packedBytes: number;
  readonly limits: UnpackLimits;
}): Budget {
  const { place, packedBytes, limits } = of;
  let entries = 0;
  let members = 0;
  let unpacked = 0;
  const ratioBytesMax = Math.max(limits.ratioFreeBytes, packedBytes * limits.ratioMax);
  return {
    limits,
    countEntry() {
      entries += 1;
      if (entries > limits.entriesMax) throw refuseEntries(place, limits.entriesMax);
    },
    countMember() {
      members += 1;
      if (members <= limits.membersMax) return;
      throw refuseBomb(place, `is made of more than ${limits.membersMax} parts`, "archive.members");
    },
    countBytes(bytes) {
      unpacked += bytes;
      if (unpacked > limits.bytesMax) throw refuseBytes(place, limits.bytesMax);
      if (unpacked <= ratioBytesMax) return;
      throw refuseBomb(place, `unpacks to more than ${limits.ratioMax} times its size`, "archive.ratio");
    },
  };
}

export const refuseEntries = (place: string, entriesMax: number) =>
  refuseBomb(place, `has more than ${entriesMax} entries`, "archive.entries");

export const refuseBytes = (place: string, bytesMax: number) =>
  refuseBomb(place, `unpacks to more than ${showBytes(bytesMax)}`, "archive.bytes");

export const refuseEntryBytes = (place: string, entryBytesMax: number) =>
  refuseBomb(place, `unpacks to more than ${showBytes(entryBytesMax)}`, "archive.entryBytes");

/** Passes a stream on up to the limit of one entry. */
export async function* capEntry(
  source: AsyncIterable<Uint8Array>,
  place: string,
  entryBytesMax: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > entryBytesMax) throw refuseEntryBytes(place, entryBytesMax);
    yield piece;
  }
}

export function showBytes(bytes: number): string {
  if (bytes >= gibibyte) return `${trim(bytes / gibibyte)} GiB`;
  if (bytes >= mebibyte) return `${trim(bytes / mebibyte)} MiB`;
  if (bytes >= 1024) return `${trim(bytes / 1024)} KiB`;
  return `${bytes} bytes`;
}

const trim = (value: number) => String(Math.round(value * 10) / 10);

function refuseBomb(place: string, problem: string, limit: string): IngestRefusal {
  const advice = "if you trust it, unpack it yourself and read what came out";
  return new IngestRefusal("archive.bomb", place, `${place} ${problem} (limit ${limit}): ${advice}.`);
}
