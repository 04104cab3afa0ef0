import { createHash } from "node:crypto";
import { type Blobs, missingBlob } from "./blobs.ts";

/** A store for dry runs: bytes are measured and hashed, and not kept. */
export const measureOnly: Blobs = {
  place: "nowhere",
  async put(source, { signal } = {}) {
    const hash = createHash("sha256");
    let size = 0;
    for await (const piece of source) {
      signal?.throwIfAborted();
      hash.update(piece);
      size += piece.length;
    }
    return { sha256: hash.digest("hex"), size, fresh: true };
  },
  // biome-ignore lint/correctness/useYield: nothing is kept
  async *open(sha256) {
    throw missingBlob(sha256);
  },
  has: async () => false,
  list: async () => [],
  remove: async () => undefined,
};
