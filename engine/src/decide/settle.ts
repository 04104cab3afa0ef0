import type { RetryPolicies } from "../define/retry.ts";
import { backoff } from "./backoff.ts";
import type { Fault, FaultKind } from "./fault.ts";

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: "succeeded" }
  /** `dependencyDown`: the breaker of the fault's dependency is open, so only the dependency is to blame. */
  | { readonly kind: "failed"; readonly fault: Fault; readonly dependencyDown: boolean }
  /** The engine's own database broke under the stage: no failure, but a wait, because its query may be the cause. */
  | { readonly kind: "database-away"; readonly fault: Fault }
  /** The group was not complete yet. */
  | { readonly kind: "early"; readonly reason: string; readonly delayMs: number }
  /** Not the document's doing: the worker stops, or the document was deleted. */
  | { readonly kind: "stopped" }
  /** The attempts of a lowered policy are used up already. */
  | { readonly kind: "exhausted"; readonly fault: Fault }
  /** Workers died too often with the task; `before`: the previous fault was of the same kind. */
  | { readonly kind: "lost"; readonly fault: Fault; readonly before: boolean };

/** The fate of the task. Every attempt ends in exactly one verdict. */
export type Verdict =
  | { readonly kind: "done" }
  /** A shutdown is not the document's fault, so it costs no attempt. */
  | { readonly kind: "released" }
  | { readonly kind: "waiting"; readonly at: Date; readonly reason: string }
  | { readonly kind: "held"; readonly dependency: string; readonly fault: Fault }
  | {
      readonly kind: "retry";
      readonly at: Date;
      /** Short enough to wait under the claim. */
      readonly inPlace: boolean;
      readonly fault: Fault;
      readonly attempts: number;
      readonly waits: number;
      /** Attempts left by the policy, the next one included. */
      readonly left: number;
      /** Possibly killed its worker, so the next attempt is alone as well. */
      readonly suspect?: true;
    }
  | {
      readonly kind: "dead";
      readonly reason: DeathReason;
      readonly fault: Fault;
      readonly attempts: number;
      readonly waits: number;
    };

/** The fate of a task that is not done. */
export type Unfinished = Exclude<Verdict, { kind: "done" }>;

/** `cancelled`: ended by a person (`operate/`); all other reasons follow from an attempt. */
export type DeathReason = "permanent" | "exhausted" | "expired" | "worker-lost" | "cancelled";

/** Consumption of earlier attempts. */
export interface Tried {
  readonly attempts: number;
  readonly waits: number;
  readonly firstAttemptAt: Date | null;
}

const inPlaceMsMax = 1_000;
const retryAfterMsMax = 24 * 3_600_000;

/** Decides the fate of a task after an attempt. Pure; read this first. */
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
    case "exhausted": {
      const { attempts, waits } = tried;
      return { kind: "dead", reason: "exhausted", fault: outcome.fault, attempts, waits };
    }
    case "lost":
      return settleLoss(tried, outcome, policies, now, random);
    case "database-away":
      return settleFailure(tried, { ...outcome.fault, kind: "rate-limited" }, policies, now, random);
    case "failed":
      if (outcome.dependencyDown && outcome.fault.dependency !== undefined) {
        return { kind: "held", dependency: outcome.fault.dependency, fault: outcome.fault };
      }
      return settleFailure(tried, outcome.fault, policies, now, random);
  }
}

/**
 * The first crash may have any cause, the second one of a few; only from the third on the document may be the cause.
 */
export const crashesMin = 3;

/** Limit of deaths forgiven because other workers died at the same time; every further death counts. */
export const sparedMax = 10;

/** A task that may have killed its worker is retried on the slow tail, alone, before the final verdict. */
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
  const left = policy.attemptsMax - used;
  return { kind: "retry", at, inPlace: false, fault, attempts: attempts + 1, waits, left, suspect: true };
}

/** Waits are counted apart from failures: they must not use up the document's own attempts. */
const isWait = (kind: FaultKind): boolean => kind === "rate-limited" || kind === "not-found-yet";

/** The attempts that count against the policy for a kind of fault. */
export const usedUp = ({ attempts, waits }: Pick<Tried, "attempts" | "waits">, kind: FaultKind): number =>
  isWait(kind) ? waits : attempts;

/**
 * The attempts allowed after a fault of a kind. A transient fault gets the quick attempts of its policy, then the slow
 * tail: the retries of the `unknown` policy.
 */
export const attemptsAllowed = (policies: RetryPolicies, kind: FaultKind): number =>
  policies[kind].attemptsMax + (kind === "transient" ? policies.unknown.attemptsMax - 1 : 0);

/** The position on the slow tail after so many failed attempts; null: not on the tail. */
export function slowTail(
  policies: RetryPolicies,
  kind: FaultKind,
  attempts: number,
): { readonly retry: number; readonly retries: number } | null {
  if (kind !== "transient" && kind !== "unknown") return null;
  const retry = kind === "unknown" ? attempts : attempts - policies.transient.attemptsMax + 1;
  const retries = policies.unknown.attemptsMax - 1;
  return retry >= 1 && retry <= retries ? { retry, retries } : null;
}

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
  if (used >= attemptsAllowed(policies, fault.kind)) return dead("exhausted");
  const slow = slowTail(policies, fault.kind, used);
  const ownMs = slow ? backoff(policies.unknown, slow.retry, random) : backoff(policy, used, random);
  const delayMs = Math.max(ownMs, Math.min(fault.retryAfterMs ?? 0, retryAfterMsMax));
  const at = new Date(now.getTime() + delayMs);
  const firstAt = tried.firstAttemptAt ?? now;
  if (policy.ttlMs !== null && at.getTime() - firstAt.getTime() > policy.ttlMs) return dead("expired");
  const inPlace = fault.kind === "transient" && used === 1 && delayMs <= inPlaceMsMax;
  const left = attemptsAllowed(policies, fault.kind) - used;
  return { kind: "retry", at, inPlace, fault, attempts, waits, left };
}
