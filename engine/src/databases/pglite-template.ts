import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { pgliteVersion } from "./pglite-module.ts";

/**
 * A fresh data directory, kept in the user's cache: creating a directory takes PGlite 3 to 9 s, unpacking the
 * template 0.7 s. Only a shortcut: with any problem the answer is null, and the database is created the slow way.
 */
export async function readTemplate(): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const path = await templatePath();
    if (path === null || !(await isOurs(path, "file"))) return null;
    const bytes = await readFile(path);
    const packed = bytes.subarray(hashBytes);
    if (!hash(packed).equals(bytes.subarray(0, hashBytes))) return null;
    return await unpacked(packed);
  } catch {
    return null;
  }
}

/** In one piece of the size noted at the end of the file: pieces and copies would stay in memory for minutes. */
async function unpacked(packed: Buffer): Promise<Uint8Array<ArrayBuffer>> {
  const size = packed.readUInt32LE(packed.length - 4);
  const { buffer, byteOffset, length } = await promisify(gunzip)(packed, {
    chunkSize: Math.min(size, unpackedBytesMax) + 64,
    maxOutputLength: unpackedBytesMax,
  });
  return new Uint8Array(buffer, byteOffset, length);
}
const unpackedBytesMax = 1 << 28;

/** Keeps a template for the next start. Several processes may do so at once: each puts a whole file in place. */
export async function writeTemplate(tar: Uint8Array): Promise<void> {
  try {
    const path = await templatePath();
    if (path === null) return;
    const packed = await promisify(gzip)(tar, { level: 1 });
    const draft = `${path}.${randomUUID()}`;
    try {
      const file = await open(draft, "wx", 0o600);
      await file.writeFile(Buffer.concat([hash(packed), packed])).finally(() => file.close());
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  } catch {
    // Without a template the next start is slow again, no more.
  }
}

/** For a template unusable by PGlite. */
export async function dropTemplate(): Promise<void> {
  const path = await templatePath();
  if (path !== null) await rm(path, { force: true }).catch(() => {});
}

const hashBytes = 32;
const hash = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** The first folder owned by this user alone: in a shared folder another user could plant a prepared database. */
async function templatePath(): Promise<string | null> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const name = `pglite-${await pgliteVersion()}.template`;
  for (const folder of [join(cache, "headway"), join(tmpdir(), `headway-${process.getuid?.() ?? "cache"}`)]) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (await isOurs(folder, "folder")) return join(folder, name);
    } catch {
      // Not writable; the next folder may be.
    }
  }
  return null;
}

/** lstat, so a planted link does not count as its target. */
async function isOurs(path: string, kind: "file" | "folder"): Promise<boolean> {
  const found = await lstat(path);
  if (kind === "file" ? !found.isFile() : !found.isDirectory()) return false;
  const uid = process.getuid?.();
  return uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0);
}
