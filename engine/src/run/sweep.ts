import { classify } from "../decide/classify.ts";
import { attemptsAllowed } from "../decide/settle.ts";
import type { Emit, SweptCollection } from "../decide/signal.ts";
import { entriesOfFailure, entriesOfSweep } from "../decide/tally.ts";
import { retryKinds } from "../define/retry.ts";
import { forgetAlerts } from "../store/alert-queue.ts";
import { countBacklog } from "../store/backlog.ts";
import type { Database } from "../store/database.ts";
import { findIdleGroups } from "../store/groups.ts";
import { findStaleLooks } from "../store/looks.ts";
import type { Numbers } from "../store/numbers.ts";
import { forgetEvents } from "../store/outbox.ts";
import { countGone } from "../store/reaper.ts";
import type { Store } from "../store/store.ts";
import { addToTally } from "../store/tally.ts";
import { oweNew, pullIn, pullPastLimit } from "../store/tasks.ts";
import { forgetWorkers } from "../store/workers.ts";
import { addMs, type Clock } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { Graph, PlannedStage } from "./graph.ts";
import { type OwedPage, owePage } from "./owe.ts";

export interface SweepParts {
  readonly db: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly graph: Graph;
  readonly numbers: Numbers;
  readonly controls: Controls;
  readonly emit: Emit;
  readonly evictDead: () => Promise<number>;
  readonly heldByDead: () => Promise<readonly { readonly stage: number; readonly tasks: number }[]>;
  readonly wake: (stages: readonly number[]) => void;
  readonly keepMs: number;
  readonly stuckMs: number;
}

/** Findings of a sweep, repaired unless in a dry run. */
export interface Swept {
  /** Documents without a record of a stage owed. */
  readonly owed: number;
  /** Tasks freed from dead workers. */
  readonly freed: number;
  /** Tasks past their limit. */
  readonly died: number;
  /** Tasks scheduled far away by a jumping clock. */
  readonly pulledIn: number;
  /** Documents waiting for removal. */
  readonly removed: number;
  readonly collections: readonly SweptCollection[];
}

const reapSize = 500;
const alertsKeptMs = 30 * 24 * 3_600_000;
const furthestMs = 31 * 24 * 3_600_000;

/** Looks for forgotten work. Runs in pages, is idempotent, and finds nothing in a healthy system. */
export async function sweep(parts: SweepParts, { dryRun = false } = {}): Promise<Swept> {
  const { clock, emit } = parts;
  const startedAt = clock.now();
  const durationMs = () => clock.now().getTime() - startedAt.getTime();
  try {
    const { removed, ...found } = await lookThrough(parts, dryRun);
    if (!dryRun) {
      const ended = { ...found, durationMs: durationMs() };
      await addToTally(parts.db, entriesOfSweep({ ...ended, at: clock.now() }));
      emit({ kind: "sweep.finished", ...ended });
    }
    return { ...found, removed };
  } catch (error) {
    if (!dryRun) {
      const failed = { fault: classify(error), durationMs: durationMs() };
      // The sweep's own error is the news; a database without room for the count would hide it.
      await addToTally(parts.db, entriesOfFailure({ ...failed, at: clock.now() })).catch(() => undefined);
      emit({ kind: "sweep.failed", ...failed });
    }
    throw error;
  }
}

