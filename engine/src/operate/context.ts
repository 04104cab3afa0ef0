import { DefinitionError } from "../define/definition-error.ts";
import type { Fixes, Pipeline } from "../define/pipeline.ts";
import type { Stage } from "../define/stage.ts";
import type { Clock } from "../run/clock.ts";
import { insertAct } from "../store/audit.ts";
import type { Database, Queryable } from "../store/database.ts";
import { controlChannel, notify, workChannel } from "../store/news.ts";
import { readOwners } from "../store/owners.ts";
import { listCollections, listStages, type StageRow } from "../store/registry.ts";

/** Context of every operator act and query: needs no running engine, and pipeline code only if available. */
export interface Operating {
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  /** Name of the operator, for the audit. */
  readonly actor: string;
  /** Declarations with facts missing in the database: quiet times, needs, the policies of the code. */
  readonly pipelines: readonly Pipeline[];
  /** True: the pipelines equal those of a worker with the same settings, models included, so results can be compared. */
  readonly exact?: boolean;
  /** Environment variables that override the policies of the code. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True: this process has just opened an embedded database, so all earlier workers are dead. */
  readonly alone?: boolean;
}

/** Options of acts with a dry run. */
export interface DryRun {
  /** True: nothing is changed, the answer is the expected result. */
  readonly dryRun?: boolean;
}

export const pageSize = 500;
const retryable = new Set(["40001", "40P01", "55P03", "23505"]);
const triesMax = 10;

/** Runs one transaction of an act; a conflict with a concurrent transaction is retried. */
export async function perform<T>({ database }: Operating, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (!retryable.has(String((error as { code?: unknown }).code)) || tries >= triesMax) throw error;
    }
  }
}

export interface Recorded {
  readonly act: string;
  readonly target: string;
  readonly why?: string | undefined;
  readonly detail?: object;
}

/** Records an act, in its own transaction. */
export const record = (
  tx: Queryable,
  { actor, clock }: Pick<Operating, "actor" | "clock">,
  { act, target, why, detail }: Recorded,
) => insertAct(tx, { at: clock.now(), actor, act, target, why: why ?? null, detail: detail ?? {} });

/**
 * Notifies running engines about work. A lost notification costs at most a poll interval, so failures are ignored.
 */
export async function tellWork({ database }: Operating, stages: readonly number[]): Promise<void> {
  if (stages.length === 0) return;
  await notify(database, workChannel, [...new Set(stages)].join(",")).catch(() => undefined);
}

/** Notifies running engines about a pause, resume, setting or deletion. */
export async function tellControls({ database }: Operating): Promise<void> {
  await notify(database, controlChannel, "").catch(() => undefined);
}

/** Names in the database with their numbers. */
export interface Directory {
  readonly stages: readonly StageRow[];
  readonly collections: readonly { readonly id: number; readonly name: string }[];
  stage(name: string): StageRow;
  collection(name: string): { readonly id: number; readonly name: string };
  stageName(number: number): string;
  collectionName(number: number): string;
}

export async function readDirectory({ database }: { readonly database: Queryable }): Promise<Directory> {
  const [stages, collections] = [await listStages(database), await listCollections(database)];
  const named = <T extends { name: string }>(what: string, things: readonly T[], name: string): T => {
    const found = things.find((one) => one.name === name);
    if (found) return found;
    const names = things.map((one) => one.name).join(", ") || "none";
    throw new DefinitionError(`There is no ${what} "${name}" in this database; there are: ${names}.`);
  };
  const nameOf = (things: readonly { id: number; name: string }[], number: number) =>
    things.find((one) => one.id === number)?.name ?? String(number);
  return {
    stages,
    collections,
    stage: (name) => named("stage", stages, name),
    collection: (name) => named("collection", collections, name),
    stageName: (number) => nameOf(stages, number),
    collectionName: (number) => nameOf(collections, number),
  };
}

/** Advice by fault code as declared by the pipelines of this process. */
export const fixesOf = ({ pipelines }: Pick<Operating, "pipelines">): readonly Fixes[] =>
  pipelines.map(({ fixes }) => fixes);

/** The code of each stage in this process, unless the database knows the name from another pipeline only. */
export async function readCode({
  pipelines,
  database,
}: Pick<Operating, "pipelines"> & { readonly database: Queryable }): Promise<
  (stage: string) => Stage | undefined
> {
  const owners = (await readOwners(database)).filter((one) => one.kind === "stage");
  const isOwn = (pipeline: string, stage: string): boolean => {
    const known = owners.filter(({ name }) => name === stage);
    return known.length === 0 || known.some((owner) => owner.pipeline === pipeline);
  };
  return (name) =>
    pipelines
      .filter((pipeline) => isOwn(pipeline.name, name))
      .flatMap(({ stages }) => stages)
      .find((stage) => stage.name === name);
}
