import { batchStage, collection, groupStage, pipeline, projection, service, stage } from "@headway/engine";
import { z } from "zod";

/**
 * The pipeline of the simulation, with every shape a stage can have: a stream (`cutting`), a batch (`stamping`), a plain one
 * whose results are committed by a single statement (`counting`), one behind it (`filing`), a look-up (`labelling`) and groups (`bundling`); two collections are projected. What becomes of a word is written
 * in the word, so the right ending of any story follows from the letters that are there in the end.
 */
export interface Letter {
  readonly thread: string;
  readonly words: readonly string[];
  /** "torn": it can never be cut; "jam2": not at the first two tries. */
  readonly mood: string;
}

/** A machine that stages use; what it does with a word depends on the word, and on the weather. */
export interface Machine {
  work(words: readonly string[]): Promise<void>;
}
const saw = service("saw").as<Machine>();
const press = service("press").as<Machine>();
export const machines = ["saw", "press"] as const;

export const letters = collection(
  "letters",
  z.object({ thread: z.string(), words: z.array(z.string()), mood: z.string() }),
);
const parts = collection("parts", z.object({ thread: z.string(), text: z.string() }));
const stamps = collection("stamps", z.object({ text: z.string() }));
const counts = collection("counts", z.object({ length: z.number() }));
const files = collection("files", z.object({ drawer: z.number() }));
const labels = collection("labels", z.object({ mood: z.string() }));
const bundles = collection("bundles", z.object({ parts: z.array(z.string()) }));

export const attemptsMax = 8;
const retry = {
  attempts: attemptsMax,
  transient: { max: "2s" },
  "rate-limited": { initial: "300ms", max: "2s" },
  // What may have killed its workers comes back soon, and not after the storm.
  unknown: { initial: "1s", max: "2s" },
} as const;

const cutting = stage("cutting", {
  reads: letters,
  writes: [parts],
  needs: [saw],
  retry,
  announces: { done: "Cut", failed: "CuttingFailed" },
  async *run(letter, { saw }) {
    await saw.work([letter.mood === "well" ? "well" : `${letter.mood}.${letter.id}`]);
    for (const { id, body } of partsOf(letter.id, letter)) {
      await saw.work(["cut"]);
      yield parts.document(id, body);
    }
  },
});

const stamping = batchStage("stamping", {
  reads: parts,
  writes: [stamps],
  batch: 3,
  needs: [press],
  retry,
  announces: { done: "Stamped", failed: "StampingFailed" },
  async *run(batch, { press }) {
    await press.work(batch.map((part) => part.text));
    for (const part of batch) yield [part, stamps.document(part.id, stampOf(part.text))] as const;
  },
});

const counting = stage("counting", {
  reads: stamps,
  writes: [counts],
  retry,
  announces: { done: "Counted" },
  *run(stamp) {
    yield counts.document(stamp.id, { length: stamp.text.length });
  },
});

/** Cheap and behind another cheap one, so that it is often done in passing. */
const filing = stage("filing", {
  reads: counts,
  writes: [files],
  retry,
  announces: { done: "Filed" },
  *run(count) {
    yield files.document(count.id, fileOf(count.length));
  },
});
const fileOf = (length: number) => ({ drawer: length % 7 });

const bundling = groupStage("bundling", {
  reads: parts,
  writes: [bundles],
  per: (part) => part.thread,
  after: [stamping],
  quiet: "1s",
  retry,
  announces: { done: "Bundled" },
  *run({ key, documents }) {
    yield bundles.document(key, { parts: documents.map((part) => `${part.id}: ${part.text}`).sort() });
  },
});

/** A label names the mood of the letter, which may change without its parts. */
const labelling = stage("labelling", {
  reads: parts,
  writes: [labels],
  looks: { letter: { of: letters.only("mood"), ids: ({ id }) => letterOf(id), optional: true } },
  retry,
  announces: { done: "Labelled" },
  *run({ id }, { letter }) {
    yield labels.document(id, { mood: letter[0]?.mood ?? "none" });
  },
});

/** A shared part belongs to no letter. */
const letterOf = (part: string): string[] => (part.startsWith("=") ? [] : [part.split("/")[0] as string]);

export const post = pipeline("post", {
  stages: [cutting, stamping, counting, filing, labelling, bundling],
  projections: [
    projection("shown_parts", { of: parts, columns: { thread: "text", text: "text" } }),
    projection("shown_labels", { of: labels, columns: { mood: "text" }, indexes: { mood: ["mood"] } }),
  ],
});

/** A word that begins with "=" is the same part whichever letter it is in; each letter also has a head of its own. */
function partsOf(
  id: string,
  { thread, words }: Letter,
): { id: string; body: { thread: string; text: string } }[] {
  return [
    { id: `${id}/head`, body: { thread, text: `head of ${words.length}` } },
    ...words.map((text) =>
      text.startsWith("=")
        ? { id: text, body: { thread: "shared", text } }
        : { id: `${id}/${text}`, body: { thread, text } },
    ),
  ];
}

const stampOf = (text: string) => ({ text: `${text.toUpperCase()}!` });

/** What a word is like: everything up to its number. */
export const moodOf = (word: string): string => word.match(/^[a-z]+/)?.[0] ?? "";

/** Why a word can never get through. */
const deaths: Readonly<Record<string, string>> = {
  torn: "permanent",
  bad: "permanent",
  always: "exhausted",
  kill: "worker-lost",
};

/** How a story has to end. */
export interface Ending {
  /** Bodies by `collection/id`. */
  readonly documents: ReadonlyMap<string, object>;
  /** Reasons by `stage of collection/id`. */
  readonly deaths: ReadonlyMap<string, string>;
}

/** The ending that follows from the letters, worked out without an engine. */
export function rightEnding(last: ReadonlyMap<string, Letter>): Ending {
  const documents = new Map<string, object>();
  const dead = new Map<string, string>();
  const threads = new Map<string, string[]>();
  for (const [id, letter] of last) {
    documents.set(`letters/${id}`, letter);
    const torn = deaths[moodOf(letter.mood)];
    if (torn) dead.set(`cutting of letters/${id}`, torn);
    for (const { id: part, body } of torn ? [] : partsOf(id, letter)) {
      if (documents.has(`parts/${part}`)) continue;
      documents.set(`parts/${part}`, body);
      threads.set(body.thread, [...(threads.get(body.thread) ?? []), `${part}: ${body.text}`]);
      documents.set(`labels/${part}`, { mood: part.startsWith("=") ? "none" : letter.mood });
      const death = deaths[moodOf(body.text)];
      if (death) {
        dead.set(`stamping of parts/${part}`, death);
        continue;
      }
      const stamp = stampOf(body.text);
      documents.set(`stamps/${part}`, stamp);
      documents.set(`counts/${part}`, { length: stamp.text.length });
      documents.set(`files/${part}`, fileOf(stamp.text.length));
    }
  }
  for (const [thread, texts] of threads) documents.set(`bundles/${thread}`, { parts: texts.sort() });
  return { documents, deaths: dead };
}
