import { classify } from "../decide/classify.ts";
import { permanent } from "../decide/fault.ts";
import { acceptedAt } from "../decide/request-id.ts";
import { chargedFor, type SeenOutage, sparedFault } from "../decide/settle-unit.ts";
import type { Emit } from "../decide/signal.ts";
import type { Claim, Held } from "../store/claims.ts";
import { type Commit, type Committed, isFresh } from "../store/commit.ts";
import type { Database } from "../store/database.ts";
import type { Numbers } from "../store/numbers.ts";
import type { Store } from "../store/store.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { Graph, PlannedStage } from "./graph.ts";
import type { Item } from "./item.ts";
import { isLost, persist } from "./persist.ts";
import type { PreparedDocument } from "./prepare.ts";
import {
  type FinishedResult,
  type RanAhead,
  toDeath,
  toFinished,
  toLooking,
  toPostponed,
  type UnfinishedResult,
} from "./result-rows.ts";
import { tellVerdict } from "./tell-verdict.ts";
import { judge, ofTask, type Result } from "./unit.ts";

export interface CommitParts {
  readonly db: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly controls: Controls;
  /** How long results of isolated stages wait for others of the same claim; 0: not at all. */
  readonly gatherMs: number;
  readonly graph: Graph;
  readonly numbers: Numbers;
  readonly emit: Emit;
  readonly workerNumber: () => number;
  readonly stopping: AbortSignal;
  /** Notifies stages of possible work, with an approximate number of tasks. */
  readonly wake: (stages: readonly number[], tasks?: number) => void;
  /** Adds to the worker's own figures of committed results. */
  readonly counted: (stage: number, tasks: number) => void;
  /** Some documents have lost their last producer. */
  readonly reap: () => void;
  /** An unknown claim of ours may exist at this stage. */
  readonly doubt: (stage: number) => void;
  /** Runs outputs ahead through the next stages, while this costs next to nothing. */
  readonly runAhead: ((results: readonly FinishedResult[]) => Promise<RanAhead | null>) | null;
}

/**
 * Commits the results of one claim as they come: all results ready at the end of a commit go into the next commit.
 */
export interface Committer {
  add(results: readonly Result[]): void;
  readonly commitPart: (item: Item, outputs: readonly PreparedDocument[]) => Promise<boolean>;
  /** Parts of the result were committed under this claim. */
  readonly hasParts: (item: Item) => boolean;
  /** Resolves when all added results have been committed or refused. */
  finish(): Promise<void>;
}

export function startCommitter(
  plan: PlannedStage,
  claim: Claim,
  parts: CommitParts,
  /** Called with the number of committed or refused tasks, which make room for more. */
  outOfHand: (tasks: number) => void,
): Committer {
  const held: Held = { claim: claim.id, worker: parts.workerNumber(), stage: plan.number };
  const open = new Set(claim.tasks.map((task) => task.subject));
  const streamed = new Set<number>();
  let ready: Result[] = [];
  let flushing: Promise<void> | null = null;

  async function flush(): Promise<void> {
    // One turn later, to commit everything done by then together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (ready.length > 0) {
      // Results of processes arrive singly, and a commit of many costs little more than a commit of a single result.
      if (plan.stage.isolate && ready.length < open.size && parts.gatherMs > 0)
        await sleep(parts.clock, parts.gatherMs);
      const results = ready;
      ready = [];
      for (const { item } of results) open.delete(item.task.subject);
      const finished = results.filter((one): one is FinishedResult => one.kind === "finished");
      const unfinished = results.filter((one): one is UnfinishedResult => one.kind === "unfinished");
      if (finished.length > 0) {
        const refused = await commitFinished(plan, held, finished, open.size + unfinished.length, parts);
        unfinished.push(...refused);
      }
      if (unfinished.length > 0) await commitRest(plan, held, unfinished, parts);
      outOfHand(results.length);
    }
    flushing = null;
  }
  return {
    add(results) {
      ready.push(...results);
      if (ready.length === 0 || flushing) return;
      flushing = flush();
      // finish() reports the failure; an unhandled rejection would end the process until then.
      flushing.catch(() => undefined);
    },
    async commitPart(item, outputs) {
      // An attempt ended from outside may still be yielding: its task is no longer ours.
      if (!open.has(item.task.subject)) return false;
      streamed.add(item.task.subject);
      return await writePart(plan, held, { item, outputs }, parts);
    },
    hasParts: (item) => streamed.has(item.task.subject),
    async finish() {
      while (flushing) await flushing;
    },
  };
}

