import { classify } from "../decide/classify.ts";
import { permanent } from "../decide/fault.ts";
import { DefinitionError } from "../define/definition-error.ts";
import { listDeadLetters, requeueDeadLetters } from "../store/dead-letters.ts";
import {
  countDerived,
  countOfSource,
  deleteDocument as deleteOne,
  findSource,
  forgetConflictsOf,
  leaveShared,
  leaveSource,
} from "../store/deletions.ts";
import {
  cancelTasks,
  claimedTasks,
  lockStages,
  scheduleTasks,
  setRank,
  tasksOf,
} from "../store/interventions.ts";
import { countGone, reapPage } from "../store/reaper.ts";
import type { Collector, Flow } from "../store/stage-graph.ts";
import {
  type DryRun,
  type Operating,
  pageSize,
  perform,
  readCode,
  readDirectory,
  record,
  tellControls,
  tellWork,
} from "./context.ts";
import { type Found, findTarget, nameOf, type Target } from "./targets.ts";

export interface StageChoice {
  /** Only at this stage; all owed stages by default. */
  readonly stage?: string;
  readonly why?: string;
}

/**
 * Retries a document now, or at a later time. Waiting tasks are rescheduled, dead letters are requeued; claimed tasks
 * are left alone and counted as busy. Done tasks need `reprocess`.
 */
export async function retryNow(
  context: Operating,
  target: Target,
  { stage, at, priority, why, dryRun = false }: StageChoice & DryRun & { at?: Date; priority?: number } = {},
): Promise<{ stages: string[]; busy: string[] }> {
  const { clock } = context;
  const found = await findTarget(context, target);
  const { directory, row } = found;
  const only = stage === undefined ? null : directory.stage(stage).id;
  const now = clock.now();
  const later = at !== undefined && at > now;
  const when = { readyAt: later ? at : now, reason: later ? "scheduled" : null };
  if (dryRun) return await wouldRetry(context, found, only);
  const result = await perform(context, async (tx) => {
    await lockStages(
      tx,
      directory.stages.map((one) => one.id),
    );
    const claimed = await claimedTasks(tx, row.subject);
    const timed = { subject: row.subject, stage: only, at: when.readyAt, reason: when.reason };
    const moved = await scheduleTasks(tx, timed);
    const filter = { documents: [row.id], state: "all", ...(only !== null && { stage: only }) } as const;
    const dead = await listDeadLetters(tx, filter, { after: 0, limit: pageSize });
    const ids = dead.filter((one) => one.subject === row.subject).map((one) => one.id);
    const revived = await requeueDeadLetters(tx, { ids, ...when, now });
    if (priority !== undefined) await setRank(tx, { subject: row.subject, stage: only, rank: 0 - priority });
    const stages = [...moved, ...revived].map((one) => one.stage);
    const ranked = priority === undefined ? {} : { priority };
    const detail = { at: when.readyAt, ...ranked, stages: stages.map(directory.stageName) };
    if (stages.length > 0)
      await record(tx, context, { act: "task.retry", target: nameOf(found), why, detail });
    const busy = claimed.map((one) => one.stage).filter((one) => only === null || one === only);
    return { stages, busy };
  });
  await tellWork(context, result.stages);
  return {
    stages: result.stages.map(directory.stageName),
    busy: result.busy.map(directory.stageName),
  };
}

async function wouldRetry(
  { database }: Operating,
  { row, directory }: Found,
  only: number | null,
): Promise<{ stages: string[]; busy: string[] }> {
  const owed = (await tasksOf(database, row.subject)).filter((one) => only === null || one.stage === only);
  const filter = { documents: [row.id], state: "all", ...(only !== null && { stage: only }) } as const;
  const dead = await listDeadLetters(database, filter, { after: 0, limit: pageSize });
  const free = owed.filter((one) => !one.claimed).map((one) => one.stage);
  const revived = dead.filter((one) => one.subject === row.subject).map((one) => one.stage_number);
  const names = (numbers: readonly number[]) => numbers.map(directory.stageName);
  const busy = owed.filter((one) => one.claimed).map((one) => one.stage);
  return { stages: names([...free, ...revived]), busy: names(busy) };
}

/** Cancels all open tasks of a document: they become dead letters, and results of running attempts are refused. */
export async function cancel(
  context: Operating,
  target: Target,
  { stage, why, dryRun = false }: StageChoice & DryRun = {},
): Promise<{ stages: string[] }> {
  const { actor, clock } = context;
  const found = await findTarget(context, target);
  const { directory, row } = found;
  const only = stage === undefined ? null : directory.stage(stage).id;
  if (dryRun) {
    const owed = (await tasksOf(context.database, row.subject)).filter(
      (one) => only === null || one.stage === only,
    );
    return { stages: owed.map((one) => directory.stageName(one.stage)) };
  }
  const words = `Cancelled by ${actor}${why ? `: ${why}` : ""}.`;
  const fault = classify(permanent("task.cancelled", words));
  const { stack: _, ...plain } = fault;
  const rows = await perform(context, async (tx) => {
    const ended = await cancelTasks(tx, {
      subject: row.subject,
      stage: only,
      fault: plain,
      now: clock.now(),
    });
    const detail = { stages: ended.map((one) => directory.stageName(one.stage)) };
    if (ended.length > 0)
      await record(tx, context, { act: "task.cancel", target: nameOf(found), why, detail });
    return ended;
  });
  return { stages: rows.map((one) => directory.stageName(one.stage)) };
}

