import type { RetryPolicy } from "../define/retry.ts";

/**
 * Delay before the `retry`-th retry (from 1), in whole milliseconds: `initialMs * multiplier^(retry - 1)`, at most
 * `maxMs`, or with full jitter a random part of the delay. Policies are edited by people, so absurd numbers are
 * replaced by `fallback`; no policy can cause a hot loop.
 */
export function backoff(policy: RetryPolicy, retry: number, random: () => number): number {
  const maxMs = Math.max(1, Math.floor(Math.min(sane(policy.maxMs, 0, fallback.maxMs), delayMsMax)));
  const floorMs = Math.min(delayMsMin, maxMs);
  const initialMs = Math.max(sane(policy.initialMs, 0, fallback.initialMs), floorMs);
  const multiplier = sane(policy.multiplier, 1, fallback.multiplier);
  const exponent = Math.min(sane(Math.floor(retry), 1, 1), exponentMax) - 1;
  const capMs = Math.min(maxMs, initialMs * multiplier ** exponent);
  const delayMs = policy.jitter === "none" ? capMs : capMs * share(random());
  return Math.max(floorMs, Math.floor(delayMs));
}

/** Minimum delay, for a policy of 0 ms and the luckiest jitter too (or `maxMs`, but never less than 1 ms). */
export const delayMsMin = 10;

/** Maximum delay: longer delays would lead beyond the range of dates. */
export const delayMsMax = 30 * 24 * 3_600_000;

const fallback = { initialMs: 1_000, maxMs: 60_000, multiplier: 2 } as const;
const exponentMax = 10_000;

const sane = (value: number, min: number, otherwise: number): number => (value >= min ? value : otherwise);
const share = (chance: number): number => Math.min(sane(chance, 0, 1), 1);
