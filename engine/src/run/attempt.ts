import { permanent, transient } from "../decide/fault.ts";
import type { DocumentDraft } from "../define/collection.ts";
import type { Stage, Yields } from "../define/stage.ts";
import type { Isolates } from "../sandbox/isolate.ts";
import type { Clock } from "./clock.ts";
import { Collected, type CollectParts } from "./collected.ts";
import type { Controls } from "./controls.ts";
import { findUnexpected } from "./find-unexpected.ts";
import type { PlannedStage } from "./graph.ts";
import type { Item, Tried } from "./item.ts";
import { inputOfTask } from "./look-ups.ts";
import { Running } from "./running.ts";

export interface AttemptParts extends CollectParts {
  readonly clock: Clock;
  readonly services: Readonly<Record<string, unknown>>;
  readonly isolates: Isolates;
  readonly controls: Pick<Controls, "settings">;
  /** Running attempts, for a shutdown. */
  readonly running: Set<Running>;
}

/**
 * One attempt of a stage on one unit: a document, a batch or a group. Never throws. A stage that yields without
 * waiting ends before any timer could fire, so no timer is set and the answer is synchronous.
 */
export function attempt(
  plan: PlannedStage,
  items: readonly Item[],
  parts: AttemptParts,
): Tried | Promise<Tried> {
  const running = new Running(plan.stage, items, parts);
  try {
    const given = inputOf(plan.stage, items);
    const yields = plan.stage.isolate
      ? parts.isolates.run(plan.stage, given, running)
      : plan.stage.run(given, running.context);
    const collected = new Collected(plan, items, parts);
    if (isIterable(yields)) {
      const tried = consumeNow(plan, items, yields[Symbol.iterator](), collected, running);
      return tried instanceof Promise ? watch(plan, tried, running, parts) : tried;
    }
    if (!isAsyncIterable(yields)) throw yieldsNothing(plan.stage);
    return watch(plan, consumeLater(plan, items, yields, collected, running), running, parts);
  } catch (thrown) {
    return { kind: "failed", thrown };
  }
}

const isIterable = (yields: unknown): yields is Iterable<unknown> =>
  typeof yields === "object" && yields !== null && Symbol.iterator in yields;

const isAsyncIterable = (yields: unknown): yields is AsyncIterable<unknown> =>
  typeof yields === "object" && yields !== null && Symbol.asyncIterator in yields;

const yieldsNothing = (stage: Stage) =>
  permanent(
    "stage.yields-nothing",
    `Stage "${stage.name}" returned nothing to iterate; its run must be a generator.`,
  );

/**
 * Lets an attempt run until its end, its timeout or the process's stop. The timeout counts from the start of the
 * stage's code.
 */
async function watch(
  plan: PlannedStage,
  work: Promise<Tried>,
  running: Running,
  parts: AttemptParts,
): Promise<Tried> {
  parts.running.add(running);
  let cancelTimer = () => {};
  running.onBegin = () => {
    if (running.over) return;
    const { timeoutMs } = parts.controls.settings(plan);
    const end = () => running.end(timedOut(plan.stage, timeoutMs, running.awaited));
    cancelTimer = parts.clock.after(timeoutMs, end);
  };
  if (!plan.stage.isolate) running.onBegin();
  try {
    return await Promise.race([work, running.ended]);
  } catch (thrown) {
    return { kind: "failed", thrown };
  } finally {
    cancelTimer();
    running.over = true;
    parts.running.delete(running);
  }
}

const timedOut = (stage: Stage, timeoutMs: number, dependency: string | undefined): Tried => ({
  kind: "failed",
  thrown: transient(
    "stage.timeout",
    `Stage "${stage.name}" did not finish within its limit of ${timeoutMs} ms.`,
    dependency === undefined ? {} : { dependency },
  ),
});

const succeeded = (
  plan: PlannedStage,
  items: readonly Item[],
  collected: Collected,
  { calls }: Running,
): Tried => ({
  kind: "succeeded",
  outputs: collected.outputs,
  streamed: collected.streamed,
  findings: findUnexpected(plan, items, collected),
  calls,
});

/** Reads a stage that yields without waiting; at the first promise, continues asynchronously. */
function consumeNow(
  plan: PlannedStage,
  items: readonly Item[],
  yields: Iterator<unknown>,
  collected: Collected,
  running: Running,
): Tried | Promise<Tried> {
  for (let next = yields.next(); !next.done; next = yields.next()) {
    const added = addYielded(plan.stage, items, next.value, collected);
    if (added || collected.full) return consumeInSteps(plan, items, yields, collected, running, added);
  }
  return succeeded(plan, items, collected, running);
}

async function consumeInSteps(
  plan: PlannedStage,
  items: readonly Item[],
  yields: Iterator<unknown>,
  collected: Collected,
  running: Running,
  pending: Promise<void> | undefined,
): Promise<Tried> {
  if (pending) await pending;
  if (collected.full && !(await collected.flush())) return { kind: "refused" };
  if (!running.over) return await consumeNow(plan, items, yields, collected, running);
  yields.return?.();
  return { kind: "stopped" };
}

async function consumeLater(
  plan: PlannedStage,
  items: readonly Item[],
  yields: Yields<unknown>,
  collected: Collected,
  running: Running,
): Promise<Tried> {
  for await (const one of yields) {
    // Ended from outside: the verdict is made, and leaving the loop tells the stage.
    if (running.over) return { kind: "stopped" };
    const added = addYielded(plan.stage, items, one, collected);
    if (added) await added;
    if (collected.full && !(await collected.flush())) return { kind: "refused" };
  }
  return succeeded(plan, items, collected, running);
}

/** The argument of `run`. */
function inputOf(stage: Stage, items: readonly Item[]): unknown {
  if (stage.shape === "batch") return items.map(({ task }) => inputOfTask(task, null));
  const { task, members } = items[0] as Item;
  return inputOfTask(task, stage.shape === "fan-in" ? (members ?? []) : null);
}

/** Finds the task of a yield; a batch names its input, elsewhere there is only one task. */
function addYielded(
  stage: Stage,
  items: readonly Item[],
  yielded: unknown,
  collected: Collected,
): Promise<void> | undefined {
  if (stage.shape !== "batch") return collected.add(items[0] as Item, yielded as DocumentDraft);
  const [input, output] = Array.isArray(yielded) ? yielded : [undefined];
  const id = (input as { id?: unknown } | undefined)?.id;
  const item = collected.itemOf(id);
  if (item) return collected.add(item, output as DocumentDraft | undefined);
  throw permanent(
    "batch.stray",
    `Stage "${stage.name}" yielded something for "${String(id)}", which was not in its batch; yield [input, output].`,
  );
}
