import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { startEngine } from "../engine.ts";
import { openTestEngine } from "../testing.ts";
import { type AnyCollection, collection } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";
import { type Pipeline, pipeline } from "./pipeline.ts";
import { service } from "./service.ts";
import { groupStage, type Stage, stage } from "./stage.ts";

const text = z.object({ text: z.string() });
const [mails, lines, words] = [
  collection("mails", text),
  collection("lines", text),
  collection("words", text),
];

const from = (name: string, reads: AnyCollection, ...writes: AnyCollection[]) =>
  stage(name, { reads, writes, *run() {} });
const gathering = (name: string, after: readonly Stage[], reads: AnyCollection = lines) =>
  groupStage(name, { reads, writes: [words], per: () => "all", after, *run() {} });
const splitting = from("splitting", mails, lines);
const shouting = from("shouting", lines);

describe("a pipeline", () => {
  test("knows its stages and every collection they read or write, once", () => {
    const made = pipeline("mail", { stages: [splitting, shouting, gathering("gathering", [shouting])] });
    expect(made.stages.map((one) => one.name)).toEqual(["splitting", "shouting", "gathering"]);
    expect(made.collections.map((one) => one.name)).toEqual(["mails", "lines", "words"]);
    expect(Object.isFrozen(made)).toBe(true);
  });

  test("may join two branches and let several stages read one collection", () => {
    const stages = [splitting, from("spelling", lines, words), from("counting", mails, words)];
    expect(() => pipeline("mail", { stages })).not.toThrow();
  });

  test.each<[string, () => readonly Stage[], string]>([
    ["nothing in it", () => [], "has no stages"],
    [
      "two stages of one name",
      () => [splitting, from("splitting", lines, words)],
      'has two stages called "splitting"; each needs a name of its own',
    ],
    [
      "two collections of one name",
      () => [splitting, from("counting", collection("lines", text), words)],
      'uses two different collections called "lines"; declare it once and import it',
    ],
    [
      "a stage that must come after one that is not there",
      () => [splitting, gathering("gathering", [shouting])],
      'lacks stage "shouting", which "gathering" comes after',
    ],
    [
      "a stage that comes after one of another collection",
      () => [splitting, shouting, gathering("gathering", [splitting])],
      'has "gathering" come after "splitting", but they read different collections ("lines" and "mails"), ' +
        "so the one says nothing about the other's members",
    ],
    [
      "a stage that comes after one that works on groups",
      () => {
        const first = gathering("first", []);
        return [splitting, first, gathering("second", [first])];
      },
      'has "second" come after "first", which works on groups itself; ' +
        "a stage can come after stages that work on single documents",
    ],
    [
      "a stage that feeds itself",
      () => [from("echoing", mails, mails)],
      "goes in a circle: mails → mails; a document would be worked on for ever",
    ],
    [
      "a circle that begins somewhere on the way",
      () => [splitting, from("spelling", lines, words), from("joining", words, lines)],
      "goes in a circle: lines → words → lines; a document would be worked on for ever",
    ],
    [
      "a circle through a group",
      () => [gathering("gathering", []), from("splitting", words, lines)],
      "goes in a circle: lines → words → lines; a document would be worked on for ever",
    ],
  ])("with %s is refused", (_, stages, problem) => {
    const declare = () => pipeline("mail", { stages: stages() });
    expect(declare).toThrow(DefinitionError);
    expect(declare).toThrow(`Pipeline "mail" ${problem}.`);
  });

  test("needs a name of the usual kind", () => {
    expect(() => pipeline("My mail", { stages: [splitting] })).toThrow(
      'The pipeline "My mail" needs another name',
    );
  });
});

interface Embedder {
  embed(text: string): Promise<number[]>;
}

describe("the services of a pipeline", () => {
  const embedder = service("embedder").as<Embedder>();
  const speller = service("speller").as<{ check(word: string): boolean }>();
  const embedding = stage("embedding", { reads: lines, writes: [], needs: [embedder], *run() {} });
  const spelling = stage("spelling", { reads: lines, writes: [], needs: [speller], *run() {} });
  const both = pipeline("both", { stages: [splitting, embedding, spelling] });
  const given: Embedder = { embed: async () => [] };
  const database = { memory: true } as const;

  test("are those of its stages", () => {
    type Needs = typeof both extends Pipeline<infer N> ? N[number]["name"] : never;
    expectTypeOf<Needs>().toEqualTypeOf<"embedder" | "speller">();
  });

  test("must all be given to start it, each as it was declared", () => {
    const check = () => true;
    const declarations = [
      () => startEngine({ pipelines: [both], services: { embedder: given, speller: { check } }, database }),
      // @ts-expect-error: the speller is missing.
      () => startEngine({ pipelines: [both], services: { embedder: given }, database }),
      // @ts-expect-error: nothing is there.
      () => startEngine({ pipelines: [both], services: {}, database }),
      // @ts-expect-error: this is no speller.
      () => startEngine({ pipelines: [both], services: { embedder: given, speller: 5 }, database }),
      // @ts-expect-error: a test engine needs them too.
      () => openTestEngine({ pipelines: [both], services: { embedder: given } }),
    ];
    expect(declarations).toHaveLength(5);
  });

  test("must also be given when several pipelines are started together", () => {
    const one = pipeline("one", { stages: [embedding] });
    const other = pipeline("other", { stages: [spelling] });
    const speller = { check: () => true };
    const starts = [
      () => startEngine({ pipelines: [one, other], services: { embedder: given, speller }, database }),
      () =>
        startEngine({ pipelines: [one, other], services: () => ({ embedder: given, speller }), database }),
      // @ts-expect-error: the speller of the second one is missing.
      () => startEngine({ pipelines: [one, other], services: { embedder: given }, database }),
      // @ts-expect-error: the function that makes services leaves the speller out.
      () => startEngine({ pipelines: [one, other], services: () => ({ embedder: given }), database }),
    ];
    expect(starts).toHaveLength(4);
  });

  test("may be none", () => {
    const plain = pipeline("plain", { stages: [splitting] });
    const start = () => startEngine({ pipelines: [plain], services: {}, database });
    expect(start).toBeTypeOf("function");
  });

  test("that the compiler was talked out of are asked for by name at the start", async () => {
    const start = startEngine({ pipelines: [both] as never, services: {} as never, database });
    await expect(start).rejects.toThrow(
      'Stage "embedding" needs the service "embedder", which was not given to startEngine.',
    );
  });
});
