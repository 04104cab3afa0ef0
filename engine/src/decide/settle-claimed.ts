import type { RetryPolicies } from "../define/retry.ts";
import { classify } from "./classify.ts";
import { type Fault, StageFault } from "./fault.ts";
import { attemptsAllowed, crashesMin, settle, type Tried, type Unfinished, usedUp } from "./settle.ts";

/** A claimed task, with everything that decides whether it is run. */
export interface ClaimedFacts extends Tried {
  readonly id: string;
  readonly gone: boolean;
  readonly crashes: number;
  /** Of the last attempt. */
  readonly fault: Fault | null;
  /** Null for a document. */
  readonly members: readonly { readonly pending: boolean; readonly dead: boolean }[] | null;
  /** A look-up of the task failed. */
  readonly problem: boolean;
  /** The stored result has the marker of this input. */
  readonly unchanged: boolean;
}

export interface StageRules {
  readonly stage: string;
  /** A document of an isolated stage cannot kill its worker. */
  readonly isolated: boolean;
  /** Whether a group waits for dead members. */
  readonly waitsForDead: boolean;
  readonly policies: RetryPolicies;
}

export type Fate =
  | { readonly kind: "run" }
  /** The result is there already, or the group has lost its last member. */
  | { readonly kind: "unchanged" | "empty" }
  | { readonly kind: "problem" }
  | { readonly kind: "settled"; readonly verdict: Unfinished };

const groupWaitMs = 5_000;
const blockedWaitMs = 60_000;
const lostCode = "worker.lost";

/** Decides whether a claimed task is run. Pure. */
export function settleClaimed(task: ClaimedFacts, rules: StageRules, now: Date, random: () => number): Fate {
  const { members, fault } = task;
  const settled = (outcome: Parameters<typeof settle>[1]): Fate => ({
    kind: "settled",
    verdict: settle(task, outcome, rules.policies, now, random) as Unfinished,
  });
  if (task.gone) return settled({ kind: "stopped" });
  if (task.crashes >= crashesMin && !rules.isolated) return settled(lossOf(task, rules));
  // The policy was lowered since: a task beyond the new limit gets no further attempt.
  if (fault && usedUp(task, fault.kind) >= attemptsAllowed(rules.policies, fault.kind))
    return settled({ kind: "exhausted", fault });
  if (members?.some((member) => member.pending))
    return settled({ kind: "early", reason: "after", delayMs: groupWaitMs });
  if (rules.waitsForDead && members?.some((member) => member.dead))
    return settled({ kind: "early", reason: "after", delayMs: blockedWaitMs });
  if (members?.length === 0) return { kind: "empty" };
  if (task.problem) return { kind: "problem" };
  return { kind: task.unchanged ? "unchanged" : "run" };
}

/** Too many worker deaths for chance. */
function lossOf({ id, attempts, crashes, fault }: ClaimedFacts, { stage }: StageRules) {
  const deaths = attempts + crashes;
  const message = `The worker died again and again (${deaths} times by now) while it was working on "${id}".`;
  const loss = classify(new StageFault("unknown", lostCode, message), { stage });
  return { kind: "lost", fault: loss, before: fault?.code === lostCode } as const;
}