async function lookThrough(parts: SweepParts, dryRun: boolean): Promise<Swept> {
  const { clock, db, graph, controls } = parts;
  await controls.refresh();
  const requeued = makeTally();
  const died = makeTally();
  const freed = await freeHeld(parts, requeued, dryRun);
  let owed = 0;
  for (const plan of graph.stages) {
    const found = await oweForgotten(plan, parts, dryRun);
    requeued.add(plan.number, found);
    owed += found;
  }
  const now = clock.now();
  const pulledIn = await pullIn(db, { latest: addMs(now, furthestMs), now, dryRun });
  for (const stage of pulledIn) requeued.add(stage, 1);
  for (const plan of graph.stages) {
    for (const kind of retryKinds.filter((one) => one === "transient" || one === "unknown")) {
      const attemptsMax = attemptsAllowed(controls.policies(plan), kind);
      const past = { stage: plan.number, kind, attemptsMax, now, dryRun };
      died.add(plan.number, await pullPastLimit(db, past));
    }
  }
  const removed = dryRun ? await countGone(db) : await reapAll(parts);
  if (!dryRun) {
    await forgetEvents(db, addMs(now, -parts.keepMs));
    await forgetWorkers(db, addMs(now, -parts.keepMs));
    await forgetAlerts(db, addMs(now, -Math.max(parts.keepMs, alertsKeptMs)));
    parts.wake(graph.stages.map((plan) => plan.number));
  }
  const backlog = await countBacklog(db, { now: clock.now(), stuckBefore: addMs(now, -parts.stuckMs) });
  const collections = backlog.map(({ stages, ...counts }) => {
    return { ...counts, requeued: requeued.of(stages), died: died.of(stages) };
  });
  return { owed, freed, died: died.all(), pulledIn: pulledIn.length, removed, collections };
}

/** Frees the claims of dead workers; a worker silent only for a moment is left to the next look. */
async function freeHeld(
  { heldByDead, evictDead }: SweepParts,
  requeued: Tally,
  dryRun: boolean,
): Promise<number> {
  const held = await heldByDead();
  const freed = dryRun ? held.reduce((sum, { tasks }) => sum + tasks, 0) : await evictDead();
  for (const { stage, tasks } of held) requeued.add(stage, tasks);
  // Dead workers change nothing any more: claims left now were not freed.
  if (!dryRun) for (const { stage, tasks } of await heldByDead()) requeued.add(stage, -tasks);
  return freed;
}

type Tally = ReturnType<typeof makeTally>;

/** Counts by stage. */
function makeTally() {
  const counts = new Map<number, number>();
  const of = (stages: readonly number[]) =>
    Math.max(
      0,
      stages.reduce((sum, stage) => sum + (counts.get(stage) ?? 0), 0),
    );
  return {
    add: (stage: number, by: number) => void counts.set(stage, (counts.get(stage) ?? 0) + by),
    of,
    all: () => of([...counts.keys()]),
  };
}

/** Owes a stage to documents without a record of the stage, lost by accident. */
async function oweForgotten(plan: PlannedStage, parts: SweepParts, dryRun: boolean): Promise<number> {
  let found = 0;
  let problem: unknown = null;
  for (let after: number | null = 0; after !== null; ) {
    const page: OwedPage = await owePage(plan, after, parts, { dryRun });
    found += page.found;
    problem ??= page.problem;
    after = page.last;
  }
  if (problem) throw problem;
  if (plan.stage.per)
    found += await oweSubjects(plan, await findIdleGroups(parts.db, plan.number), parts, dryRun);
  if (plan.looks.length > 0)
    found += await oweSubjects(plan, await findStaleLooks(parts.db, plan.number), parts, dryRun);
  return found;
}

async function oweSubjects(
  plan: PlannedStage,
  subjects: readonly number[],
  { db, clock }: SweepParts,
  dryRun: boolean,
): Promise<number> {
  const owed = subjects.map((subject) => ({ subject, stage: plan.number, rank: 0 }));
  if (owed.length > 0 && !dryRun) await oweNew(db, owed, clock.now());
  return owed.length;
}

/** Removes everything gone, page by page, down to the last descendant. */
export async function reapAll({ db, store, clock, graph, emit, wake }: SweepParts): Promise<number> {
  let removed = 0;
  for (;;) {
    const page = await store.reapPage(db, { flow: graph.flow, now: clock.now(), limit: reapSize });
    removed += page;
    if (page === 0) break;
  }
  if (removed > 0) {
    emit({ kind: "documents.removed", documents: removed });
    wake([...graph.flow.collectors.values()].flat().map((one) => one.stage));
  }
  return removed;
}
