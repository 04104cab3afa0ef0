import { createHash } from "node:crypto";
import type { Embedder } from "./embedder.ts";

const defaults = { entriesMax: 10_000 };

/** Caches the vectors of recent texts, so the same text is not paid for twice. */
export function cacheEmbedder(embedder: Embedder, options: { readonly entriesMax?: number } = {}): Embedder {
  const entriesMax = Math.max(1, options.entriesMax ?? defaults.entriesMax);
  const entries = new Map<string, Float32Array>();

  function recall(key: string): Float32Array | undefined {
    const vector = entries.get(key);
    if (vector === undefined) return undefined;
    // a Map keeps the order of insertion, so its first entry is the least recently used
    entries.delete(key);
    entries.set(key, vector);
    return vector;
  }

  function remember(key: string, vector: Float32Array): void {
    entries.set(key, vector);
    if (entries.size <= entriesMax) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }

  return {
    model: embedder.model,
    tokensMax: embedder.tokensMax,
    tokenize: (text) => embedder.tokenize(text),
    async embed(texts, options) {
      const keys = texts.map(keyOf);
      const known = new Map<string, Float32Array>();
      const missing = new Map<string, string>();
      for (const [i, key] of keys.entries()) {
        const vector = recall(key);
        if (vector) known.set(key, vector);
        else missing.set(key, texts[i] as string);
      }
      if (missing.size > 0) {
        const made = await embedder.embed([...missing.values()], options);
        for (const [i, key] of [...missing.keys()].entries()) {
          const vector = made[i] as Float32Array;
          known.set(key, vector);
          remember(key, vector);
        }
      }
      // a copy each, so callers cannot change shared vectors
      return keys.map((key) => Float32Array.from(known.get(key) as Float32Array));
    },
  };
}

/** Of UTF-16, so texts with half characters stay different. */
const keyOf = (text: string): string =>
  createHash("sha256").update(Buffer.from(text, "utf16le")).digest("base64");
