import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { type Entry, open, type ZipFile } from "yauzl";
import { type Budget, refuseBytes, refuseEntries, refuseEntryBytes } from "./limits.ts";
import { IngestRefusal } from "./refusal.ts";
import { decodeName } from "./tar.ts";

export type ZipItem =
  | {
      readonly kind: "file";
      readonly name: string;
      readonly modified: string | null;
      /** To be read before the next entry. */
      open(): AsyncIterable<Uint8Array>;
    }
  | { readonly kind: "folder"; readonly name: string }
  | { readonly kind: "other"; readonly name: string; readonly what: string };

/**
 * The entries of a zip file. The directory is checked against the limits before the first entry;
 * an entry larger than declared is damaged.
 */
export async function* readZip(path: string, place: string, budget: Budget): AsyncGenerator<ZipItem> {
  const { limits } = budget;
  const zip = await openZip(path, place);
  try {
    if (zip.entryCount > limits.entriesMax) throw refuseEntries(place, limits.entriesMax);
    const entries = await readDirectory(zip, place);
    let promised = 0;
    for (const entry of entries) {
      promised += entry.uncompressedSize;
      if (promised > limits.bytesMax) throw refuseBytes(place, limits.bytesMax);
      if (entry.uncompressedSize > limits.entryBytesMax) {
        throw refuseEntryBytes(`${place}!${nameOf(entry)}`, limits.entryBytesMax);
      }
    }
    for (const entry of entries) yield describe(zip, entry, place, budget);
  } finally {
    zip.close();
  }
}

function describe(zip: ZipFile, entry: Entry, place: string, budget: Budget): ZipItem {
  const name = nameOf(entry);
  if (name.endsWith("/")) return { kind: "folder", name };
  if (entry.isEncrypted()) return { kind: "other", name, what: "encrypted" };
  const mode = entry.versionMadeBy >> 8 === 3 ? (entry.externalFileAttributes >>> 16) & 0o170000 : 0;
  if (mode === 0o120000) return { kind: "other", name, what: "a link" };
  if (mode !== 0 && mode !== 0o100000) return { kind: "other", name, what: "a device" };
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    return { kind: "other", name, what: "compressed in a way that is not known here" };
  }
  return {
    kind: "file",
    name,
    modified: momentOf(entry),
    open: () => readEntry(zip, entry, `${place}!${name}`, budget),
  };
}

async function* readEntry(
  zip: ZipFile,
  entry: Entry,
  place: string,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  let stream: Readable | null = null;
  let checksum = 0;
  try {
    stream = await openStream(zip, entry);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      budget.countBytes(piece.length);
      checksum = crc32(piece, checksum);
      yield piece;
    }
  } catch (error) {
    throw error instanceof IngestRefusal ? error : refuseDamaged(place, error);
  } finally {
    stream?.destroy();
  }
  if (checksum !== entry.crc32) throw refuseDamaged(place);
}

function openZip(path: string, place: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // Names are judged here, one by one: yauzl would give up the whole file for one bad name.
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
    open(path, options, (error, zip) => (error ? reject(refuseDamaged(place, error)) : resolve(zip)));
  });
}

/** All entries of the directory, within the limit by now. */
function readDirectory(zip: ZipFile, place: string): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on("error", (error) => reject(refuseDamaged(place, error)));
    zip.on("end", () => resolve(entries));
    zip.on("entry", (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

function openStream(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}

/** With Info-ZIP's Unicode name, if present, instead of a name in some code page. */
function nameOf(entry: Entry): string {
  const unicode = entry.extraFields.find(({ id, data }) => id === 0x7075 && data.length > 5 && data[0] === 1);
  const bytes = unicode ? unicode.data.subarray(5) : (entry.fileName as unknown as Buffer);
  return decodeName(bytes).replaceAll("\\", "/");
}

function momentOf(entry: Entry): string | null {
  const moment = entry.getLastModDate();
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

const refuseDamaged = (place: string, cause?: unknown) =>
  new IngestRefusal(
    "archive.damaged",
    place,
    `${place} is damaged or cut off as a zip file: copy or download it again.`,
    { cause },
  );
