import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ByteReader, makeByteReader } from "./byte-reader.ts";
import { gunzip } from "./gunzip.ts";
import { type Budget, capEntry, makeBudget, type UnpackLimits } from "./limits.ts";
import { tellPacking } from "./packing.ts";
import { IngestRefusal, type RefusalCode, refusePath } from "./refusal.ts";
import { readTar, TarCutError } from "./tar.ts";
import { readZip } from "./zip.ts";

/** Output of a file: the file itself if not packed, else its entries. */
export type Unpacked =
  | {
      readonly kind: "entry";
      /** Names from the outside in, none for an unpacked file. */
      readonly names: readonly string[];
      readonly place: string;
      readonly modified: string | null;
      readonly head: Buffer;
      /** To be read, once, before the next entry. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  | {
      readonly kind: "skipped";
      readonly place: string;
      readonly because: string;
      readonly code: RefusalCode;
    };

export interface UnpackOptions {
  /** The file's name for people. */
  readonly place: string;
  readonly limits: UnpackLimits;
  readonly signal?: AbortSignal;
}

/** Enough bytes to recognise a format. */
export const headBytes = 1 << 16;
const readBytes = 1 << 16;

/**
 * Unpacks a file without writing under any name from the archive. A file with many entries is walked
 * once before the first entry is yielded, so a bomb is refused before any effect.
 */
export async function* unpackFile(path: string, options: UnpackOptions): AsyncGenerator<Unpacked> {
  const { size } = await stat(path).catch((error) => {
    throw refusePath(options.place, error);
  });
  if (await hasManyEntries(path, options)) {
    for await (const found of unwrapFile(path, options, size)) {
      if (found.kind === "entry") await drain(found.body);
    }
  }
  yield* unwrapFile(path, options, size);
}

async function hasManyEntries(path: string, { place, limits, signal }: UnpackOptions): Promise<boolean> {
  const reader = makeByteReader(readFile(path, place, signal));
  try {
    const packing = tellPacking(await reader.peek(headBytes));
    if (packing.kind !== "gzip") return packing.kind === "zip" || packing.kind === "tar";
    const budget = makeBudget({ place, packedBytes: Number.POSITIVE_INFINITY, limits });
    const inner = makeByteReader(gunzip(reader, place, budget));
    try {
      return tellPacking(await inner.peek(headBytes)).kind !== "none";
    } finally {
      await inner.close();
    }
  } finally {
    await reader.close();
  }
}

/** A walk through one file. */
interface Walk {
  readonly budget: Budget;
  readonly signal: AbortSignal | undefined;
}

/** A possibly packed stream. */
interface Parcel {
  readonly reader: ByteReader;
  readonly names: readonly string[];
  readonly place: string;
  readonly modified: string | null;
  /** Number of removed wrappings. */
  readonly depth: number;
  /** Path on disk, if any. */
  readonly path: string | null;
}

async function* unwrapFile(
  path: string,
  { place, limits, signal }: UnpackOptions,
  packedBytes: number,
): AsyncGenerator<Unpacked> {
  const reader = makeByteReader(readFile(path, place, signal));
  try {
    const parcel: Parcel = { reader, names: [], place, modified: null, depth: 0, path };
    yield* unwrap(parcel, { budget: makeBudget({ place, packedBytes, limits }), signal });
  } finally {
    await reader.close();
  }
}

async function* unwrap(parcel: Parcel, walk: Walk): AsyncGenerator<Unpacked> {
  const { reader, place, depth } = parcel;
  const head = await reader.peek(headBytes);
  const packing = tellPacking(head);
  if (packing.kind !== "none" && depth > walk.budget.limits.nestingMax) throw refuseNesting(place);
  switch (packing.kind) {
    case "none": {
      const { names, modified } = parcel;
      const { plainBytesMax, entryBytesMax } = walk.budget.limits;
      const body = capEntry(reader.rest(), place, depth === 0 ? plainBytesMax : entryBytesMax);
      yield { kind: "entry", names, place, modified, head, body };
      return;
    }
    case "foreign":
      throw refuseForeign(place, packing);
    case "gzip":
      return yield* unwrapGzip(parcel, walk);
    case "tar": {
      const counted = makeByteReader(countBytes(reader.rest(), walk.budget));
      return yield* unwrapTar({ ...parcel, reader: counted }, walk);
    }
    case "zip":
      return yield* parcel.path === null
        ? unwrapLooseZip(parcel, walk)
        : unwrapZip(parcel, parcel.path, walk);
  }
}

/** A compressed tar file counts as one wrapping, not two. */
async function* unwrapGzip(parcel: Parcel, walk: Walk): AsyncGenerator<Unpacked> {
  const reader = makeByteReader(gunzip(parcel.reader, parcel.place, walk.budget));
  try {
    const inner: Parcel = { ...parcel, reader, path: null };
    const isTar = tellPacking(await reader.peek(headBytes)).kind === "tar";
    yield* isTar ? unwrapTar(inner, walk) : unwrap({ ...inner, depth: parcel.depth + 1 }, walk);
  } finally {
    await reader.close();
  }
}

