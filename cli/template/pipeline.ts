import { collection, groupStage, permanent, pipeline, stage } from "@headway/engine";
import { z } from "zod";

/** Letters come in; paragraphs, their sizes and a digest of each letter come out. */
export const letters = collection("letters", z.object({ text: z.string() }));
export const paragraphs = collection("paragraphs", z.object({ letter: z.string(), text: z.string() }));
export const sizes = collection("sizes", z.object({ letter: z.string(), words: z.number() }));
export const digests = collection("digests", z.object({ paragraphs: z.number(), words: z.number() }));

export const cutting = stage("cutting", {
  reads: letters,
  writes: [paragraphs],
  *run(letter) {
    const found = letter.text.split(/\n{2,}/).filter((text) => text.trim() !== "");
    // The same letter would fail again, so it is not tried again: it waits for a person.
    if (found.length === 0) throw permanent("letter.empty", "The letter has no text.");
    for (const [index, text] of found.entries())
      yield paragraphs.document(`${letter.id}/${index + 1}`, { letter: letter.id, text });
  },
});

export const counting = stage("counting", {
  reads: paragraphs,
  writes: [sizes],
  *run({ id, letter, text }) {
    yield sizes.document(id, { letter, words: text.trim().split(/\s+/).length });
  },
});

export const digesting = groupStage("digesting", {
  reads: sizes,
  writes: [digests],
  per: (size) => size.letter,
  *run({ key, documents }) {
    const words = documents.reduce((sum, size) => sum + size.words, 0);
    yield digests.document(key, { paragraphs: documents.length, words });
  },
});

export const post = pipeline("post", { stages: [cutting, counting, digesting] });
