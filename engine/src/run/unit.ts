import { classify } from "../decide/classify.ts";
import { type Fault, permanent } from "../decide/fault.ts";
import { isOfNetwork } from "../decide/outage.ts";
import { type ResultFacts, resultFacts } from "../decide/result-facts.ts";
import { type Tried as Counts, type Outcome, settle, type Unfinished } from "../decide/settle.ts";
import { type FailedUnit, isOwnFailure, leaveClaim, type Retry, settleUnit } from "../decide/settle-unit.ts";
import { correlationId } from "../decide/signal.ts";
import { isOwnDatabaseAway } from "../store/borrowed-database.ts";
import type { FaultRecord } from "../store/faults.ts";
import { type AttemptParts, attempt } from "./attempt.ts";
import { type Breakers, unsureMs } from "./breaker.ts";
import { sleep } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { PlannedStage } from "./graph.ts";
import type { Item, Tried } from "./item.ts";
import type { PreparedDocument } from "./prepare.ts";
import { serviceOf } from "./service-calls.ts";

/** The result of one task, ready to be committed. */
export type Result =
  | {
      readonly kind: "finished";
      readonly item: Item;
      readonly outputs: readonly PreparedDocument[];
      readonly streamed: boolean;
      readonly unchanged: boolean;
      readonly faults: readonly FaultRecord[];
      readonly durationMs: number;
      readonly facts?: ResultFacts | null;
    }
  | {
      readonly kind: "unfinished";
      readonly item: Item;
      readonly verdict: Unfinished;
      readonly faults: readonly FaultRecord[];
      /** Duration of the last attempt, if there was one. */
      readonly durationMs?: number;
      /** Start of the first failure under this claim, if there was one. */
      readonly failingSince?: Date;
    };

export interface UnitParts extends AttemptParts {
  readonly controls: Controls;
  readonly breakers: Breakers;
  /** Whether the first retry may wait under the claim. */
  readonly inPlace: boolean;
  /** Parts were committed under this claim: a further attempt needs another claim, to tell its outputs apart. */
  readonly hasParts: (item: Item) => boolean;
  readonly stopping: AbortSignal;
  /** When the first look at a last try failed, if this is the second: see `lookAgain`. */
  readonly again?: Date;
  /** Called while a retry in place waits, to free its slot. */
  readonly resting: (tasks: number) => void;
}

/** Runs a unit until each of its tasks has a verdict: attempts, retries in place, halves a failing batch. */
export async function work(
  plan: PlannedStage,
  items: readonly Item[],
  parts: UnitParts,
  faults: readonly FaultRecord[] = [],
): Promise<Result[]> {
  const startedAt = parts.clock.now();
  const trying = attempt(plan, items, parts);
  const tried = trying instanceof Promise ? await trying : trying;
  const durationMs = parts.clock.now().getTime() - startedAt.getTime();
  switch (tried.kind) {
    case "succeeded":
      if (plan.stage.needs.length > 0) await parts.breakers.succeeded(plan);
      return items.map((item) =>
        finished(plan, { item, batch: items.length }, tried, faults, durationMs, parts),
      );
    case "stopped":
    // The claim may still be ours, if only the task is gone: then it has to be ended like any other.
    case "refused":
      return items.map((item) => ({ ...stopped(plan, item, parts), faults }));
    case "failed":
      return await failed(plan, items, { thrown: tried.thrown, startedAt }, parts, faults);
  }
}

function finished(
  plan: PlannedStage,
  { item, batch }: { readonly item: Item; readonly batch: number },
  tried: Extract<Tried, { kind: "succeeded" }>,
  faults: readonly FaultRecord[],
  durationMs: number,
  parts: UnitParts,
): Result {
  const outputs = tried.outputs.get(item.task.subject);
  if (outputs) {
    const finding = tried.findings?.get(item.task.subject) ?? null;
    const facts = resultFacts({ calls: tried.calls, batch, finding });
    return finishedResult(item, outputs, tried.streamed, faults, durationMs, facts);
  }
  const forgotten = permanent(
    "batch.forgotten",
    `Stage "${plan.stage.name}" yielded nothing for "${item.task.id}"; yield [input] for an input without outputs.`,
  );
  const fault = classify(forgotten, { stage: plan.stage.name });
  return {
    ...judge(plan, item, fault, false, parts),
    faults: [...faults, recordOf(plan, item, fault, parts)],
    durationMs,
  };
}

