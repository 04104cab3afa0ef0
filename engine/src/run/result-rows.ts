import { failedType } from "../decide/envelope.ts";
import { seedFailedFields } from "../decide/seed-words.ts";
import { correlationId } from "../decide/signal.ts";
import { cut } from "../decide/text.ts";
import type { Ahead, Finished } from "../store/commit.ts";
import type { Death } from "../store/failures.ts";
import type { LookingTask } from "../store/looks.ts";
import type { OutboxEvent } from "../store/outbox.ts";
import type { Postponed } from "../store/tasks.ts";
import type { PlannedStage } from "./graph.ts";
import type { Item } from "./item.ts";
import { type Result, triesOf } from "./unit.ts";

export type FinishedResult = Extract<Result, { kind: "finished" }>;
export type UnfinishedResult = Extract<Result, { kind: "unfinished" }>;

/** Results of the stages that ran ahead. */
export interface RanAhead extends Ahead {
  readonly results: readonly { readonly plan: PlannedStage; readonly result: FinishedResult }[];
  readonly failures: readonly { readonly plan: PlannedStage; readonly result: UnfinishedResult }[];
}

export function toFinished(
  plan: PlannedStage,
  { item, outputs, streamed, unchanged, faults, durationMs, facts = null }: FinishedResult,
): Finished {
  const { task, marker, inputHash, members, looks } = item;
  return {
    subject: task.subject,
    generation: task.generation,
    marker,
    inputHash,
    looks,
    attempts: triesOf(item) + 1,
    request: task.request,
    rank: task.rank,
    first: task.marker === null && task.firstAttemptAt === null,
    streamed,
    unchanged,
    dissolve: members?.length === 0,
    outputs,
    tookMs: unchanged ? null : durationMs,
    facts,
    faults,
    event: eventOf(plan, item, plan.stage.announces.done, { outputs: outputs.length }),
  };
}

/** The same fact has the same key: a repeated attempt, or a skip, announces it again and consumers know it. */
function eventOf(plan: PlannedStage, item: Item, type: string | undefined, data: object): OutboxEvent | null {
  if (type === undefined) return null;
  const { task, marker } = item;
  return {
    key: `${type}/${plan.stage.name}/${task.subject}/${marker.toString("hex").slice(0, 32)}`,
    type,
    subject: task.subject,
    stage: plan.number,
    data: { stage: plan.stage.name, document_id: task.id, ...data },
    request: task.request,
    correlationId: correlationId(task.request, plan.stage.name, triesOf(item)),
  };
}

export function toPostponed({ item, verdict }: UnfinishedResult, now: Date): Postponed | null {
  const { subject, generation } = item.task;
  const put = { subject, generation, attempts: 0, waits: 0, suspect: false };
  switch (verdict.kind) {
    case "retry":
      return {
        ...put,
        readyAt: verdict.at,
        reason: "backoff",
        attempts: verdict.attempts - item.task.attempts,
        waits: verdict.waits - item.task.waits,
        attempted: true,
        suspect: verdict.suspect === true,
        fault: JSON.stringify(verdict.fault),
      };
    case "waiting":
      return {
        ...put,
        readyAt: verdict.at,
        reason: verdict.reason,
        attempted: false,
        fault: null,
      };
    case "held":
      return {
        ...put,
        readyAt: now,
        reason: `held: ${verdict.dependency}`,
        attempted: false,
        // The outage is the dependency's fault and is kept there; the document's own last one still counts.
        fault: null,
      };
    case "released":
    case "dead":
      return null;
  }
}

/** The look-ups of a failed attempt: the reason may be in them. */
export const toLooking = ({ item, verdict }: UnfinishedResult): LookingTask[] =>
  item.looks && (verdict.kind === "retry" || verdict.kind === "dead")
    ? [{ subject: item.task.subject, looked: item.looks.looked }]
    : [];

export function toDeath(plan: PlannedStage, { item, verdict }: UnfinishedResult, now: Date): Death | null {
  if (verdict.kind !== "dead") return null;
  const { task, members, inputHash } = item;
  const { reason, fault, attempts, waits } = verdict;
  const message = cut(fault.message, 1_000);
  const failure = {
    stage: plan.stage.name,
    collection: members ? null : plan.stage.reads.name,
    document: task.id,
    reason,
    code: fault.code,
    message,
    attempts,
  };
  const input = members ? { key: task.id, documents: members.map((member) => member.id) } : task.body;
  return {
    subject: task.subject,
    generation: task.generation,
    reason,
    fault,
    attempts,
    waits,
    crashes: task.crashes,
    rank: task.rank,
    request: task.request,
    correlationId: correlationId(task.request, plan.stage.name, triesOf(item)),
    input: input ? JSON.stringify(input) : null,
    inputHash,
    event: eventOf(plan, item, failedType(plan.stage.announces), {
      reason,
      error_code: fault.code,
      error_kind: fault.kind,
      error_message: message,
      attempt_count: attempts,
      ...seedFailedFields(failure, now),
    }),
  };
}
