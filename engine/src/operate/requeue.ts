import type { Queryable } from "../store/database.ts";
import { listDeadLetters, type Requeued, requeueDeadLetters } from "../store/dead-letters.ts";
import { findTried, lockStages, resetTried } from "../store/interventions.ts";
import {
  type DryRun,
  type Operating,
  pageSize,
  perform,
  readDirectory,
  record,
  tellWork,
} from "./context.ts";
import { countDead, type DeadFilter, showFilter, toFilter } from "./dead-letters.ts";
import { findTarget, nameOf, type Target } from "./targets.ts";

/** Requeued tasks by stage; in a dry run, expected. */
export interface RequeuedCount {
  readonly requeued: number;
  readonly stages: Readonly<Record<string, number>>;
  /** Requeued concurrently, or the stage was owed already. */
  readonly skipped: number;
  readonly dryRun: boolean;
}

export interface RequeueOptions extends DryRun {
  readonly limit?: number;
  readonly why?: string;
}

/**
 * Requeues dead letters for their own stages, with a fresh start, page by page. After a crash the rest are still dead
 * letters: repeating continues. Two concurrent calls requeue each letter once.
 */
export async function requeueDead(
  context: Operating,
  filter: DeadFilter,
  { dryRun = false, limit = Number.POSITIVE_INFINITY, why }: RequeueOptions = {},
): Promise<RequeuedCount> {
  const found = await toFilter(context, filter);
  if (dryRun) {
    const { letters, stages } = await countDead(context, found, limit);
    return { requeued: letters, stages, skipped: 0, dryRun };
  }
  const { stageName } = await readDirectory(context);
  const stages: Record<string, number> = {};
  let [requeued, skipped] = [0, 0];
  for (let after = 0; requeued < limit; ) {
    const page = await listDeadLetters(context.database, found, {
      after,
      limit: Math.min(pageSize, limit - requeued),
    });
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
    const moved = await movePage(
      context,
      page.map((one) => one.id),
      filter,
      why,
    );
    for (const one of moved) stages[stageName(one.stage)] = (stages[stageName(one.stage)] ?? 0) + 1;
    requeued += moved.length;
    skipped += page.length - moved.length;
  }
  return { requeued, stages, skipped, dryRun };
}

async function movePage(
  context: Operating,
  ids: readonly number[],
  filter: DeadFilter,
  why: string | undefined,
): Promise<Requeued[]> {
  const moved = await perform(context, async (tx) => {
    const owed = await move(tx, context, ids);
    if (owed.length === 0) return [];
    const items = owed.map(({ subject, stage }) => ({ subject, stage }));
    const detail = { letters: owed.map((one) => one.id), items };
    await record(tx, context, { act: "dead.requeue", target: showFilter(filter), why, detail });
    return owed;
  });
  await tellWork(
    context,
    moved.map((one) => one.stage),
  );
  return moved;
}

export async function move(tx: Queryable, { clock }: Operating, ids: readonly number[]): Promise<Requeued[]> {
  const now = clock.now();
  const moved = await requeueDeadLetters(tx, { ids, readyAt: now, reason: null, now });
  return moved.filter((one) => one.owed);
}

/** Dead letters become tasks with 0 attempts. The same as requeueing, under the seeds' name. */
export const resetDead = requeueDead;

/** Resets attempts to 0, ready now: waiting tasks of a stage, or of one document. Claimed tasks are left alone. */
export async function resetTasks(
  context: Operating,
  which: { readonly stage: string; readonly target?: Target },
  { dryRun = false, why }: DryRun & { why?: string } = {},
): Promise<{ reset: number; busy: number; dryRun: boolean }> {
  const { id: stage } = (await readDirectory(context)).stage(which.stage);
  const target = which.target && (await findTarget(context, which.target));
  const subjects = target ? [target.row.subject] : null;
  let [reset, busy] = [0, 0];
  for (let after = 0; ; ) {
    const page = await findTried(context.database, { stage, subjects, after, limit: pageSize });
    const last = page.at(-1);
    if (!last) break;
    after = last.subject;
    const done = dryRun ? page.length : await resetPage(page.map((one) => one.subject));
    reset += done;
    busy += page.length - done;
  }
  if (!dryRun) await tellWork(context, [stage]);
  return { reset, busy, dryRun };

  function resetPage(some: readonly number[]): Promise<number> {
    return perform(context, async (tx) => {
      await lockStages(tx, [stage]);
      const rows = await resetTried(tx, { stage, subjects: some, now: context.clock.now() });
      const name = target ? `${nameOf(target)} at ${which.stage}` : which.stage;
      const detail = { tasks: rows.length };
      if (rows.length > 0) await record(tx, context, { act: "task.reset", target: name, why, detail });
      return rows.length;
    });
  }
}