type FinishedResult = Extract<Result, { kind: "finished" }>;

/** Fields by name: object spread costs more than everything else done to a cheap document. */
export const finishedResult = (
  item: Item,
  outputs: readonly PreparedDocument[],
  streamed = false,
  faults: readonly FaultRecord[] = [],
  durationMs = 0,
  facts: ResultFacts | null = null,
): FinishedResult => ({
  kind: "finished",
  item,
  outputs,
  streamed,
  unchanged: false,
  faults,
  durationMs,
  facts,
});

/** A failure of a document without dependencies: only the document can be to blame. */
export function failedOnce(
  plan: PlannedStage,
  item: Item,
  thrown: unknown,
  parts: Pick<UnitParts, "controls" | "clock">,
): Extract<Result, { kind: "unfinished" }> {
  const fault = faultOf(plan, thrown, parts.clock.now());
  return { ...judge(plan, item, fault, false, parts), faults: [recordOf(plan, item, fault, parts)] };
}

async function failed(
  plan: PlannedStage,
  items: readonly Item[],
  { thrown, startedAt }: { readonly thrown: unknown; readonly startedAt: Date },
  parts: UnitParts,
  faults: readonly FaultRecord[],
): Promise<Result[]> {
  const now = parts.clock.now();
  const durationMs = now.getTime() - startedAt.getTime();
  const fault = faultOf(plan, thrown, now);
  if (isOwnDatabaseAway(thrown))
    return items.map((item) => ({
      ...settleItem(plan, item, { kind: "database-away", fault }, parts),
      faults: [],
    }));
  const { subject } = (items[0] as Item).task;
  const firstAt = parts.again ?? faults[0]?.at ?? null;
  const unit: FailedUnit = {
    fault,
    tried: items.map(triedOf),
    blame: await parts.breakers.failed(plan, fault, { subject, startedAt, firstAt }),
    mayRest: parts.inPlace && !items.some(parts.hasParts),
    again: parts.again !== undefined,
    stopping: parts.stopping.aborted,
  };
  const fate = settleUnit(unit, parts.controls.policies(plan), parts.clock.now(), parts.clock.random);
  switch (fate.kind) {
    case "halve":
      return await halve(plan, items, fault, parts, faults);
    case "look-again":
      return await lookAgain(plan, items, parts, faults);
    case "retry-in-place": {
      const [item] = items as [Item];
      const history = [...faults, recordOf(plan, item, fault, parts)];
      return await retryInPlace(plan, { item, verdict: fate.verdict, durationMs }, parts, history);
    }
    case "settled":
      return items.map((item, at) => {
        const verdict = fate.verdicts[at] as Unfinished;
        const own = isOwnFailure(verdict) ? [...faults, recordOf(plan, item, fault, parts)] : [];
        return {
          kind: "unfinished",
          item,
          verdict,
          faults: own,
          durationMs,
          failingSince: firstAt ?? startedAt,
        };
      });
  }
}

async function halve(
  plan: PlannedStage,
  items: readonly Item[],
  fault: Fault,
  parts: UnitParts,
  faults: readonly FaultRecord[],
): Promise<Result[]> {
  parts.emit({ kind: "batch.halved", stage: plan.stage.name, from: items.length, fault });
  const half = Math.ceil(items.length / 2);
  return [
    ...(await work(plan, items.slice(0, half), parts, faults)),
    ...(await work(plan, items.slice(half), parts, faults)),
  ];
}

/**
 * Repeats the last attempt a moment later: a dependency still failing all callers is down; after an answer elsewhere
 * meanwhile, the document is to blame.
 */
