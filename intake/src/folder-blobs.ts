import { createHash, randomUUID } from "node:crypto";
import type { Dirent } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { transient } from "@headway/engine";
import type { Blobs, PutOptions, StoredBlob } from "./blobs.ts";
import { damagedBlob, leftoverAgeMs, missingBlob } from "./blobs.ts";
import { type Draft, withDraft } from "./draft.ts";

export interface FolderBlobsOptions {
  /** Creates the draft file of a stream. */
  readonly create?: (path: string) => Promise<FileHandle>;
  readonly now?: () => number;
}

const readBytes = 1 << 18;

/** Blobs as files of a folder: `ab/cdef…`, and `tmp` for drafts. The folder is created with the first blob. */
export async function openFolderBlobs(folder: string, options: FolderBlobsOptions = {}): Promise<Blobs> {
  const tmp = join(folder, "tmp");
  const create = options.create ?? ((path: string) => open(path, "wx", 0o600));
  await removeLeftovers(tmp, (options.now ?? Date.now)());
  return {
    place: folder,
    put: (source, putOptions = {}) => put({ folder, tmp, create }, source, putOptions),
    open: (sha256, { signal } = {}) => read(pathOf(folder, sha256), sha256, signal),
    has: async (sha256) => (await sizeOf(pathOf(folder, sha256))) !== null,
    list: () => listFiles(folder),
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
  { folder, tmp, create }: Shelf,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<StoredBlob> {
  const path = join(tmp, randomUUID());
  const createDraft = async () => {
    await mkdir(tmp, { recursive: true, mode: 0o700 });
    return await create(path);
  };
  try {
    return await withDraft(source, { ...options, create: createDraft }, async (draft) => ({
      sha256: draft.sha256,
      size: draft.size,
      fresh: await store(folder, draft, path),
    }));
  } catch (error) {
    throw explain(error, folder);
  } finally {
    await rm(path, { force: true });
  }
}

async function store(folder: string, draft: Draft, draftPath: string): Promise<boolean> {
  const path = pathOf(folder, draft.sha256) as string;
  // A file of another size is damaged, and replaced by the whole.
  if ((await sizeOf(path)) === draft.size) return false;
  const file = await draft.file();
  await file.sync();
  await file.close();
  await giveName(folder, draftPath, path);
  return true;
}

/** A name is durable only when its folder is synced. */
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
      // A new buffer each time: the reader may keep it.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes, null);
      signal?.throwIfAborted();
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      yield piece;
    }
    if (hash.digest("hex") !== sha256) throw damagedBlob(sha256);
  } catch (error) {
    throw explain(error, sha256);
  } finally {
    await file.close();
  }
}

async function openBlob(path: string | null, sha256: string): Promise<FileHandle> {
  if (path === null) throw missingBlob(sha256);
  try {
    return await open(path, "r");
  } catch (error) {
    throw codeOf(error) === "ENOENT" ? missingBlob(sha256, error) : explain(error, sha256);
  }
}

/** Path of a blob; null for an invalid SHA-256, so no name leads out of the folder. */
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

async function listFiles(folder: string): Promise<string[]> {
  const shelves = (await entriesOf(folder)).filter(isShelf);
  const files = await Promise.all(
    shelves.map(async ({ name }) => (await entriesOf(join(folder, name))).map((file) => name + file.name)),
  );
  return files.flat();
}

const isShelf = (entry: Dirent): boolean => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name);

async function removeLeftovers(tmp: string, now: number): Promise<void> {
  for (const { name } of await entriesOf(tmp)) {
    const path = join(tmp, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    );
    if (age > leftoverAgeMs) await rm(path, { force: true, recursive: true });
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Disk errors in words; all other errors, such as errors of the source, are passed on unchanged. */
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
