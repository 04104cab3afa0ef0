import { type AnyCollection, checkName } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";
import type { Projection } from "./projection.ts";
import type { Service } from "./service.ts";
import type { Stage } from "./stage.ts";

/** Advice by fault code: one imperative sentence. A code ending in `.*` covers a whole family. */
export type Fixes = Readonly<Record<string, string>>;

/** Stages that belong together. What flows where follows from what they read and write. */
export interface Pipeline<
  Needs extends readonly Service[] = readonly Service[],
  Holds extends AnyCollection = AnyCollection,
> {
  /** Unique in a database. */
  readonly name: string;
  /** Its stages, in any order. */
  readonly stages: readonly Stage<Needs>[];
  /** Every collection its stages read, write or look at. */
  readonly collections: readonly Holds[];
  /** Tables that show documents of its collections, kept by each commit; see `projection`. */
  readonly projections: readonly Projection[];
  /** Tables of its own, e.g. of bytes beside its documents; see `migrate`. */
  readonly migrations: URL | null;
  /** Services, receivers and commands of its own; see `bringing`. */
  readonly brings?: object;
  /** Advice by fault code; see `pipeline`. */
  readonly fixes: Fixes;
}

/** The needs of several pipelines together; what `services` has to hold. */
export type NeedsOf<Pipelines extends readonly Pipeline[]> = Pipelines[number]["stages"][number]["needs"];

/** The collections of several pipelines together. */
export type CollectionsOf<Pipelines extends readonly Pipeline[]> = Pipelines[number]["collections"][number];

/**
 * Declares a pipeline: stages that belong together. Their collections say what flows where.
 *
 * @example
 * import { collection, pipeline, stage } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * const sizes = collection("sizes", z.object({ words: z.number() }));
 * const counting = stage("counting", {
 *   reads: letters,
 *   writes: [sizes],
 *   *run(letter) {
 *     yield sizes.document(letter.id, { words: letter.text.split(" ").length });
 *   },
 * });
 * export const post = pipeline("post", { stages: [counting] });
 */
export function pipeline<const Stages extends readonly Stage<readonly Service[]>[]>(
  name: string,
  spec: {
    readonly stages: Stages;
    /**
     * Tables that show documents of its collections, kept by each commit; made by `projection`.
     * @default []
     */
    readonly projections?: readonly Projection<Stages[number]["reads"] | Stages[number]["writes"][number]>[];
    /** A folder of `0001_name.sql`, `0002_…` that makes tables and functions of its own. */
    readonly migrations?: URL;
    /**
     * Advice by fault code, shown beside dead letters: `{ "letter.bad": "Write the letter again." }`. A code that ends in `.*` covers
     * a family of codes; the engine has advice for its own codes.
     * @default {}
     */
    readonly fixes?: Fixes;
  },
): Pipeline<Stages[number]["needs"], Stages[number]["reads"]> {
  checkName("pipeline", name);
  checkGraph(name, spec.stages);
  const { stages, projections = [], migrations = null, fixes = {} } = spec;
  const collections = collectionsOf(stages);
  const stray = projections.find((one) => !collections.includes(one.of));
  if (stray)
    throw new DefinitionError(
      `Pipeline "${name}" has a projection "${stray.name}" of the collection "${stray.of.name}", which none of its stages uses.`,
    );
  return Object.freeze({ name, stages, projections, migrations, fixes, collections }) as Pipeline<
    Stages[number]["needs"],
    Stages[number]["reads"]
  >;
}

/** Every collection the stages read, write or look at, once. */
export function collectionsOf(stages: readonly Stage[]): readonly AnyCollection[] {
  return [
    ...new Set(
      stages.flatMap((stage) => [stage.reads, ...stage.writes, ...stage.looks.map((look) => look.of)]),
    ),
  ];
}

/** Refuses a graph that could never work, with one sentence. */
export function checkGraph(name: string, stages: readonly Stage[]): void {
  const refuse = (problem: string): never => {
    throw new DefinitionError(`Pipeline "${name}" ${problem}.`);
  };
  if (stages.length === 0) refuse("has no stages");
  const twice = firstTwice(stages.map((stage) => stage.name));
  if (twice) refuse(`has two stages called "${twice}"; each needs a name of its own`);
  const twins = firstTwice(collectionsOf(stages).map((collection) => collection.name));
  if (twins) refuse(`uses two different collections called "${twins}"; declare it once and import it`);
  for (const stage of stages) {
    for (const before of stage.after) {
      if (!stages.includes(before)) refuse(`lacks stage "${before.name}", which "${stage.name}" comes after`);
      if (before.reads !== stage.reads) {
        refuse(
          `has "${stage.name}" come after "${before.name}", but they read different collections ` +
            `("${stage.reads.name}" and "${before.reads.name}"), so the one says nothing about the other's members`,
        );
      }
      if (before.per) {
        refuse(
          `has "${stage.name}" come after "${before.name}", which works on groups itself; ` +
            "a stage can come after stages that work on single documents",
        );
      }
    }
  }
  const circle = findCircle(stages);
  if (circle) refuse(`goes in a circle: ${circle.join(" → ")}; a document would be worked on for ever`);
}

function firstTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** A look-up counts: its change owes the stage again. */
const readsFrom = ({ reads, looks }: Stage, collection: AnyCollection): boolean =>
  reads === collection || looks.some((look) => look.of === collection);

/** A path of stages and collections that leads back to its start, or null. */
function findCircle(stages: readonly Stage[]): readonly string[] | null {
  const safe = new Set<AnyCollection>();
  const walk = (collection: AnyCollection, path: readonly AnyCollection[]): readonly string[] | null => {
    const seen = path.indexOf(collection);
    if (seen >= 0) return [...path.slice(seen), collection].map((each) => each.name);
    if (safe.has(collection)) return null;
    for (const stage of stages.filter((each) => readsFrom(each, collection))) {
      for (const next of stage.writes) {
        const circle = walk(next, [...path, collection]);
        if (circle) return circle;
      }
    }
    safe.add(collection);
    return null;
  };
  for (const collection of collectionsOf(stages)) {
    const circle = walk(collection, []);
    if (circle) return circle;
  }
  return null;
}
