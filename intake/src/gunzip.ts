import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import type { Budget } from "./limits.ts";
import { IngestRefusal } from "./refusal.ts";

const outputBytes = 1 << 16;
const inputBytes = 1 << 16;
const smallBytesMax = 1 << 20;
/** No real header is longer; name and comment end with a NUL that may never come. */
const headerBytesMax = 1 << 16;

/**
 * The bytes of a gzip file. Members are read one by one, because Node's own reader loses the end of a file with
 * something behind its last member, as from tapes and careless downloads.
 */
export async function* gunzip(reader: ByteReader, place: string, budget: Budget): AsyncGenerator<Buffer> {
  for (let member = 0; ; member += 1) {
    const header = await readHeader(reader);
    if (header === "none" && member > 0) return;
    if (header === "none") throw refuseDamaged(place);
    if (header === "cut") throw refuseTruncated(place);
    budget.countMember();
    const small = member > 0 ? await inflateSmall(reader) : null;
    if (small === null) {
      yield* inflateMember(reader, place, budget);
      continue;
    }
    budget.countBytes(small.length);
    yield small;
    await checkTrailer(reader, place, { checksum: crc32(small), size: small.length });
  }
}

/** Files appended to repeatedly have thousands of members, too many for a stream each. */
async function inflateSmall(reader: ByteReader): Promise<Buffer | null> {
  const piece = await reader.next(inputBytes);
  if (piece === null) return null;
  try {
    const inflated = inflateRawSync(piece, { info: true, maxOutputLength: smallBytesMax }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    reader.unread(piece.subarray(inflated.engine.bytesWritten));
    return inflated.buffer;
  } catch {
    // Larger, incomplete, or damaged: the stream will tell.
    reader.unread(piece);
    return null;
  }
}

async function* inflateMember(reader: ByteReader, place: string, budget: Budget): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: outputBytes });
  const feeding = feed(reader, inflate);
  feeding.catch(() => undefined);
  let checksum = 0;
  let size = 0;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      budget.countBytes(piece.length);
      checksum = crc32(piece, checksum);
      size += piece.length;
      yield piece;
    }
  } catch (error) {
    throw explain(error, place);
  } finally {
    inflate.destroy();
    await feeding.catch(() => undefined);
  }
  reader.unread(await feeding);
  await checkTrailer(reader, place, { checksum, size });
}

/** Checks the trailer of a member against its output. */
async function checkTrailer(
  reader: ByteReader,
  place: string,
  { checksum, size }: { readonly checksum: number; readonly size: number },
): Promise<void> {
  const trailer = await reader.take(8);
  if (trailer.length < 8) throw refuseTruncated(place);
  if (trailer.readUInt32LE(0) === checksum && trailer.readUInt32LE(4) === size % 2 ** 32) return;
  throw refuseDamaged(place);
}

/** Feeds pieces until the end of the member; returns the rest of the last piece. */
async function feed(reader: ByteReader, inflate: InflateRaw): Promise<Buffer> {
  let fed = 0;
  try {
    for (;;) {
      const piece = await reader.next(inputBytes);
      if (piece === null) {
        inflate.end();
        return Buffer.alloc(0);
      }
      await hand(inflate, piece);
      fed += piece.length;
      const behind = fed - inflate.bytesWritten;
      if (behind > 0) return piece.subarray(piece.length - behind);
    }
  } catch (error) {
    inflate.destroy(error as Error);
    throw error;
  }
}

/** Settles when the piece is consumed, or no longer wanted. */
function hand(inflate: InflateRaw, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(inflate.errored ?? new Error("Reading was given up."));
    if (inflate.destroyed) return closed();
    inflate.once("close", closed);
    inflate.write(piece, (error) => {
      inflate.off("close", closed);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Reads the header of a member; `none` for anything else, or the end. */
async function readHeader(reader: ByteReader): Promise<"whole" | "cut" | "none"> {
  const fixed = await reader.take(10);
  if (fixed.length < 10) return "none";
  if (fixed[0] !== 0x1f || fixed[1] !== 0x8b || fixed[2] !== 8) return "none";
  const flags = fixed[3] as number;
  if (flags & 4) {
    const length = await reader.take(2);
    if (length.length < 2) return "cut";
    const extra = await reader.take(length.readUInt16LE(0));
    if (extra.length < length.readUInt16LE(0)) return "cut";
  }
  if (flags & 8 && !(await skipText(reader))) return "cut";
  if (flags & 16 && !(await skipText(reader))) return "cut";
  if (flags & 2) await reader.take(2);
  return "whole";
}

async function skipText(reader: ByteReader): Promise<boolean> {
  for (let skipped = 0; skipped < headerBytesMax; ) {
    const piece = await reader.next(1024);
    if (piece === null) return false;
    const end = piece.indexOf(0);
    if (end !== -1) {
      reader.unread(piece.subarray(end + 1));
      return true;
    }
    skipped += piece.length;
  }
  return false;
}

function explain(error: unknown, place: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "Z_BUF_ERROR") return refuseTruncated(place);
  return code?.startsWith("Z_") ? refuseDamaged(place, error) : error;
}

const refuseTruncated = (place: string) =>
  new IngestRefusal(
    "archive.damaged",
    place,
    `${place} is cut off in the middle of its compressed data: copy or download it again.`,
  );

const refuseDamaged = (place: string, cause?: unknown) =>
  new IngestRefusal(
    "archive.damaged",
    place,
    `${place} has damaged compressed data: copy or download it again.`,
    { cause },
  );