/** Commits a part of a stream; false: the claim is gone. */
async function writePart(
  plan: PlannedStage,
  held: Held,
  { item, outputs }: { readonly item: Item; readonly outputs: readonly PreparedDocument[] },
  parts: CommitParts,
): Promise<boolean> {
  const { subject, request, rank } = item.task;
  const { graph, numbers, store, db, clock } = parts;
  const yielded = { producer: { stage: plan.number, subject }, wanted: outputs, request, rank };
  const part = () => ({ ...held, now: clock.now(), yielded, flow: graph.flow, numbers });
  const committed = await persist(parts, plan, 1, () => store.commitPart(db, part())).catch((error) => {
    // A stopping worker cannot wait for the database: the document is released, not failed.
    if (isLost(error)) return { kind: "refused" } as const;
    throw error;
  });
  if (committed.kind === "refused") return false;
  tellConflicts(plan, committed.conflicts, parts);
  parts.wake(stagesAfter(plan, outputs, parts.graph), outputs.length);
  return true;
}

/** Commits results; content refused by the database comes back as failures of its documents. */
async function commitFinished(
  plan: PlannedStage,
  held: Held,
  results: readonly FinishedResult[],
  remaining: number,
  parts: CommitParts,
): Promise<UnfinishedResult[]> {
  const { db, store, clock, graph, numbers } = parts;
  const finished = results.map((result) => toFinished(plan, result));
  const alone = { finished, flow: graph.flow, stage: plan.number };
  const ahead = parts.runAhead && isFresh(alone) ? await parts.runAhead(results) : null;
  const commit = (): Commit => ({
    ...held,
    now: clock.now(),
    variant: plan.variant,
    finished,
    remaining,
    flow: graph.flow,
    numbers,
    ahead,
  });
  const unknown = () => {
    for (const { stage } of ahead?.held ?? []) parts.doubt(stage);
  };
  let committed: Committed;
  try {
    committed = await persist(parts, plan, results.length, () => store.commitResults(db, commit()));
  } catch (error) {
    unknown();
    if (isLost(error)) throw error;
    // The error may concern run-ahead: without run-ahead, the fault appears at its own stage.
    if (ahead) return await commitFinished(plan, held, results, remaining, { ...parts, runAhead: null });
    if (results.length === 1) return [refusedContent(plan, results[0] as FinishedResult, error, parts)];
    return await commitHalves(plan, held, results, remaining, parts);
  }
  const claims = committed.kind === "committed" ? committed.ahead : undefined;
  // If the commit took effect and only the answer was lost, unknown claims exist.
  if (!claims) unknown();
  if (committed.kind === "refused") tellRefused(plan, held, results.length, parts);
  else {
    tellFinished(plan, results, parts, claims && ahead?.numbered);
    tellConflicts(plan, committed.conflicts, parts);
    if (committed.removed > 0) parts.reap();
    if (ahead && claims) await endAhead(held.worker, ahead, claims, parts);
  }
  return [];
}

/** One result is at fault: halving spares the rest. */
async function commitHalves(
  plan: PlannedStage,
  held: Held,
  results: readonly FinishedResult[],
  remaining: number,
  parts: CommitParts,
): Promise<UnfinishedResult[]> {
  const half = Math.ceil(results.length / 2);
  const [left, right] = [results.slice(0, half), results.slice(half)];
  const culprits = [
    ...(await commitFinished(plan, held, left, remaining + right.length, parts)),
    ...(await commitFinished(plan, held, right, remaining + 1, parts)),
  ];
  if (culprits.length === 0)
    await persist(parts, plan, 0, () => parts.db.transaction((tx) => parts.store.releaseTasks(tx, held, [])));
  return culprits;
}

/** Emits the signals of run-ahead, and records its failures under the claims that came with the commit. */
async function endAhead(
  worker: number,
  { results, failures, numbered }: RanAhead,
  claims: ReadonlyMap<number, number>,
  parts: CommitParts,
): Promise<void> {
  for (const [plan, some] of byPlan(results)) tellFinished(plan, some, parts, numbered);
  for (const [plan, some] of byPlan(failures)) {
    const claim = claims.get(plan.number);
    if (claim !== undefined) await commitRest(plan, { claim, worker, stage: plan.number }, some, parts);
  }
}

function byPlan<T>(
  all: readonly { readonly plan: PlannedStage; readonly result: T }[],
): Map<PlannedStage, T[]> {
  const sorted = new Map<PlannedStage, T[]>();
  for (const { plan, result } of all) {
    const some = sorted.get(plan);
    if (some) some.push(result);
    else sorted.set(plan, [result]);
  }
  return sorted;
}

function refusedContent(
  plan: PlannedStage,
  { item, faults }: FinishedResult,
  error: unknown,
  parts: CommitParts,
): UnfinishedResult {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const fault = classify(
    permanent(`commit.${String(code ?? "failed")}`, `The result could not be stored: ${String(message)}`),
    {
      stage: plan.stage.name,
    },
  );
  const record = { ...ofTask(plan, item), fault, request: item.task.request, at: parts.clock.now() };
  return { ...judge(plan, item, fault, false, parts), faults: [...faults, record] };
}

