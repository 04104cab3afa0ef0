import type { Unfinished } from "../decide/settle.ts";
import type { Emit } from "../decide/signal.ts";
import type { PlannedStage } from "./graph.ts";
import type { UnfinishedResult } from "./result-rows.ts";
import { ofTask } from "./unit.ts";

/** Emits the signal of a task that is not done: retried, waiting, held, released or dead. */
export function tellVerdict(
  plan: PlannedStage,
  { item, verdict, durationMs = 0 }: UnfinishedResult,
  emit: Emit,
): void {
  emit({ ...signalOf(verdict, plan, durationMs), ...ofTask(plan, item) });
}

function signalOf(verdict: Unfinished, { stage }: PlannedStage, durationMs: number) {
  switch (verdict.kind) {
    case "retry":
      return {
        kind: "task.retried",
        fault: verdict.fault,
        nextAt: verdict.at,
        inPlace: false,
        left: verdict.left,
        durationMs,
      } as const;
    case "waiting":
      return { kind: "task.waiting", reason: verdict.reason, nextAt: verdict.at } as const;
    case "held":
      return { kind: "task.held", dependency: verdict.dependency, fault: verdict.fault, durationMs } as const;
    case "released":
      return { kind: "task.released" } as const;
    case "dead":
      return {
        kind: "task.died",
        reason: verdict.reason,
        fault: verdict.fault,
        collection: stage.reads.name,
        durationMs,
      } as const;
  }
}
