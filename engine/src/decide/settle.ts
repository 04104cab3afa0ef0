import type { RetryPolicies } from "../define/retry.ts";
import { backoff } from "./backoff.ts";
import type { Fault, FaultKind } from "./fault.ts";

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: "succeeded" }
  /** `dependencyDown`: the breaker of the fault's dependency is open, so nobody but the dependency is to blame. */
  | { readonly kind: "failed"; readonly fault: Fault; readonly dependencyDown: boolean }
  /** The group was not complete yet. */
  | { readonly kind: "early"; readonly reason: string; readonly delayMs: number }
  | { readonly kind: "stopped" }
  /** Workers died too often while holding it; `before`: the fault before this one was of the same kind. */
  | { readonly kind: "lost"; readonly fault: Fault; readonly before: boolean };

/** What becomes of the task. Every attempt ends in exactly one of these. */
export type Verdict =
  | { readonly kind: "done" }
  /** Shutting down is nobody's fault, so it costs no attempt. */
  | { readonly kind: "released" }
  | { readonly kind: "waiting"; readonly at: Date; readonly reason: string }
  | { readonly kind: "held"; readonly dependency: string; readonly fault: Fault }
  | {
      readonly kind: "retry";
      readonly at: Date;
      /** Short enough to wait for with the claim in hand. */
      readonly inPlace: boolean;
      readonly fault: Fault;
      readonly attempts: number;
      readonly waits: number;
      /** It may have killed its worker, so the next attempt is alone as well. */
      readonly suspect?: true;
    }
  | {
      readonly kind: "dead";
      readonly reason: DeathReason;
      readonly fault: Fault;
      readonly attempts: number;
      readonly waits: number;
    };

/** `cancelled`: a person ended it (`operate/`); all others follow from an attempt. */
export type DeathReason = "permanent" | "exhausted" | "expired" | "worker-lost" | "cancelled";

/** What earlier attempts have used up. */
export interface Tried {
  readonly attempts: number;
  readonly waits: number;
  readonly firstAttemptAt: Date | null;
}

const inPlaceMsMax = 1_000;
const retryAfterMsMax = 24 * 3_600_000;

/** Decides what becomes of a task after an attempt. Pure; read this first. */
export function settle(
  tried: Tried,
  outcome: Outcome,
  policies: RetryPolicies,
  now: Date,
  random: () => number,
): Verdict {
  switch (outcome.kind) {
    case "succeeded":
      return { kind: "done" };
    case "stopped":
      return { kind: "released" };
    case "early":
      return { kind: "waiting", at: new Date(now.getTime() + outcome.delayMs), reason: outcome.reason };
    case "lost":
      return settleLoss(tried, outcome, policies, now, random);
    case "failed":
      if (outcome.dependencyDown && outcome.fault.dependency !== undefined) {
        return { kind: "held", dependency: outcome.fault.dependency, fault: outcome.fault };
      }
      return settleFailure(tried, outcome.fault, policies, now, random);
  }
}

/** The first crash is anybody's, the second one of a few; only from the third on it may be the document's own. */
export const crashesMin = 3;

/** So many deaths of its workers are forgiven because other workers died at the time as well; then each one counts. */
export const sparedMax = 10;

/** What may have killed its worker is tried again on the slow tail, alone, before that is final. */
function settleLoss(
  { attempts, waits }: Tried,
  { fault, before }: Extract<Outcome, { kind: "lost" }>,
  { unknown: policy }: RetryPolicies,
  now: Date,
  random: () => number,
): Verdict {
  const used = before ? attempts + 1 : 1;
  if (used >= policy.attemptsMax) return { kind: "dead", reason: "worker-lost", fault, attempts, waits };
  const at = new Date(now.getTime() + backoff(policy, used, random));
  return { kind: "retry", at, inPlace: false, fault, attempts: attempts + 1, waits, suspect: true };
}

/** Waiting for others is counted apart from failing: it must not use up the tries of the document itself. */
const isWait = (kind: FaultKind): boolean => kind === "rate-limited" || kind === "not-found-yet";

/** The tries that count against the policy for a kind of fault. */
export const usedUp = ({ attempts, waits }: Pick<Tried, "attempts" | "waits">, kind: FaultKind): number =>
  isWait(kind) ? waits : attempts;

function settleFailure(
  tried: Tried,
  fault: Fault,
  policies: RetryPolicies,
  now: Date,
  random: () => number,
): Verdict {
  const policy = policies[fault.kind];
  const waited = isWait(fault.kind);
  const attempts = tried.attempts + (waited ? 0 : 1);
  const waits = tried.waits + (waited ? 1 : 0);
  const used = usedUp({ attempts, waits }, fault.kind);
  const dead = (reason: DeathReason): Verdict => ({ kind: "dead", reason, fault, attempts, waits });

  if (fault.kind === "permanent") return dead("permanent");
  if (used >= policy.attemptsMax) return dead("exhausted");
  const delayMs = Math.max(backoff(policy, used, random), Math.min(fault.retryAfterMs ?? 0, retryAfterMsMax));
  const at = new Date(now.getTime() + delayMs);
  const firstAt = tried.firstAttemptAt ?? now;
  if (policy.ttlMs !== null && at.getTime() - firstAt.getTime() > policy.ttlMs) return dead("expired");
  const inPlace = fault.kind === "transient" && used === 1 && delayMs <= inPlaceMsMax;
  return { kind: "retry", at, inPlace, fault, attempts, waits };
}
