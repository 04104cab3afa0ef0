import { batchStage } from "@headway/engine";
import { openStaticModel, staticModelName, vectorText } from "@headway/text";
import { chunks, vectors } from "../collections.ts";
import { embedder } from "../services.ts";

const subjectLengthMax = 120;

/** A passage becomes its meaning: by the built-in model on any core, or by a server or a model in the engine's process. */
export const makeEmbedding = (model: string) =>
  batchStage("embedding", {
    reads: chunks,
    writes: [vectors],
    batch: 64,
    needs: [embedder],
    version: "2",
    model,
    ...(model === staticModelName && { isolate: { module: import.meta.url, makes: ["embedder"] } }),
    announces: { done: "EmbeddingsGenerated", failed: "EmbeddingGenerationFailed" },
    retry: { attempts: 5 },
    timeout: "5m",
    async *run(batch, { embedder, signal, idempotencyKey }) {
      const meanings = await embedder.embed(
        // The subject often has the one word that a short answer leaves out.
        batch.map(({ subject, text }) => `${subject.slice(0, subjectLengthMax)}\n${text}`),
        { signal, idempotencyKey },
      );
      for (const [index, chunk] of batch.entries()) {
        const vector = vectorText(meanings[index] as Float32Array);
        yield [chunk, vectors.document(chunk.id, { model: embedder.model, vector })];
      }
    },
  });

/** For the isolated process. */
export const embedding = makeEmbedding(staticModelName);
export const services = () => ({ embedder: openStaticModel() });
