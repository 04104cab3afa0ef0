import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { permanent, transient } from "@headway/engine";
import type { Blobs, PutOptions, StoredBlob } from "./blobs.ts";
import { showBytes } from "./limits.ts";

export interface FolderBlobsOptions {
  /** Makes the file a stream is written into before it has its name. */
  readonly create?: (path: string) => Promise<FileHandle>;
  readonly now?: () => number;
}

/** What fits in here is hashed before anything is written: a small blob that is already there costs no write. */
const heldBytesMax = 1 << 20;
const readBytes = 1 << 18;
const leftoverAgeMs = 24 * 60 * 60 * 1000;

/** Blobs as files of a folder: `ab/cdef…`, and `tmp` for those that are still being written. */
export async function openFolderBlobs(folder: string, options: FolderBlobsOptions = {}): Promise<Blobs> {
  const tmp = join(folder, "tmp");
  const create = options.create ?? ((path: string) => open(path, "wx", 0o600));
  await mkdir(tmp, { recursive: true, mode: 0o700 });
  await removeLeftovers(tmp, (options.now ?? Date.now)());
  return {
    put: (source, putOptions = {}) => put({ folder, tmp, create }, source, putOptions),
    open: (sha256, { signal } = {}) => read(pathOf(folder, sha256), sha256, signal),
    has: async (sha256) => (await sizeOf(pathOf(folder, sha256))) !== null,
    async remove(sha256) {
      const path = pathOf(folder, sha256);
      if (path !== null) await rm(path, { force: true });
    },
  };
}

interface Shelf {
  readonly folder: string;
  readonly tmp: string;
  readonly create: (path: string) => Promise<FileHandle>;
}

async function put(
  shelf: Shelf,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<StoredBlob> {
  const draft = join(shelf.tmp, randomUUID());
  const hash = createHash("sha256");
  const held: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | null = null;
  try {
    options.signal?.throwIfAborted();
    for await (const piece of source) {
      options.signal?.throwIfAborted();
      size += piece.length;
      if (size > (options.bytesMax ?? Number.POSITIVE_INFINITY)) throw tooLarge(options.bytesMax as number);
      hash.update(piece);
      // A piece may be a view of a buffer that its source fills again.
      held.push(file || size > heldBytesMax ? piece : Uint8Array.from(piece));
      if (size <= heldBytesMax) continue;
      file ??= await shelf.create(draft);
      await writeAll(file, held.splice(0));
    }
    options.signal?.throwIfAborted();
    const sha256 = hash.digest("hex");
    const path = pathOf(shelf.folder, sha256) as string;
    // One of another size was damaged, and is replaced by the whole.
    if ((await sizeOf(path)) === size) return { sha256, size, fresh: false };
    file ??= await shelf.create(draft);
    await writeAll(file, held);
    await file.sync();
    await file.close();
    file = null;
    await giveName(shelf.folder, draft, path);
    return { sha256, size, fresh: true };
  } catch (error) {
    throw explain(error, shelf.folder);
  } finally {
    await file?.close();
    await rm(draft, { force: true });
  }
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    for (let done = 0; done < piece.length; ) {
      done += (await file.write(piece, done, piece.length - done)).bytesWritten;
    }
  }
}

/** A name is safe only when the folder it stands in is. */
async function giveName(folder: string, draft: string, path: string): Promise<void> {
  const shelf = join(path, "..");
  const made = await mkdir(shelf, { recursive: true, mode: 0o700 });
  await rename(draft, path);
  await syncFolder(shelf);
  if (made) await syncFolder(folder);
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no way to do this, and needs none.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* read(path: string | null, sha256: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const file = await openBlob(path, sha256);
  try {
    const hash = createHash("sha256");
    for (;;) {
      // A buffer of its own each time: the reader may keep it.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes, null);
      signal?.throwIfAborted();
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      yield piece;
    }
    if (hash.digest("hex") === sha256) return;
    throw permanent(
      "blob.damaged",
      `Blob ${sha256} is damaged, its bytes are no longer the ones that were stored: read its archive again.`,
    );
  } catch (error) {
    throw explain(error, sha256);
  } finally {
    await file.close();
  }
}

async function openBlob(path: string | null, sha256: string): Promise<FileHandle> {
  const missing = (cause?: unknown) =>
    permanent("blob.missing", `Blob ${sha256} is not there: read its archive again.`, { cause });
  if (path === null) throw missing();
  try {
    return await open(path, "r");
  } catch (error) {
    throw codeOf(error) === "ENOENT" ? missing(error) : explain(error, sha256);
  }
}

/** Where a blob lies; null for what is no SHA-256, so that no name leads out of the folder. */
function pathOf(folder: string, sha256: string): string | null {
  return /^[0-9a-f]{64}$/.test(sha256) ? join(folder, sha256.slice(0, 2), sha256.slice(2)) : null;
}

async function sizeOf(path: string | null): Promise<number | null> {
  if (path === null) return null;
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** A day is longer than any stream takes, so what is older belongs to a process that died. */
async function removeLeftovers(tmp: string, now: number): Promise<void> {
  for (const name of await readdir(tmp)) {
    const path = join(tmp, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    );
    if (age > leftoverAgeMs) await rm(path, { force: true, recursive: true });
  }
}

function tooLarge(bytesMax: number): Error {
  return permanent("blob.too-large", `More than ${showBytes(bytesMax)}, which is all that was allowed.`);
}

/** Trouble with the disk in words; everything else, like an error of the source, is passed on as it is. */
function explain(error: unknown, what: string): unknown {
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return transient("blob.disk-full", `No space is left for blobs in ${what}: make room and try again.`, {
        cause: error,
      });
    case "EIO":
      return transient("blob.disk-failed", `The disk failed while working on blobs (${what}).`, {
        cause: error,
      });
    default:
      return error;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code;
