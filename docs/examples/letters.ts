import { collection, groupStage, permanent, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";

/** Letters to a workshop become paragraphs, paragraphs become sightings of error codes, and each code gets a digest. */
export const letters = collection("letters", z.object({ text: z.string() }));
export const paragraphs = collection("paragraphs", z.object({ letter: z.string(), text: z.string() }));
export const sightings = collection(
  "sightings",
  z.object({ code: z.string(), meaning: z.string(), letter: z.string(), quote: z.string() }),
);
export const digests = collection(
  "digests",
  z.object({ meaning: z.string(), times: z.number(), letters: z.array(z.string()) }),
);

/** Knows what codes mean. Somebody else's service: it is slow, and now and then it does not answer. */
export interface Lexicon {
  explain(code: string, signal: AbortSignal): Promise<string>;
}
export const lexicon = service("lexicon").as<Lexicon>();

export const splitting = stage("splitting", {
  reads: letters,
  writes: [paragraphs],
  announces: { done: "LetterSplit", failed: "SplittingFailed" },
  config: { lengthMax: 6_000 },
  *run(letter, { config }) {
    if (letter.text.trim() === "") throw permanent("letter.empty", "The letter has no text.");
    if (letter.text.length > config.lengthMax)
      throw permanent("letter.too-long", `The letter has more than ${config.lengthMax} characters.`);
    for (const [index, text] of letter.text.split(/\n\s*\n/).entries())
      yield paragraphs.document(`${letter.id}/${index}`, { letter: letter.id, text: text.trim() });
  },
});

export const finding = stage("finding", {
  reads: paragraphs,
  writes: [sightings],
  needs: [lexicon],
  timeout: "10s",
  async *run(paragraph, { lexicon, signal }) {
    for (const code of new Set(paragraph.text.match(/\bE-\d{3}\b/g))) {
      const meaning = await lexicon.explain(code, signal);
      const { letter, text } = paragraph;
      yield sightings.document(`${paragraph.id}/${code}`, {
        code,
        meaning,
        letter,
        quote: text.slice(0, 100),
      });
    }
  },
});

/** Fan-in: one digest per code, whatever letter it was seen in, made anew when a sighting comes, changes or goes. */
export const digesting = groupStage("digesting", {
  reads: sightings,
  per: (sighting) => sighting.code,
  quiet: "200ms",
  writes: [digests],
  *run({ key: code, documents }) {
    const [first] = documents;
    if (!first) return;
    const from = [...new Set(documents.map((sighting) => sighting.letter))].sort();
    yield digests.document(code, { meaning: first.meaning, times: documents.length, letters: from });
  },
});

export const workshop = pipeline("workshop", { stages: [splitting, finding, digesting] });

const meanings: Readonly<Record<string, string>> = {
  "E-101": "paper jam at the lower tray",
  "E-204": "fuser too hot",
  "E-330": "clock not set",
};

/** Stands for the real thing: answers after a while, refuses the first call, and does not know every code. */
export function makeLexicon(delayMs: number): Lexicon {
  let calls = 0;
  return {
    async explain(code, signal) {
      calls += 1;
      if (calls === 1)
        throw Object.assign(new Error("connect ECONNREFUSED lexicon.example:443"), { code: "ECONNREFUSED" });
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, delayMs);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      });
      const meaning = meanings[code];
      if (meaning) return meaning;
      throw Object.assign(new Error(`GET /codes/${code} answered 404`), { status: 404 });
    },
  };
}