/** Outcome of deleting a document. */
export interface DeletedDocument {
  readonly deleted: boolean;
  /** Derived documents, without results of its groups; removed unless another producer yields them too. */
  readonly derived: number;
  /** Stages that yielded the document: the document comes back with their next run on its origin. */
  readonly yieldedBy: readonly string[];
  readonly dryRun: boolean;
}

/** Deletes a document and everything derived from it: invisible with the transaction, erased by the reaper later. */
export async function deleteDocument(
  context: Operating,
  target: { readonly collection: string; readonly id: string },
  { dryRun = false, why }: DryRun & { why?: string } = {},
): Promise<DeletedDocument> {
  const found = await findTarget(context, target);
  const { row } = found;
  const derived = await countDerived(context.database, row.subject);
  if (dryRun) return { deleted: row.gone_at === null, derived, yieldedBy: [], dryRun };
  const quietMsOf = await quietTimes(context);
  const result = await perform(context, async (tx) => {
    const gone = await deleteOne(tx, row.subject, { now: context.clock.now(), quietMsOf });
    if (gone) await record(tx, context, { act: "document.delete", target: nameOf(found), why });
    return gone;
  });
  await tellControls(context);
  const yieldedBy = [...new Set(result?.producers.map((one) => one.stage))];
  return { deleted: result !== null, derived, yieldedBy, dryRun };
}

/** Documents of a source deleted in one transaction; derived documents come on top. */
const deleteSize = 50_000;

/** Outcome of deleting a source. */
export interface DeletedSource {
  /** Documents from this source alone: gone, with everything derived. */
  readonly deleted: number;
  /** Documents shared with other sources: kept. */
  readonly kept: number;
  readonly dryRun: boolean;
}

/**
 * Deletes the documents of a source, with everything derived, in one transaction; more than 50,000 documents page by
 * page. After an interruption between pages, call again to continue.
 */
export async function deleteSource(
  context: Operating,
  name: string,
  options: DryRun & { why?: string; onProgress?: (sofar: { deleted: number; kept: number }) => void } = {},
): Promise<DeletedSource> {
  const { database, clock } = context;
  const { dryRun = false, why, onProgress } = options;
  const source = await findSource(database, name);
  if (source === null) throw new DefinitionError(`There is no source "${name}".`);
  if (dryRun) {
    const { alone, shared } = await countOfSource(database, source);
    return { deleted: alone, kept: shared, dryRun };
  }
  const total = { deleted: 0, kept: 0 };
  const quietMsOf = await quietTimes(context);
  for (;;) {
    const page = await perform(context, async (tx) => {
      const own = await leaveSource(tx, { source, now: clock.now(), quietMsOf, limit: deleteSize });
      const shared = await leaveShared(tx, source, deleteSize);
      const count = { deleted: own.gone, kept: own.passedOn + shared };
      const some = count.deleted + count.kept > 0;
      if (some) await record(tx, context, { act: "source.delete", target: name, why, detail: count });
      else await forgetConflictsOf(tx, source);
      return some ? count : null;
    });
    await tellControls(context);
    if (!page) return { ...total, dryRun };
    total.deleted += page.deleted;
    total.kept += page.kept;
    onProgress?.({ ...total });
  }
}

/** Removes deleted documents, if no running engine does so. Resumable; reports progress. */
export async function reapNow(
  context: Operating,
  { onProgress }: { onProgress?: (sofar: { removed: number; left: number }) => void } = {},
): Promise<{ removed: number }> {
  const { database, clock } = context;
  const flow = await minimalFlow(context);
  let removed = 0;
  for (;;) {
    const page = await reapPage(database, { flow, now: clock.now(), limit: pageSize });
    if (page === 0) return { removed };
    removed += page;
    onProgress?.({ removed, left: await countGone(database) });
  }
}

/** Number of deleted documents not removed yet. */
export const leftToReap = ({ database }: Operating): Promise<number> => countGone(database);

/** The part of the flow needed for removal. */
async function minimalFlow(context: Operating): Promise<Flow> {
  const { stages } = await readDirectory(context);
  const quietMsOf = await quietTimes(context);
  const collectors = new Map<number, Collector[]>();
  for (const { id, reads } of stages.filter((one) => one.shape === "fan-in"))
    collectors.set(reads, [...(collectors.get(reads) ?? []), { stage: id, quietMs: quietMsOf(id) }]);
  return { readers: new Map(), collectors, waiting: new Map(), lookers: new Map(), looking: new Map() };
}

/** Without the code of a stage the quiet time is unknown: groups are due at once. */
async function quietTimes(context: Operating): Promise<(stage: number) => number> {
  const { stageName } = await readDirectory(context);
  const codeOf = await readCode(context);
  return (stage) => codeOf(stageName(stage))?.quietMs ?? 0;
}