async function lookAgain(
  plan: PlannedStage,
  items: readonly Item[],
  parts: UnitParts,
  faults: readonly FaultRecord[],
): Promise<Result[]> {
  const again = parts.clock.now();
  await rest(unsureMs, items.length, parts);
  if (parts.stopping.aborted) return items.map((item) => ({ ...stopped(plan, item, parts), faults: [] }));
  return await work(plan, items, { ...parts, again }, faults);
}

/** Waits under the claim, with a timer and no thread. */
async function rest(ms: number, tasks: number, { clock, stopping, resting }: UnitParts): Promise<void> {
  resting(tasks);
  try {
    await sleep(clock, ms, stopping);
  } finally {
    resting(-tasks);
  }
}

/** A thrown value as a fault, with its dependency. */
function faultOf({ stage }: PlannedStage, thrown: unknown, now: Date): Fault {
  const service = serviceOf(thrown);
  const fault = classify(thrown, { stage: stage.name, extend: stage.classify, now, service });
  const only = stage.needs.length === 1 ? stage.needs[0] : undefined;
  if (fault.dependency !== undefined || !only || !isOfNetwork(fault)) return fault;
  return { ...fault, dependency: only.name };
}

export const judge = (
  plan: PlannedStage,
  item: Item,
  fault: Fault,
  dependencyDown: boolean,
  parts: Pick<UnitParts, "controls" | "clock">,
): Judged => settleItem(plan, item, { kind: "failed", fault, dependencyDown }, parts);

const stopped = (plan: PlannedStage, item: Item, parts: UnitParts): Judged =>
  settleItem(plan, item, { kind: "stopped" }, parts);

interface Judged {
  readonly kind: "unfinished";
  readonly item: Item;
  readonly verdict: Unfinished;
}

export function settleItem(
  plan: PlannedStage,
  item: Item,
  outcome: Exclude<Outcome, { kind: "succeeded" }>,
  { controls, clock }: Pick<UnitParts, "controls" | "clock">,
): Judged {
  const verdict = settle(
    triedOf(item),
    outcome,
    controls.policies(plan),
    clock.now(),
    clock.random,
  ) as Unfinished;
  return { kind: "unfinished", item, verdict };
}

const triedOf = ({ attempts, waits, task }: Item): Counts => ({
  attempts,
  waits,
  firstAttemptAt: task.firstAttemptAt,
});

/** The first retry of a passing fault: the claim stays ours. */
async function retryInPlace(
  plan: PlannedStage,
  { item, verdict, durationMs }: { item: Item; verdict: Retry; durationMs: number },
  parts: UnitParts,
  faults: readonly FaultRecord[],
): Promise<Result[]> {
  const { clock, stopping, emit } = parts;
  emit({
    kind: "task.retried",
    fault: verdict.fault,
    nextAt: verdict.at,
    inPlace: true,
    left: verdict.left,
    durationMs,
    ...ofTask(plan, item),
  });
  await rest(verdict.at.getTime() - clock.now().getTime(), 1, parts);
  if (stopping.aborted) return [{ kind: "unfinished", item, verdict: leaveClaim(verdict), faults }];
  return await work(plan, [{ ...item, attempts: verdict.attempts, waits: verdict.waits }], parts, faults);
}

export const triesOf = (item: Item): number => item.attempts + item.waits + item.task.crashes;

export function ofTask({ stage }: PlannedStage, item: Item) {
  return {
    stage: stage.name,
    documentId: item.task.id,
    subject: item.task.subject,
    correlationId: correlationId(item.task.request, stage.name, triesOf(item)),
    attempt: triesOf(item) + 1,
  };
}

function recordOf(
  { stage }: PlannedStage,
  item: Item,
  fault: Fault,
  { clock }: Pick<UnitParts, "clock">,
): FaultRecord {
  return {
    subject: item.task.subject,
    attempt: triesOf(item) + 1,
    fault,
    request: item.task.request,
    correlationId: correlationId(item.task.request, stage.name, triesOf(item)),
    at: clock.now(),
  };
}
