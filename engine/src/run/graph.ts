import { canonicalJson, contentHash, makeMarker } from "../decide/hash.ts";
import type { CollectionMeaning, Owned, ProjectionMeaning, StageMeaning } from "../decide/own.ts";
import type { AnyCollection } from "../define/collection.ts";
import { DefinitionError } from "../define/definition-error.ts";
import type { DeclaredLook } from "../define/look-up.ts";
import { checkGraph, collectionsOf, type Pipeline } from "../define/pipeline.ts";
import type { Stage } from "../define/stage.ts";
import { indexName } from "../store/field-indexes.ts";
import type { Registered, StageRegistration } from "../store/registry.ts";
import type { Collector, Flow } from "../store/stage-graph.ts";

/** The pipelines of this process, joined, in the numbers of the database. */
export interface Graph {
  readonly stages: readonly PlannedStage[];
  readonly collections: readonly PlannedCollection[];
  readonly flow: Flow;
  stage(name: string): PlannedStage;
  collection(name: string): PlannedCollection;
}

export interface PlannedStage {
  readonly number: number;
  readonly variant: number;
  readonly stage: Stage;
  readonly after: readonly number[];
  /** For groups with a quiet time: all stages that lead to their members. */
  readonly upstream: readonly number[];
  /** No stage reads its outputs. */
  readonly isLast: boolean;
  readonly looks: readonly PlannedLook[];
  readonly marker: (inputHash: Buffer, looked?: Buffer | null) => Buffer;
}

/** A look-up, in the numbers of the database. */
export interface PlannedLook extends DeclaredLook {
  readonly collection: number;
}

export interface PlannedCollection {
  readonly number: number;
  readonly collection: AnyCollection;
  /** Fan-in stages that ask each of its documents for a group. */
  readonly collectors: readonly {
    readonly stage: number;
    readonly name: string;
    readonly per: (document: object) => string;
  }[];
}

/** Joins pipelines; two of them may share collections and stages, but not names for different things. */
export function joinPipelines(pipelines: readonly Pipeline[]): {
  stages: Stage[];
  collections: readonly AnyCollection[];
  owned: readonly Owned[];
} {
  if (pipelines.length === 0)
    throw new DefinitionError("There is no pipeline to run; give startEngine at least one.");
  const stages = [...new Set(pipelines.flatMap((pipeline) => pipeline.stages))] as Stage[];
  checkGraph(pipelines.map((pipeline) => pipeline.name).join(" + "), stages);
  return { stages, collections: collectionsOf(stages), owned: pipelines.flatMap(ownedBy) };
}

/** Names used by a pipeline, with their meaning. */
const ownedBy = ({ name: pipeline, stages, collections, projections }: Pipeline): Owned[] => [
  ...stages.map((stage) => ({
    pipeline,
    kind: "stage" as const,
    name: stage.name,
    meaning: {
      shape: stage.shape,
      reads: stage.reads.name,
      writes: stage.writes.map((one) => one.name).sort(),
    } satisfies StageMeaning,
  })),
  ...collections.map((one) => ({
    pipeline,
    kind: "collection" as const,
    name: one.name,
    meaning: fieldsOf(one),
  })),
  ...collections.flatMap(({ name, indexes }) =>
    Object.values(indexes).map((fields) => ({
      pipeline,
      kind: "index" as const,
      name: indexName(name, fields),
      meaning: null,
    })),
  ),
  ...projections.map(({ name, of, columns, indexes, extension }) => ({
    pipeline,
    kind: "projection" as const,
    name,
    meaning: {
      of: of.name,
      columns: columns.map(({ name: column, type, value }) => [column, type, value] as const),
      indexes: indexes.map(({ using, on }) => [using, ...on] as const),
      extension,
    } satisfies ProjectionMeaning,
  })),
];

/** The fields of a collection, from schemas that list them under `shape` (zod) or `entries` (valibot); null: not known. */
function fieldsOf({ schema }: AnyCollection): CollectionMeaning | null {
  const { shape, entries } = schema as { shape?: unknown; entries?: unknown };
  const fields = shape ?? entries;
  return typeof fields === "object" && fields !== null ? { fields: Object.keys(fields).sort() } : null;
}

