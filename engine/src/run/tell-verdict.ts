import type { Emit } from "../decide/signal.ts";
import type { Item } from "./attempt.ts";
import type { PlannedStage } from "./graph.ts";
import { ofTask, type Unfinished } from "./unit.ts";

/** Emits the signal of a task that is not done: retried, waiting, held, released or dead. */
export function tellVerdict(plan: PlannedStage, item: Item, verdict: Unfinished, emit: Emit): void {
  emit({ ...signalOf(verdict, plan), ...ofTask(plan, item) });
}

function signalOf(verdict: Unfinished, { stage }: PlannedStage) {
  switch (verdict.kind) {
    case "retry":
      return {
        kind: "task.retried",
        fault: verdict.fault,
        nextAt: verdict.at,
        inPlace: false,
        left: verdict.left,
      } as const;
    case "waiting":
      return { kind: "task.waiting", reason: verdict.reason, nextAt: verdict.at } as const;
    case "held":
      return { kind: "task.held", dependency: verdict.dependency, fault: verdict.fault } as const;
    case "released":
      return { kind: "task.released" } as const;
    case "dead":
      return {
        kind: "task.died",
        reason: verdict.reason,
        fault: verdict.fault,
        collection: stage.reads.name,
      } as const;
  }
}
