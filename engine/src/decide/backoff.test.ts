import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../define/retry.ts";
import { backoff, delayMsMax } from "./backoff.ts";

const aPolicy = (given: Partial<RetryPolicy> = {}): RetryPolicy => ({
  attemptsMax: 5,
  initialMs: 1_000,
  maxMs: 60_000,
  multiplier: 2,
  jitter: "none",
  ttlMs: null,
  ...given,
});

const most = () => 0.999_999;
const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, -1, 1e-300, 1e308, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, -1e308),
);
const jitter = fc.constantFrom("full", "none") as fc.Arbitrary<"full" | "none">;
const anyPolicy = fc
  .record({ initialMs: anyNumber, maxMs: anyNumber, multiplier: anyNumber, jitter })
  .map((given) => aPolicy(given));
const sanePolicy = fc
  .record({
    initialMs: fc.integer({ min: 0, max: 600_000 }),
    maxMs: fc.integer({ min: 1, max: delayMsMax }),
    multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
    jitter,
  })
  .map((given) => aPolicy(given));

describe("the delay before a retry", () => {
  test("doubles from the initial one up to the longest", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100_000].map((retry) => backoff(aPolicy(), retry, most));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test("is spread over the whole range by full jitter", () => {
    const policy = aPolicy({ initialMs: 250, jitter: "full" });
    expect(backoff(policy, 3, () => 0.5)).toBe(500);
    expect(backoff(policy, 3, () => 0.25)).toBe(250);
    expect(backoff(policy, 3, most)).toBe(999);
  });

  test("is the longest one when the numbers overflow", () => {
    expect(backoff(aPolicy({ multiplier: Number.MAX_VALUE }), 5, most)).toBe(60_000);
    expect(backoff(aPolicy(), Number.MAX_SAFE_INTEGER, most)).toBe(60_000);
    expect(backoff(aPolicy(), Number.POSITIVE_INFINITY, most)).toBe(60_000);
    expect(backoff(aPolicy({ multiplier: 1 }), Number.POSITIVE_INFINITY, most)).toBe(1_000);
  });

  test("falls back to 1 s, doubling, at most 60 s, where a policy makes no sense", () => {
    const broken = aPolicy({ initialMs: -5, maxMs: Number.NaN, multiplier: Number.NaN });
    expect([1, 2, 3, 20].map((retry) => backoff(broken, retry, most))).toEqual([1_000, 2_000, 4_000, 60_000]);
    expect(backoff(aPolicy(), Number.NaN, most)).toBe(1_000);
    expect(backoff(aPolicy({ jitter: "full" }), 1, () => Number.NaN)).toBe(1_000);
  });

  test("is never a hot loop, not even for a policy of no delay or the luckiest jitter", () => {
    expect(backoff(aPolicy({ initialMs: 0 }), 1, most)).toBe(10);
    expect(backoff(aPolicy({ initialMs: 0 }), 3, most)).toBe(40);
    expect(backoff(aPolicy({ jitter: "full" }), 1, () => 0)).toBe(10);
    expect(backoff(aPolicy({ initialMs: 0, maxMs: 0 }), 1, most)).toBe(1);
  });

  test("is a whole number of milliseconds from 1 to 30 days for any policy, retry and chance", () => {
    fc.assert(
      fc.property(anyPolicy, anyNumber, anyNumber, (policy, retry, chance) => {
        const delayMs = backoff(policy, retry, () => chance);
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(1);
        expect(delayMs).toBeLessThanOrEqual(delayMsMax);
        if (policy.maxMs >= 1) expect(delayMs).toBeLessThanOrEqual(policy.maxMs);
      }),
      { numRuns: 2_000 },
    );
  });

  test("never gets shorter from retry to retry without jitter, and never longer with it than without", () => {
    const retries = fc.integer({ min: 1, max: 200 });
    const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(sanePolicy, retries, chances, (policy, retry, chance) => {
        const plain = { ...policy, jitter: "none" } as const;
        const delayMs = backoff(plain, retry, most);
        expect(backoff(plain, retry + 1, most)).toBeGreaterThanOrEqual(delayMs);
        expect(backoff({ ...policy, jitter: "full" }, retry, () => chance)).toBeLessThanOrEqual(delayMs);
      }),
    );
  });
});