async function commitRest(
  plan: PlannedStage,
  held: Held,
  results: readonly UnfinishedResult[],
  parts: CommitParts,
): Promise<void> {
  const { db, store, clock, graph, emit } = parts;
  const rest = () => {
    const now = clock.now();
    return {
      ...held,
      now,
      variant: plan.variant,
      flow: graph.flow,
      postponed: results.flatMap((one) => toPostponed(one, now) ?? []),
      released: results.filter((one) => one.verdict.kind === "released").map((one) => one.item.task.subject),
      deaths: results.flatMap((one) => toDeath(plan, one, now) ?? []),
      faults: results.flatMap((one) => one.faults),
      looking: results.flatMap(toLooking),
      blamed: results.flatMap((one) => {
        const name = chargedFor(plan.stage.needs, one.verdict);
        return name === null ? [] : [{ name, failingSince: failingSince(one, now) }];
      }),
    };
  };
  const written = await persist(parts, plan, results.length, () => store.commitUnfinished(db, rest()));
  if (written.kind === "down") {
    const spared = results.map((one) => spare(plan, one, written.outages, parts));
    return await commitRest(plan, held, spared, parts);
  }
  if (written.kind === "refused") return tellRefused(plan, held, results.length, parts);
  for (const result of results) tellVerdict(plan, result, emit);
  if (results.some((one) => one.verdict.kind === "dead")) {
    parts.wake((graph.flow.waiting.get(plan.number) ?? []).map((one) => one.stage));
  }
}

const failingSince = (result: UnfinishedResult, now: Date): Date =>
  result.failingSince ?? result.faults[0]?.at ?? now;

/** The dependency was found to be down meanwhile: the document is held instead of charged. */
function spare(
  plan: PlannedStage,
  result: UnfinishedResult,
  outages: readonly SeenOutage[],
  parts: CommitParts,
): UnfinishedResult {
  const charge = { verdict: result.verdict, failingSince: failingSince(result, parts.clock.now()) };
  const fault = sparedFault(plan.stage.needs, charge, outages);
  return fault ? { ...result, ...judge(plan, result.item, fault, true, parts), faults: [] } : result;
}

function stagesAfter(plan: PlannedStage, outputs: readonly PreparedDocument[], { flow }: Graph): number[] {
  const next = new Set<number>();
  for (const { collection } of outputs) {
    for (const stage of flow.readers.get(collection) ?? []) next.add(stage);
    for (const { stage } of flow.collectors.get(collection) ?? []) next.add(stage);
    for (const stage of flow.lookers.get(collection) ?? []) next.add(stage);
  }
  for (const { stage } of flow.waiting.get(plan.number) ?? []) next.add(stage);
  return [...next];
}

/** `taken`: outputs already run ahead, without a need to wake their stages. */
function tellFinished(
  plan: PlannedStage,
  results: readonly FinishedResult[],
  parts: CommitParts,
  taken?: ReadonlyMap<object, number>,
): void {
  parts.counted(plan.number, results.length);
  for (const { item, outputs, unchanged, durationMs, facts } of results) {
    if (unchanged) parts.emit({ kind: "task.skipped", ...ofTask(plan, item) });
    else tellDone(plan, item, { outputs: outputs.length, durationMs }, parts);
    const finding = facts?.finding;
    if (finding)
      parts.emit({ kind: "task.unexpected", finding, outputs: outputs.length, ...ofTask(plan, item) });
  }
  const all = results.flatMap((one) => one.outputs);
  const outputs = taken ? all.filter((one) => !taken.has(one)) : all;
  const next = stagesAfter(plan, outputs, parts.graph);
  if (next.length > 0) parts.wake(next, outputs.length);
}

function tellDone(
  plan: PlannedStage,
  item: FinishedResult["item"],
  result: { readonly outputs: number; readonly durationMs: number },
  { clock, emit }: CommitParts,
): void {
  const first = item.task.firstAttemptAt;
  const requests = item.members && otherRequests(item);
  const accepted = plan.isLast && item.task.marker === null ? acceptedAt(item.task.request) : null;
  const done = {
    kind: "task.done",
    ...result,
    ...ofTask(plan, item),
    ...(requests && { requests }),
    ...(accepted && { sinceAcceptedMs: Math.max(0, clock.now().getTime() - accepted.getTime()) }),
  } as const;
  emit(first ? { ...done, sinceFirstMs: clock.now().getTime() - first.getTime() } : done);
}

const requestsMax = 1_000;

/** The requests that brought members of a group, besides the group's own; null: none. */
function otherRequests({ members, task }: Item): readonly string[] | null {
  const others = new Set(members?.map(({ request }) => request));
  others.delete(task.request);
  return others.size === 0 ? null : [...others].slice(0, requestsMax);
}

function tellConflicts(
  plan: PlannedStage,
  conflicts: readonly { collection: number; id: string }[],
  { graph, emit }: CommitParts,
): void {
  for (const { collection, id } of conflicts) {
    const name =
      graph.collections.find((one) => one.number === collection)?.collection.name ?? String(collection);
    emit({ kind: "document.conflict", stage: plan.stage.name, collection: name, documentId: id });
  }
}

const tellRefused = (plan: PlannedStage, held: Held, tasks: number, { emit }: CommitParts): void =>
  emit({ kind: "commit.refused", stage: plan.stage.name, worker: held.worker, tasks });
