import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { readExactly, readTar, tarEnd, tarHeader, tarPadding } from "./tar-file.ts";

/** Content of a backup; the last entry, so a file without a manifest is incomplete. */
export interface Manifest {
  readonly format: "headway-backup";
  readonly version: 1;
  readonly madeAt: string;
  readonly folders: readonly string[];
  readonly files: readonly KeptFile[];
}

export interface KeptFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

const manifestName = "manifest.json";
const manifestBytesMax = 256 * 1024 * 1024;

/** Adds files of a folder to one file, in the order of the calls. */
export interface BackupWriter {
  /** Adds everything below a name, except for entries added before. */
  add(name: string): Promise<void>;
}

/** Writes a backup. The file gets its name only when whole. */
export async function writeBackup(
  file: string,
  { folder, now }: { folder: string; now: Date },
  fill: (writer: BackupWriter) => Promise<void>,
): Promise<{ manifest: Manifest; sha256: string; bytes: number }> {
  const draft = `${file}.${process.pid}.part`;
  const hash = createHash("sha256");
  let bytes = 0;
  let manifest: Manifest | undefined;
  try {
    await pipeline(
      Readable.from(entriesOf(folder, now, fill, (made) => (manifest = made))),
      createGzip({ level: 6 }),
      async function* (stream: AsyncIterable<Buffer>) {
        for await (const piece of stream) {
          hash.update(piece);
          bytes += piece.length;
          yield piece;
        }
      },
      createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true }),
    );
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return { manifest: manifest as Manifest, sha256: hash.digest("hex"), bytes };
}

/** A rendezvous: `fill` adds and the stream takes, one piece at a time. */
async function* entriesOf(
  folder: string,
  now: Date,
  fill: (writer: BackupWriter) => Promise<void>,
  done: (manifest: Manifest) => void,
): AsyncGenerator<Buffer> {
  const folders = new Set<string>();
  const files = new Map<string, KeptFile>();
  const pipe = makePipe();
  const filling = fill({ add: (name) => addAll(name) }).then(
    () => pipe.end(),
    (error: unknown) => pipe.end(error),
  );
  async function addAll(name: string): Promise<void> {
    const found = await lstat(join(folder, name)).catch(() => null);
    if (found?.isDirectory()) {
      if (!folders.has(name)) await pipe.put(tarHeader({ kind: "folder", name, size: 0 }));
      folders.add(name);
      for (const inner of (await readdir(join(folder, name))).sort()) await addAll(`${name}/${inner}`);
    } else if (found?.isFile() && !files.has(name)) await addFile(name, found.size);
  }
  async function addFile(path: string, size: number): Promise<void> {
    const hash = createHash("sha256");
    await pipe.put(tarHeader({ kind: "file", name: path, size }));
    for await (const piece of readExactly(join(folder, path), size)) {
      hash.update(piece);
      await pipe.put(piece);
    }
    await pipe.put(tarPadding(size));
    files.set(path, { path, size, sha256: hash.digest("hex") });
  }
  yield* pipe.pieces();
  await filling;
  const madeAt = now.toISOString();
  const manifest = {
    format: "headway-backup",
    version: 1,
    madeAt,
    folders: [...folders],
    files: [...files.values()],
  } as const;
  const text = Buffer.from(JSON.stringify(manifest));
  yield tarHeader({ kind: "file", name: manifestName, size: text.length });
  yield text;
  yield tarPadding(text.length);
  yield tarEnd();
  done(manifest);
}

/** Hands pieces over one by one; a put waits for the take of the last piece, and fails after the taker has gone. */
function makePipe() {
  let taker = deferred<Buffer | null>();
  let putter = deferred<void>();
  let closed = false;
  return {
    async put(piece: Buffer): Promise<void> {
      if (closed) throw new Error("The backup was broken off.");
      putter = deferred<void>();
      taker.resolve(piece);
      await putter.promise;
    },
    end: (error?: unknown) => (error === undefined ? taker.resolve(null) : taker.reject(error)),
    async *pieces(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          const piece = await taker.promise;
          if (piece === null) return;
          taker = deferred<Buffer | null>();
          yield piece;
          putter.resolve();
        }
      } finally {
        closed = true;
        putter.reject(new Error("The backup was broken off."));
        // These promises may have no waiter any more.
        putter.promise.catch(() => undefined);
        taker.promise.catch(() => undefined);
      }
    },
  };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

/** A file that is no backup, or a changed backup. */
export class DamagedBackup extends Error {}

/** Reads a backup to its end and compares every hash. With `into` unpacks; use the folder only after this returns. */
export async function readBackup(file: string, into: string | null): Promise<Manifest> {
  const found = new Map<string, KeptFile>();
  let manifest: Manifest | null = null;
  const stream = createReadStream(file).pipe(createGunzip());
  try {
    for await (const entry of readTar(stream)) {
      if (entry.kind === "folder") {
        if (into) await mkdir(placeIn(into, entry.name), { recursive: true, mode: 0o700 });
      } else if (entry.name === manifestName) manifest = await readManifest(entry.bytes, entry.size);
      else found.set(entry.name, await keep(entry, into));
    }
  } catch (error) {
    throw new DamagedBackup(`${file} is no whole backup (${(error as Error).message}): use another one.`, {
      cause: error,
    });
  } finally {
    stream.destroy();
  }
  if (!manifest)
    throw new DamagedBackup(`${file} is no whole backup (its list is missing): use another one.`);
  const wrong = manifest.files.find(({ path, sha256 }) => found.get(path)?.sha256 !== sha256);
  if (wrong || found.size !== manifest.files.length)
    throw new DamagedBackup(
      `${file} is damaged (${wrong?.path ?? "it holds more than it says"}): use another one.`,
    );
  return manifest;
}

async function readManifest(bytes: AsyncIterable<Buffer>, size: number): Promise<Manifest> {
  if (size > manifestBytesMax) throw new Error("its list is too long");
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(Buffer.from(piece));
  const manifest = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Manifest;
  if (manifest.format !== "headway-backup") throw new Error("it is something else");
  if (manifest.version !== 1) throw new Error("it was made by a newer Headway");
  return manifest;
}

async function keep(
  { name, size, bytes }: { name: string; size: number; bytes: AsyncIterable<Buffer> },
  into: string | null,
): Promise<KeptFile> {
  const hash = createHash("sha256");
  const path = placeIn(into ?? "/", name);
  if (into) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = into ? await open(path, "wx", 0o600) : null;
  try {
    for await (const piece of bytes) {
      hash.update(piece);
      await file?.writeFile(piece);
    }
    await file?.sync();
  } finally {
    await file?.close();
  }
  return { path: name, size, sha256: hash.digest("hex") };
}

/** A name must stay within the folders of backups. */
function placeIn(folder: string, name: string): string {
  const parts = name.split("/");
  if (
    !["data", "blobs"].includes(parts[0] as string) ||
    parts.some((part) => part === ".." || part === "" || part === ".")
  )
    throw new Error(`it names ${JSON.stringify(name)}`);
  return join(folder, ...parts);
}
