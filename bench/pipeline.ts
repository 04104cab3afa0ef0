import { collection, pipeline, stage } from "@headway/engine";
import { z } from "zod";

/** Documents as small as the peers' empty jobs; each stage makes one output per input. */
const body = z.object({ kind: z.string(), text: z.string() });
export const inputs = collection("inputs", body);
const firsts = collection("firsts", body);
const seconds = collection("seconds", body);
const thirds = collection("thirds", body);

export const first = stage("first", {
  reads: inputs,
  writes: [firsts],
  *run({ id, kind, text }) {
    yield firsts.document(id, { kind, text });
  },
});
const second = stage("second", {
  reads: firsts,
  writes: [seconds],
  *run({ id, kind, text }) {
    yield seconds.document(id, { kind, text });
  },
});
const third = stage("third", {
  reads: seconds,
  writes: [thirds],
  *run({ id, kind, text }) {
    yield thirds.document(id, { kind, text });
  },
});

export const chain = pipeline("chain", { stages: [first, second, third] });
export const stageNames = ["first", "second", "third"] as const;

const words = "lorem ipsum dolor sit amet, ";
const short = words.repeat(3);
const kilobyte = words.repeat(40).slice(0, 1_000);

const draftOf = (number: number, text: string) =>
  inputs.document(String(number).padStart(12, "0"), { kind: "mail", text });
export const draft = (number: number) => draftOf(number, short);
export const kilobyteDraft = (number: number) => draftOf(number, kilobyte);