export function describeStage(stage: Stage): StageRegistration {
  return {
    name: stage.name,
    shape: stage.shape,
    reads: stage.reads.name,
    after: stage.after.map((before) => before.name),
    concurrency: stage.concurrency,
    rate: stage.rate,
    madeOf: stage.madeOf,
    isolated: stage.isolate !== null,
    looks: stage.looks.length > 0,
    version: stage.version,
    configHash: contentHash(canonicalJson(stage.config)),
    config: stage.config,
    model: stage.model,
  };
}

export function makeGraph(
  { stages, collections }: { stages: readonly Stage[]; collections: readonly AnyCollection[] },
  registered: Registered,
): Graph {
  const stageNumber = (stage: Stage) => registered.stages.get(stage.name) as number;
  const planned = stages.map((stage): PlannedStage => {
    const number = stageNumber(stage);
    const { configHash } = describeStage(stage);
    return {
      number,
      variant: registered.variants.get(number) as number,
      stage,
      after: stage.after.map(stageNumber),
      isLast: !stages.some(({ reads }) => stage.writes.includes(reads)),
      looks: stage.looks.map((look) => ({
        ...look,
        collection: registered.collections.get(look.of.name) as number,
      })),
      upstream: stage.quietMs > 0 ? upstreamOf(stage, stages).map(stageNumber) : [],
      marker: makeMarker(stage.name, stage.version, configHash, stage.model),
    };
  });
  const plannedCollections = collections.map(
    (collection): PlannedCollection => ({
      number: registered.collections.get(collection.name) as number,
      collection,
      collectors: stages
        .filter((stage) => stage.reads === collection && stage.per)
        .map((stage) => ({
          stage: stageNumber(stage),
          name: stage.name,
          per: stage.per as (document: object) => string,
        })),
    }),
  );
  return {
    stages: planned,
    collections: plannedCollections,
    flow: makeFlow(planned, plannedCollections),
    stage: named("stage", planned, (one) => one.stage.name),
    collection: named("collection", plannedCollections, (one) => one.collection.name),
  };
}

/** All stages before a stage, the nearest first. */
function upstreamOf(stage: Stage, stages: readonly Stage[]): Stage[] {
  const found = new Set<Stage>();
  for (let next = [stage]; next.length > 0; ) {
    const read = new Set(next.map((one) => one.reads));
    next = stages.filter((one) => one !== stage && !found.has(one) && one.writes.some((to) => read.has(to)));
    for (const one of next) found.add(one);
  }
  return [...found];
}

function makeFlow(stages: readonly PlannedStage[], collections: readonly PlannedCollection[]): Flow {
  const collector = ({ number, stage }: PlannedStage): Collector => ({
    stage: number,
    quietMs: stage.quietMs,
  });
  const of = (collection: PlannedCollection) =>
    stages.filter(({ stage }) => stage.reads === collection.collection);
  const waiting = new Map<number, Collector[]>();
  for (const one of stages) {
    for (const before of one.after) waiting.set(before, [...(waiting.get(before) ?? []), collector(one)]);
  }
  return {
    readers: new Map(
      collections.map((one) => [
        one.number,
        of(one)
          .filter(({ stage }) => !stage.per)
          .map(({ number }) => number),
      ]),
    ),
    collectors: new Map(
      collections.map((one) => [
        one.number,
        of(one)
          .filter(({ stage }) => stage.per)
          .map(collector),
      ]),
    ),
    waiting,
    lookers: lookersOf(stages),
    looking: new Map(
      stages.filter((one) => one.looks.length > 0).map(({ number, stage }) => [number, stage.quietMs]),
    ),
  };
}

function lookersOf(stages: readonly PlannedStage[]): Map<number, number[]> {
  const lookers = new Map<number, number[]>();
  for (const { number, looks } of stages)
    for (const collection of new Set(looks.map((look) => look.collection)))
      lookers.set(collection, [...(lookers.get(collection) ?? []), number]);
  return lookers;
}

function named<T>(what: string, things: readonly T[], nameOf: (thing: T) => string): (name: string) => T {
  const byName = new Map(things.map((thing) => [nameOf(thing), thing]));
  return (name) => {
    const found = byName.get(name);
    if (!found)
      throw new DefinitionError(
        `There is no ${what} "${name}" here; there are: ${[...byName.keys()].join(", ")}.`,
      );
    return found;
  };
}
