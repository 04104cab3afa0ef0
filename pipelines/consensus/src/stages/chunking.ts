import { stage } from "@headway/engine";
import { cutPassages } from "@headway/text";
import { chunks, messages } from "../collections.ts";
import { chunkId, makeOrdinals } from "../identity.ts";
import { embedder } from "../services.ts";

/** A message becomes passages short enough for the embedding model. */
export const makeChunking = (tokenizer: string, tokensMax: number) =>
  stage("chunking", {
    reads: messages,
    writes: [chunks],
    needs: [embedder],
    config: { tokenizer, tokensMax },
    announces: { done: "ChunksPrepared", failed: "ChunkingFailed" },
    retry: { attempts: 3 },
    *run({ id, list, from, date, subject, clean }, { embedder, config }) {
      const nth = makeOrdinals();
      const { tokenize } = embedder;
      for (const { start, end, tokens } of cutPassages(clean, { tokenize, tokensMax: config.tokensMax })) {
        const text = clean.slice(start, end);
        const chunk = { list, message: id, from, date, subject, start, end, tokens, text };
        yield chunks.document(chunkId(id, text, nth(text)), chunk);
      }
    },
  });
