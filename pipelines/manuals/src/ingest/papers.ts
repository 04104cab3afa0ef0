import { createWriteStream } from "node:fs";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Blobs } from "@headway/intake";

/** Blobs as files for other processes. */
export interface Papers {
  /** The path of a file with the bytes of this blob. */
  path(sha256: string): Promise<string>;
  close(): Promise<void>;
}

/** Limit of kept files; the least recently requested goes first. */
const filesMax = 8;

export function openPapers(blobs: Pick<Blobs, "open">): Papers {
  let folder: Promise<string> | null = null;
  const kept = new Map<string, Promise<string>>();
  const spool = async (sha256: string): Promise<string> => {
    folder ??= mkdtemp(join(tmpdir(), "headway-papers-"));
    const path = join(await folder, `${sha256}.pdf`);
    if (await stat(path).catch(() => null)) return path;
    const draft = `${path}.part`;
    await pipeline(Readable.from(blobs.open(sha256)), createWriteStream(draft, { mode: 0o600 }));
    await rename(draft, path);
    return path;
  };
  return {
    path(sha256) {
      const found = kept.get(sha256) ?? spool(sha256);
      kept.delete(sha256);
      kept.set(sha256, found);
      found.catch(() => kept.delete(sha256));
      for (const [oldest, file] of [...kept].slice(0, Math.max(0, kept.size - filesMax))) {
        kept.delete(oldest);
        // A process with the file open keeps the file; a later process asks again.
        void file.then((path) => rm(path, { force: true })).catch(() => undefined);
      }
      return found;
    },
    async close() {
      if (folder) await rm(await folder, { recursive: true, force: true });
    },
  };
}
