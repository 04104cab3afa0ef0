import { DefinitionError } from "../define/definition-error.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { Stage } from "../define/stage.ts";
import type { Clock } from "../run/clock.ts";
import { insertAct } from "../store/audit.ts";
import type { Database, Queryable } from "../store/database.ts";
import { controlChannel, notify, workChannel } from "../store/news.ts";
import { listCollections, listStages, type StageRow } from "../store/registry.ts";

/** What every act and every question of an operator needs: no running engine, and the code of pipelines only if it is there. */
export interface Operating {
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  /** Who acts; stands in the audit. */
  readonly actor: string;
  /** Their declarations say what the database does not know: quiet times, needs, the policies of the code. */
  readonly pipelines: readonly Pipeline[];
  /** The variables that change the policies of the code. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True: we have just opened an embedded database for ourselves, so whoever was working in it is dead. */
  readonly alone?: boolean;
}

/** Something to be done, or only to be counted. */
export interface DryRun {
  /** True: nothing is changed, the answer says what would be. */
  readonly dryRun?: boolean;
}

export const pageSize = 500;
const retryable = new Set(["40001", "40P01", "55P03", "23505"]);
const triesMax = 10;

/** Runs one transaction of an act. Whoever crossed our way is through at the next try. */
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

/** Writes an act down, in its own transaction. */
export const record = (tx: Queryable, { actor, clock }: Operating, { act, target, why, detail }: Recorded) =>
  insertAct(tx, { at: clock.now(), actor, act, target, why: why ?? null, detail: detail ?? {} });

/** Tells running engines that there is work. Lost news costs a poll interval at most, so a failure here is nobody's problem. */
export async function tellWork({ database }: Operating, stages: readonly number[]): Promise<void> {
  if (stages.length === 0) return;
  await notify(database, workChannel, [...new Set(stages)].join(",")).catch(() => undefined);
}

/** Tells running engines that a person has paused, resumed, set or deleted something. */
export async function tellControls({ database }: Operating): Promise<void> {
  await notify(database, controlChannel, "").catch(() => undefined);
}

/** The names in the database and the numbers that stand for them. */
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

/** The code of a stage, if this process has it. */
export const codeOf = ({ pipelines }: Operating, name: string): Stage | undefined =>
  pipelines.flatMap((one) => one.stages).find((stage) => stage.name === name);
