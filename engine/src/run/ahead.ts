import { freshTask } from "../store/claims.ts";
import type { AheadFinished } from "../store/commit.ts";
import type { Prepared } from "../store/stage-graph.ts";
import { type AttemptParts, attempt } from "./attempt.ts";
import type { CommitParts } from "./committer.ts";
import type { PlannedStage } from "./graph.ts";
import { itemOf } from "./item.ts";
import { type FinishedResult, type RanAhead, toFinished, type UnfinishedResult } from "./result-rows.ts";
import { failedOnce, finishedResult, type UnitParts } from "./unit.ts";

export interface AheadParts extends CommitParts, Pick<UnitParts, "controls" | "services" | "isolates"> {
  /** The stage, if its documents may run now without asking the database. */
  readonly quickStage: (stage: number) => PlannedStage | null;
}

/** Time budget: a looping or slow stage must not delay the commit. */
const budgetMs = 50;

interface Step {
  readonly plan: PlannedStage;
  readonly output: Prepared;
  readonly by: FinishedResult;
}

/**
 * Run-ahead: outputs pass through the next cheap stages before the commit, and everything is committed together. Half
 * of the writes, and a claim for each stage, are saved. A crash before the commit repeats everything. A failure
 * counts as usual, and is recorded under a claim that comes with the commit.
 * Null: nothing to run ahead.
 */
export async function runAhead(
  results: readonly FinishedResult[],
  parts: AheadParts,
): Promise<RanAhead | null> {
  let steps = stepsAfter(results, parts);
  if (steps.length === 0) return null;
  const numbered = new Map<Prepared, number>();
  const ran: { plan: PlannedStage; result: FinishedResult }[] = [];
  const failures: { plan: PlannedStage; result: UnfinishedResult }[] = [];
  const attemptParts: AttemptParts = {
    ...parts,
    running: new Set(),
    streamDocuments: documentsMax,
    streamBytes: bytesMax,
    commitPart: async () => false,
  };
  while (steps.length > 0) {
    const nextNumber = await parts.numbers.take(parts.db, steps.length);
    const until = parts.clock.now().getTime() + budgetMs;
    const behind: FinishedResult[] = [];
    for (const step of steps) {
      if (parts.clock.now().getTime() > until) break;
      const number = nextNumber();
      const result = pass(step, number, parts, attemptParts);
      if (!result) continue;
      numbered.set(step.output, number);
      if (result.kind === "unfinished") failures.push({ plan: step.plan, result });
      else {
        ran.push({ plan: step.plan, result });
        behind.push(result);
      }
    }
    steps = stepsAfter(behind, parts);
  }
  return {
    numbered,
    results: ran,
    failures,
    finished: ran.map(
      ({ plan, result }): AheadFinished =>
        Object.assign(toFinished(plan, result), { stage: plan.number, variant: plan.variant }),
    ),
    held: failures.map(({ plan, result }) => ({ stage: plan.number, subject: result.item.task.subject })),
  };
}

/** Tasks that survived a worker crash skip run-ahead, so the next crash is charged to the right stage. */
function stepsAfter(results: readonly FinishedResult[], { graph, quickStage }: AheadParts): Step[] {
  const steps: Step[] = [];
  for (const by of results) {
    if (by.item.task.crashes > 0 || by.streamed) continue;
    for (const output of by.outputs) {
      const readers = graph.flow.readers.get(output.collection);
      if (readers?.length !== 1 || output.groups.length > 0) continue;
      const plan = quickStage(readers[0] as number);
      if (plan) steps.push({ plan, output, by });
    }
  }
  return steps;
}

/** Null: the stage did not end at once, so the task takes the normal way. */
function pass(
  { plan, output, by }: Step,
  subject: number,
  parts: AheadParts,
  attemptParts: AttemptParts,
): FinishedResult | UnfinishedResult | null {
  const { id, hash, json } = output;
  const { rank, request } = by.item.task;
  const now = parts.clock.now();
  const task = freshTask({ subject, rank, request, id, hash, json, now });
  const item = itemOf(plan, task, null);
  const tried = attempt(plan, [item], attemptParts);
  if (tried instanceof Promise) {
    tried.catch(() => undefined);
    return null;
  }
  if (tried.kind === "failed") return failedOnce(plan, item, tried.thrown, parts);
  if (tried.kind !== "succeeded") return null;
  const outputs = tried.outputs.get(subject) ?? [];
  if (outputs.some((one) => one.groups.length > 0)) return null;
  const finding = tried.findings?.get(subject) ?? null;
  const durationMs = parts.clock.now().getTime() - now.getTime();
  return finishedResult(
    item,
    outputs,
    false,
    [],
    durationMs,
    finding === null ? null : { calls: null, batch: 1, finding },
  );
}

/** A stage that yields more than this is a stream, and streams are committed in parts. */
const documentsMax = 100;
const bytesMax = 1_000_000;
