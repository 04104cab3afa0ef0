import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, transient } from "@headway/engine";
import {
  addPiece,
  beginBlob,
  finishBlob,
  listBlobs,
  readPiece,
  readStanding,
  removeBlob,
  removeUnfinished,
} from "./blob-pieces.ts";
import type { Blobs, PutOptions, StoredBlob } from "./blobs.ts";
import { damagedBlob, leftoverAgeMs, missingBlob } from "./blobs.ts";
import { type Draft, withDraft } from "./draft.ts";

const pieceBytes = 1 << 20;

/** Blobs as rows of the pipeline's own database, available to every machine with access. */
export function makeDatabaseBlobs(
  database: Promise<Database>,
  { now = Date.now }: { readonly now?: () => number } = {},
): Blobs {
  return {
    place: "the table headway.blob",
    put: async (source, options = {}) => await put(await database, source, options, now),
    open: (sha256, { signal } = {}) => read(database, sha256, signal),
    has: async (sha256) => (await readStanding(await database, sha256)) === "whole",
    list: async () => await listBlobs(await database),
    remove: async (sha256) => await removeBlob(await database, sha256),
  };
}

/** Reads the stream to its end first: only then the hash is known, and usually the blob exists already. */
async function put(
  db: Database,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
  now: () => number,
): Promise<StoredBlob> {
  let folder: string | undefined;
  const create = async () => {
    folder = await mkdtemp(join(tmpdir(), "headway-"));
    return await open(join(folder, "blob"), "wx+", 0o600);
  };
  try {
    return await withDraft(source, { ...options, create }, async (draft) => ({
      sha256: draft.sha256,
      size: draft.size,
      fresh: await store(db, draft, options.signal, now),
    }));
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function store(
  db: Database,
  draft: Draft,
  signal: AbortSignal | undefined,
  now: () => number,
): Promise<boolean> {
  const { sha256: hash, size } = draft;
  const standing = await readStanding(db, hash);
  if (standing === "whole") return false;
  // A blob with lost bytes is replaced by the whole.
  if (standing === "cut") await removeBlob(db, hash);
  await removeUnfinished(db, new Date(now() - leftoverAgeMs));
  await beginBlob(db, { hash, size, at: new Date(now()) });
  let number = 0;
  for await (const bytes of draft.pieces(pieceBytes)) {
    signal?.throwIfAborted();
    await addPiece(db, { hash, number, bytes, at: new Date(now()) });
    number += 1;
  }
  if (await finishBlob(db, hash)) return true;
  // Another process was faster with the same blob.
  if ((await readStanding(db, hash)) === "whole") return false;
  await removeBlob(db, hash);
  throw transient("blob.cleared-away", `Blob ${hash} was cleared away while it was written: try again.`);
}

async function* read(
  database: Promise<Database>,
  sha256: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const db = await database;
  const missing = async () => ["missing", "unfinished"].includes(await readStanding(db, sha256));
  if (await missing()) throw missingBlob(sha256);
  const hash = createHash("sha256");
  for (let number = 0; ; number += 1) {
    const piece = await readPiece(db, sha256, number);
    signal?.throwIfAborted();
    if (!piece) break;
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") === sha256) return;
  throw (await missing()) ? missingBlob(sha256) : damagedBlob(sha256);
}
