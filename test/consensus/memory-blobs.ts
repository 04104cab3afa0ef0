import { createHash } from "node:crypto";
import { permanent } from "@headway/engine";
import type { Blobs } from "../../intake/src/blobs.ts";

/** Blobs that live as long as a test. */
export function makeMemoryBlobs(): Blobs & { keep(text: string | Buffer): string } {
  const kept = new Map<string, Buffer>();
  const keep = (content: string | Buffer): string => {
    const bytes = Buffer.from(content as string);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    kept.set(sha256, bytes);
    return sha256;
  };
  return {
    keep,
    place: "memory",
    async put(source) {
      const parts: Uint8Array[] = [];
      for await (const part of source) parts.push(part);
      const bytes = Buffer.concat(parts);
      const before = kept.size;
      const sha256 = keep(bytes);
      return { sha256, size: bytes.length, fresh: kept.size > before };
    },
    async *open(sha256) {
      const bytes = kept.get(sha256);
      if (!bytes) throw permanent("blob.missing", `There is no blob ${sha256}.`);
      yield bytes;
    },
    list: async () => [...kept.keys()],
    has: async (sha256) => kept.has(sha256),
    remove: async (sha256) => void kept.delete(sha256),
  };
}
