import {
  nextRampStep,
  type RampItem,
  type RampMove,
  type RampState,
  rampSizes,
  rampStart,
} from "../decide/ramp.ts";
import { DefinitionError } from "../define/definition-error.ts";
import { holdSeries } from "../store/audit.ts";
import type { Queryable } from "../store/database.ts";
import {
  countDeadLetters,
  type DeadLetterFilter,
  listDeadLetters,
  type Requeued,
  requeueDeadLetters,
  resultsOf,
} from "../store/dead-letters.ts";
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
import { type DeadFilter, showFilter, toFilter } from "./dead-letters.ts";
import { findTarget, nameOf, type Target } from "./targets.ts";

/** What was, or in a dry run would be, sent back, by stage. */
export interface RequeuedCount {
  readonly requeued: number;
  readonly stages: Readonly<Record<string, number>>;
  /** Somebody else was faster, or the stage was owed already. */
  readonly skipped: number;
  readonly dryRun: boolean;
}

export interface RequeueOptions extends DryRun {
  readonly limit?: number;
  readonly why?: string;
}

/**
 * Sends dead letters back to their own stages, with a fresh start, page by page. What a crash leaves undone is still a dead
 * letter: doing it again moves the rest. Two people at once move each one once.
 */
export async function requeueDead(
  context: Operating,
  filter: DeadFilter,
  { dryRun = false, limit = Number.POSITIVE_INFINITY, why }: RequeueOptions = {},
): Promise<RequeuedCount> {
  const found = await toFilter(context, filter);
  if (dryRun) return await wouldRequeue(context, found, limit);
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

async function wouldRequeue(
  { database }: Operating,
  filter: DeadLetterFilter,
  limit: number,
): Promise<RequeuedCount> {
  const stages: Record<string, number> = {};
  let requeued = 0;
  if (limit === Number.POSITIVE_INFINITY) {
    for (const { stage, letters } of await countDeadLetters(database, filter)) stages[stage] = letters;
    requeued = Object.values(stages).reduce((sum, letters) => sum + letters, 0);
  }
  for (let after = 0; requeued < limit && limit !== Number.POSITIVE_INFINITY; ) {
    const page = await listDeadLetters(database, filter, {
      after,
      limit: Math.min(pageSize, limit - requeued),
    });
    for (const { stage } of page) stages[stage] = (stages[stage] ?? 0) + 1;
    requeued += page.length;
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
  }
  return { requeued, stages, skipped: 0, dryRun: true };
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
    const detail = { letters: owed.map((one) => one.id) };
    await record(tx, context, { act: "dead.requeue", target: showFilter(filter), why, detail });
    return owed;
  });
  await tellWork(
    context,
    moved.map((one) => one.stage),
  );
  return moved;
}

async function move(tx: Queryable, { clock }: Operating, ids: readonly number[]): Promise<Requeued[]> {
  const now = clock.now();
  const moved = await requeueDeadLetters(tx, { ids, readyAt: now, reason: null, now });
  return moved.filter((one) => one.owed);
}

/** Attempts 0 and pending again: dead letters that fit become tasks. The same as requeueing, under the seeds' name. */
export const resetDead = requeueDead;

/** Attempts 0, ready now: tasks of a stage, or of one document, that wait for another try. Those being worked on are left alone. */
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

/** One step of a ramp and what came of the one before. */
export interface RampStep {
  /** Goes on under this number, whoever asks, also after a crash. */
  readonly ramp: number;
  readonly step: number;
  readonly requeued: number;
  readonly move: RampMove | { readonly kind: "finished" };
}

const rampAct = "dead.ramp";

interface RampDetail extends RampState {
  readonly ramp: number | null;
  readonly filter: DeadFilter;
}

/** Sends back one dead letter. `continueRamp` sends 2, 5, 20 … more, as long as none of them dies of the same again. */
export async function startRamp(
  context: Operating,
  filter: DeadFilter,
  { why }: { why?: string } = {},
): Promise<RampStep> {
  const found = await toFilter(context, filter);
  return await finishStep(context, (tx) =>
    go(tx, context, { filter, found, why, ramp: null, state: rampStart, size: rampSizes[0] }),
  );
}

/** The next step of a ramp, if the last one ended well. `anyway` goes on although the same fault came back. */
export async function continueRamp(
  context: Operating,
  ramp: number,
  { anyway = false }: { anyway?: boolean } = {},
): Promise<RampStep> {
  return await finishStep(context, async (tx) => {
    const held = await holdSeries(tx, { first: ramp, act: rampAct });
    if (!held) throw new DefinitionError(`There is no ramp ${ramp}.`);
    const state = held.detail as RampDetail;
    const next = nextRampStep(state, await resultsOf(tx, state.batch));
    const { step, requeued, filter } = state;
    if (next.kind === "wait" || (next.kind === "stop" && !anyway))
      return { ramp, step, requeued, move: next, batch: [] };
    const size = next.kind === "go" ? next.size : state.batch.length || 1;
    const found = await toFilter({ clock: context.clock, database: tx }, reviveDates(filter));
    return await go(tx, context, { filter, found, why: held.why ?? undefined, ramp, state, size });
  });
}

async function finishStep(
  context: Operating,
  work: (tx: Queryable) => Promise<RampStep & { batch: readonly RampItem[] }>,
): Promise<RampStep> {
  const { batch, ...step } = await perform(context, work);
  await tellWork(
    context,
    batch.map((one) => one.stage),
  );
  return step;
}

interface Go {
  readonly filter: DeadFilter;
  readonly found: DeadLetterFilter;
  readonly why: string | undefined;
  readonly ramp: number | null;
  readonly state: RampState;
  readonly size: number;
}

/** Where the ramp stands is written down with the move itself, so nobody can lose it. */
async function go(tx: Queryable, context: Operating, { filter, found, why, ramp, state, size }: Go) {
  const page = await listDeadLetters(tx, found, { after: 0, limit: size });
  const moved = await move(
    tx,
    context,
    page.map((one) => one.id),
  );
  const batch = moved.map(({ subject, stage, fingerprint }): RampItem => ({ subject, stage, fingerprint }));
  const step = state.step + 1;
  const requeued = state.requeued + batch.length;
  const detail: RampDetail = { ramp, filter, step, requeued, batch };
  const id = await record(tx, context, { act: rampAct, target: showFilter(filter), why, detail });
  const made: RampStep["move"] = batch.length > 0 ? { kind: "go", size: batch.length } : { kind: "finished" };
  return { ramp: ramp ?? id, step, requeued, move: made, batch };
}

/** Moments come back from JSON as text. */
function reviveDates(filter: DeadFilter): DeadFilter {
  const revive = <T>(given: T): T | Date =>
    typeof given === "string" && /^\d{4}-/.test(given) ? new Date(given) : given;
  const { olderThan, newerThan } = filter;
  return {
    ...filter,
    ...(olderThan !== undefined && { olderThan: revive(olderThan) }),
    ...(newerThan !== undefined && { newerThan: revive(newerThan) }),
  };
}
