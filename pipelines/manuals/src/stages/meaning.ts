import { batchStage } from "@headway/engine";
import { openStaticModel, staticModelName, vectorText } from "@headway/text";
import { excerpts, excerptVectors } from "../collections.ts";

/** Longer texts add words and no meaning. */
const lengthMax = 1_400;
const embedder = openStaticModel();

/** A passage with its headings becomes its meaning, by the built-in model: for questions in other words. */
export const meaning = batchStage("meaning", {
  reads: excerpts,
  writes: [excerptVectors],
  batch: 64,
  model: staticModelName,
  retry: { attempts: 5 },
  async *run(batch, { signal }) {
    const texts = batch.map(({ crumbs, text }) => `${crumbs}. ${text}`.slice(0, lengthMax));
    const vectors = await embedder.embed(texts, { signal });
    for (const [index, excerpt] of batch.entries()) {
      const vector = vectorText(vectors[index] as Float32Array);
      yield [
        excerpt,
        excerptVectors.document(excerpt.id, { manual: excerpt.manual, model: staticModelName, vector }),
      ];
    }
  },
});
