import { DefinitionError } from "./definition-error.ts";
import { type Duration, durationMs } from "./duration.ts";

/** Retry schedule for faults of one kind. Plain data: seeded from code, changed by operators in the database. */
export interface RetryPolicy {
  /** Attempts including the first. */
  readonly attemptsMax: number;
  readonly initialMs: number;
  readonly maxMs: number;
  readonly multiplier: number;
  readonly jitter: "full" | "none";
  /** Counted from the first attempt; null: no limit. */
  readonly ttlMs: number | null;
}

export type RetryPolicies = { readonly [Kind in RetryKind]: RetryPolicy };
/**
 * Kinds of faults that have a retry policy; `permanent` is never retried.
 *
 * @example
 * import { retryKinds } from "@headway/engine/operate";
 *
 * export const isKind = (word: string) => retryKinds.some((one) => one === word);
 */
export const retryKinds = ["transient", "rate-limited", "not-found-yet", "permanent", "unknown"] as const;
export type RetryKind = (typeof retryKinds)[number];

/** Retry options of a stage; omitted values keep their defaults. */
export type RetrySpec = { readonly attempts?: number } & { readonly [Kind in RetryKind]?: RetryChange };
/** A change of a retry policy; omitted fields stay. */
export interface RetryChange {
  /** All attempts, the first included. */
  readonly attempts?: number;
  /** Wait before the first retry. */
  readonly initial?: Duration;
  /** Longest wait. */
  readonly max?: Duration;
  /** Each wait is so many times as long as the wait before. */
  readonly multiplier?: number;
  /** `full`: anything up to the wait. */
  readonly jitter?: "full" | "none";
  /** Time after the first attempt at which the task dies; null: never. */
  readonly ttl?: Duration | null;
}

const hour = 3_600_000;

/**
 * `transient`: quick attempts after 1 s in place, then 2, 4, 8 s, and then the slow tail. `unknown`: the slow tail at
 * once, after 5, 10, 20, 40 and 60 minutes.
 *
 * @example
 * import { retryDefaults } from "@headway/engine/operate";
 *
 * export const attempts = retryDefaults.transient.attemptsMax;
 */
export const retryDefaults: RetryPolicies = {
  transient: policy({ initialMs: 1_000, maxMs: 60_000 }),
  "rate-limited": policy({
    attemptsMax: 100,
    initialMs: 1_000,
    maxMs: 120_000,
    jitter: "full",
    ttlMs: 24 * hour,
  }),
  "not-found-yet": policy({ attemptsMax: 8, initialMs: 250, maxMs: 60_000, jitter: "full", ttlMs: hour / 2 }),
  permanent: policy({ attemptsMax: 1, initialMs: 0, maxMs: 0 }),
  unknown: policy({ attemptsMax: 6, initialMs: 300_000, maxMs: hour }),
};

function policy(given: Partial<RetryPolicy> & Pick<RetryPolicy, "initialMs" | "maxMs">): RetryPolicy {
  return { attemptsMax: 5, multiplier: 2, jitter: "none", ttlMs: null, ...given };
}

/** Policies of a stage. `attempts` limits failures; waits (rate limits, late documents) have a separate limit. */
export function retryPolicies(spec: RetrySpec = {}): RetryPolicies {
  const made = Object.fromEntries(
    retryKinds.map((kind) => {
      const attempts = kind === "transient" || kind === "unknown" ? spec.attempts : undefined;
      return [
        kind,
        applyChange(retryDefaults[kind], { ...(attempts !== undefined && { attempts }), ...spec[kind] }),
      ];
    }),
  ) as { [Kind in RetryKind]: RetryPolicy };
  for (const kind of retryKinds) {
    const problem = policyProblem(made[kind]);
    if (problem) throw new DefinitionError(`The retry policy for ${kind} faults is impossible: ${problem}.`);
  }
  return made;
}

/** A policy with some values changed, unchecked: see `policyProblem`. */
export function applyChange(base: RetryPolicy, change: RetryChange): RetryPolicy {
  return {
    attemptsMax: change.attempts ?? base.attemptsMax,
    initialMs: change.initial === undefined ? base.initialMs : durationMs(change.initial),
    maxMs: change.max === undefined ? base.maxMs : durationMs(change.max),
    multiplier: change.multiplier ?? base.multiplier,
    jitter: change.jitter ?? base.jitter,
    ttlMs: change.ttl === undefined ? base.ttlMs : change.ttl === null ? null : durationMs(change.ttl),
  };
}

/** The first problem of a policy, in words, or null. Checked on declaration, on change and on read. */
export function policyProblem(policy: RetryPolicy): string | null {
  const { attemptsMax, initialMs, maxMs, multiplier, jitter, ttlMs } = policy;
  if (!Number.isInteger(attemptsMax) || attemptsMax < 1 || attemptsMax > 1_000)
    return "attempts must be 1 to 1000";
  if (!Number.isFinite(initialMs) || initialMs < 0 || initialMs > 7 * 24 * hour)
    return "the initial delay must be 0 to 7d";
  if (!Number.isFinite(maxMs) || maxMs < initialMs || maxMs > 30 * 24 * hour) {
    return "the longest delay must be at least the initial one and at most 30d";
  }
  if (!Number.isFinite(multiplier) || multiplier < 1 || multiplier > 100)
    return "the multiplier must be 1 to 100";
  if (jitter !== "full" && jitter !== "none") return 'jitter must be "full" or "none"';
  if (ttlMs !== null && (!Number.isFinite(ttlMs) || ttlMs <= 0))
    return "the time to live must be longer than 0";
  return null;
}
