import { collection, permanent, pipeline, stage, transient } from "@headway/engine";
import { z } from "zod";
import type { Scenario } from "./scenarios.ts";

const body = z.object({ text: z.string() });
const words = collection("words", body);
const loud = collection("loud", body);
const long = collection("long", body);
const last = collection("last", body);

const raising = stage("raising", {
  reads: words,
  writes: [loud],
  announces: { done: "Raised" },
  *run({ id, text }) {
    yield loud.document(id, { text: text.toUpperCase() });
    if (text.startsWith("two")) yield loud.document(`${id}/2`, { text: "AND" });
  },
});
const stretching = stage("stretching", {
  reads: loud,
  writes: [long],
  retry: { attempts: 4 },
  announces: { done: "Stretched", failed: "StretchingFailed" },
  *run({ id, text }, { attempt }) {
    if (text === "BAD") throw permanent("word.bad", "a bad word");
    if (text === "JAM" && attempt <= 2) throw transient("word.jam", "jammed");
    yield long.document(id, { text: `${text}!` });
  },
});
const closing = stage("closing", {
  reads: long,
  writes: [last],
  announces: { done: "Closed", failed: "ClosingFailed" },
  *run({ id, text }) {
    if (text === "LATE!") throw permanent("word.late", "too late");
    yield last.document(id, { text: `${text}.` });
  },
});

/** Cheap stages run ahead and are committed together; a failure on the way belongs to its own stage. */
export const ahead: Scenario = {
  name: "ahead",
  pipelines: [pipeline("words", { stages: [raising, stretching, closing] })],
  settings: { runAhead: true },
  ending: { document: 20, done: 14, dead: 2, task: 0 },
  make: () => ({
    async run(world) {
      await world.accept(["well", "two", "bad", "jam", "late"].map((text) => words.document(text, { text })));
      await world.drain();
      await world.accept(words.document("well", { text: "better" }));
      await world.drain();
    },
  }),
};