async function* unwrapTar(parcel: Parcel, walk: Walk): AsyncGenerator<Unpacked> {
  const { place } = parcel;
  for await (const item of readTar(parcel.reader)) {
    walk.signal?.throwIfAborted();
    if (item.kind === "damaged") {
      const because = `${place} is damaged as a tar file, ${item.because}: copy or download it again.`;
      yield { kind: "skipped", place, because, code: "archive.damaged" };
      return;
    }
    walk.budget.countEntry();
    if (item.kind === "meta" || item.kind === "folder") continue;
    yield* unwrapEntry(item, parcel, walk, () => tellCut(item, place));
  }
}

/** The body of a tar entry, with an error in words for a truncated file. */
async function* tellCut(
  item: { readonly kind: string; readonly name: string; readonly body?: AsyncIterable<Uint8Array> },
  place: string,
): AsyncGenerator<Uint8Array> {
  try {
    if (item.body) yield* item.body;
  } catch (error) {
    if (!(error instanceof TarCutError)) throw error;
    const message = `${place}!${item.name} is cut off: copy or download it again.`;
    throw new IngestRefusal("archive.damaged", `${place}!${item.name}`, message, { cause: error });
  }
}

async function* unwrapZip(parcel: Parcel, path: string, walk: Walk): AsyncGenerator<Unpacked> {
  for await (const item of readZip(path, parcel.place, walk.budget)) {
    walk.signal?.throwIfAborted();
    walk.budget.countEntry();
    if (item.kind === "folder") continue;
    yield* unwrapEntry(item, parcel, walk, () => (item.kind === "file" ? item.open() : nothing()));
  }
}

/**
 * A zip file inside another archive: the directory is at its end, so the file is written to disk while being read.
 */
async function* unwrapLooseZip(parcel: Parcel, walk: Walk): AsyncGenerator<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), "headway-"));
  try {
    const path = join(folder, "zip");
    const body = capEntry(parcel.reader.rest(), parcel.place, walk.budget.limits.entryBytesMax);
    await pipeline(Readable.from(body), createWriteStream(path, { mode: 0o600 }));
    yield* unwrapZip(parcel, path, walk);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One entry of a zip or tar file; a damaged entry does not affect the rest, unless it is a bomb. */
async function* unwrapEntry(
  item: {
    readonly kind: "file" | "other";
    readonly name: string;
    readonly modified?: string | null;
    readonly what?: string;
  },
  parcel: Parcel,
  walk: Walk,
  openBody: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Unpacked> {
  const place = `${parcel.place}!${item.name.slice(0, walk.budget.limits.nameLengthMax)}`;
  const problem = complainAboutName(item.name, walk.budget.limits.nameLengthMax);
  if (problem !== null) {
    yield { kind: "skipped", place, because: `${place} ${problem}: rename it.`, code: "archive.name" };
    return;
  }
  if (item.kind === "other") {
    const code = item.what === "encrypted" ? "archive.encrypted" : "archive.unsupported";
    yield { kind: "skipped", place, because: `${place} is ${item.what}: unpack it yourself.`, code };
    return;
  }
  const reader = makeByteReader(openBody());
  try {
    const modified = item.modified ?? null;
    const names = [...parcel.names, item.name];
    yield* unwrap({ reader, names, place, modified, depth: parcel.depth + 1, path: null }, walk);
  } catch (error) {
    if (!(error instanceof IngestRefusal) || error.code === "archive.bomb") throw error;
    yield { kind: "skipped", place: error.place, because: error.message, code: error.code };
  } finally {
    await reader.close();
  }
}

/** Nothing is ever written under these names; a name that tries to escape still reveals the kind of file. */
function complainAboutName(name: string, lengthMax: number): string | null {
  if (name.length > lengthMax) return `has a name of more than ${lengthMax} characters (limit archive.name)`;
  const parts = name.split(/[/\\]/);
  if (parts.includes("..")) return "has a name that leads out of its folder";
  if (parts[0] === "" || /^[A-Za-z]:/.test(name)) return "has the name of an absolute path";
  return name.includes("\0") ? "has a NUL in its name" : null;
}

async function* readFile(path: string, place: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const file = await open(path, "r").catch((error) => {
    throw refusePath(place, error);
  });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await file
        .read(Buffer.allocUnsafe(readBytes), 0, readBytes, null)
        .catch((error) => {
          throw refusePath(place, error);
        });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* countBytes(source: AsyncIterable<Buffer>, budget: Budget): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    budget.countBytes(piece.length);
    yield piece;
  }
}

/** Reads to the end; damage is reported at the real read. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch (error) {
    if (!(error instanceof IngestRefusal) || error.code === "archive.bomb") throw error;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const refuseNesting = (place: string) =>
  new IngestRefusal(
    "archive.nested",
    place,
    `${place} is packed inside files that are packed themselves (limit archive.nesting): unpack the outer ones.`,
  );

const refuseForeign = (place: string, { name, tool }: { readonly name: string; readonly tool: string }) =>
  new IngestRefusal(
    "archive.unsupported",
    place,
    `${place} is in the format ${name}, which is not read here: unpack it with "${tool}" and read the result.`,
  );
