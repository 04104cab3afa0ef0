import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { type PutOptions, tooLargeBlob } from "./blobs.ts";

/** A stream read to its end, with known hash, not stored yet. */
export interface Draft {
  readonly sha256: string;
  readonly size: number;
  /** The stream's file. */
  file(): Promise<FileHandle>;
  /** All bytes, in pieces of this size and a last remainder. */
  pieces(pieceBytes: number): AsyncIterable<Uint8Array>;
}

/** Smaller streams stay in memory until requested: an existing small blob costs no write. */
const heldBytesMax = 1 << 20;

export interface DraftOptions extends PutOptions {
  /** Creates the file for a stream too large for memory. */
  readonly create: () => Promise<FileHandle>;
}

/** Reads a stream to its end and lets `act` store the draft; memory stays flat for any size. */
export async function withDraft<T>(
  source: AsyncIterable<Uint8Array>,
  { create, bytesMax = Number.POSITIVE_INFINITY, signal }: DraftOptions,
  act: (draft: Draft) => Promise<T>,
): Promise<T> {
  const hash = createHash("sha256");
  const held: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | null = null;
  const inFile = async (): Promise<FileHandle> => {
    file ??= await create();
    await writeAll(file, held.splice(0));
    return file;
  };
  try {
    signal?.throwIfAborted();
    for await (const piece of source) {
      signal?.throwIfAborted();
      size += piece.length;
      if (size > bytesMax) throw tooLargeBlob(bytesMax);
      hash.update(piece);
      // A piece may be a view of a buffer reused by its source.
      held.push(size > heldBytesMax ? piece : Uint8Array.from(piece));
      if (size > heldBytesMax) await inFile();
    }
    signal?.throwIfAborted();
    return await act({
      sha256: hash.digest("hex"),
      size,
      file: inFile,
      pieces: (pieceBytes) =>
        file ? readPieces(file, pieceBytes) : cutPieces(Buffer.concat(held), pieceBytes),
    });
  } finally {
    // The compiler does not see the assignment above.
    await (file as FileHandle | null)?.close();
  }
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    for (let done = 0; done < piece.length; ) {
      done += (await file.write(piece, done, piece.length - done)).bytesWritten;
    }
  }
}

async function* readPieces(file: FileHandle, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; ; start += pieceBytes) {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let filled = 0;
    while (filled < pieceBytes) {
      const { bytesRead } = await file.read(piece, filled, pieceBytes - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    if (filled > 0) yield piece.subarray(0, filled);
    if (filled < pieceBytes) return;
  }
}

async function* cutPieces(whole: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < whole.length; start += pieceBytes)
    yield whole.subarray(start, start + pieceBytes);
}
