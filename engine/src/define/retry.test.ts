import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoff } from "../decide/backoff.ts";
import { DefinitionError } from "./definition-error.ts";
import {
  policyProblem,
  type RetryKind,
  type RetryPolicy,
  type RetrySpec,
  retryDefaults,
  retryKinds,
  retryPolicies,
} from "./retry.ts";

const attemptsOf = (spec: RetrySpec) => {
  const policies = retryPolicies(spec);
  return Object.fromEntries(retryKinds.map((kind) => [kind, policies[kind].attemptsMax]));
};

describe("what an author says about retrying", () => {
  test("may be nothing", () => {
    expect(retryPolicies()).toEqual(retryDefaults);
    expect(retryPolicies({})).toEqual(retryDefaults);
  });

  test("in one number holds for failures, not for waiting and not for what is permanent", () => {
    expect(attemptsOf({ attempts: 3 })).toEqual({
      transient: 3,
      unknown: 3,
      "rate-limited": 100,
      "not-found-yet": 8,
      permanent: 1,
    });
  });

  test("about one kind goes before what is said about all", () => {
    const spec: RetrySpec = { attempts: 3, unknown: { attempts: 2 }, "rate-limited": { attempts: 9 } };
    expect(attemptsOf(spec)).toMatchObject({ transient: 3, unknown: 2, "rate-limited": 9 });
  });

  test("leaves the rest of a policy as it was", () => {
    const { transient } = retryPolicies({ transient: { initial: "5s", max: "1h", ttl: "2d" } });
    expect(transient).toEqual({
      ...retryDefaults.transient,
      initialMs: 5_000,
      maxMs: 3_600_000,
      ttlMs: 2 * 86_400_000,
    });
  });

  test("can take a time to live away", () => {
    expect(retryPolicies({ "not-found-yet": { ttl: null } })["not-found-yet"].ttlMs).toBeNull();
  });

  test.each<[RetrySpec, string]>([
    [{ attempts: 0 }, "transient faults is impossible: attempts must be 1 to 1000."],
    [{ attempts: Number.NaN }, "transient faults is impossible: attempts must be 1 to 1000."],
    [{ unknown: { attempts: 1.5 } }, "unknown faults is impossible: attempts must be 1 to 1000."],
    [{ transient: { attempts: 1_001 } }, "transient faults is impossible: attempts must be 1 to 1000."],
    [{ transient: { initial: "8d" } }, "transient faults is impossible: the initial delay must be 0 to 7d."],
    [
      { transient: { initial: "10s", max: "5s" } },
      "transient faults is impossible: the longest delay must be at least the initial one and at most 30d.",
    ],
    [
      { transient: { max: "31d" } },
      "transient faults is impossible: the longest delay must be at least the initial one and at most 30d.",
    ],
    [{ unknown: { multiplier: 0.5 } }, "unknown faults is impossible: the multiplier must be 1 to 100."],
    [
      { unknown: { jitter: "some" as "full" } },
      'unknown faults is impossible: jitter must be "full" or "none".',
    ],
    [
      { "rate-limited": { ttl: "0s" } },
      "rate-limited faults is impossible: the time to live must be longer than 0.",
    ],
  ])("is refused when it cannot be meant: %o", (spec, sentence) => {
    const declare = () => retryPolicies(spec);
    expect(declare).toThrow(DefinitionError);
    expect(declare).toThrow(`The retry policy for ${sentence}`);
  });
});

describe("the policies without a word from anybody", () => {
  test("are possible", () => {
    expect(retryKinds.map((kind) => policyProblem(retryDefaults[kind]))).toEqual(retryKinds.map(() => null));
  });

  test.each<[RetryKind, readonly number[]]>([
    ["transient", [1, 2, 4, 8]],
    ["unknown", [300, 600, 1_200, 2_400, 3_600]],
    ["not-found-yet", [0.25, 0.5, 1, 2, 4, 8, 16]],
  ])("wait for %s at most %s seconds", (kind, seconds) => {
    const policy = retryDefaults[kind];
    const delays = seconds.map((_, index) => backoff(policy, index + 1, () => 1) / 1_000);
    expect(delays).toEqual(seconds);
    expect(policy.attemptsMax).toBe(seconds.length + 1);
  });
});

test("a policy without a problem never leads to a delay that is no time at all", () => {
  const anyPolicy: fc.Arbitrary<RetryPolicy> = fc.record({
    attemptsMax: fc.integer(),
    initialMs: fc.double(),
    maxMs: fc.double(),
    multiplier: fc.double(),
    jitter: fc.constantFrom("full", "none"),
    ttlMs: fc.option(fc.double(), { nil: null }),
  });
  fc.assert(
    fc.property(anyPolicy, fc.integer({ min: 1, max: 1_000 }), (policy, retry) => {
      if (policyProblem(policy) !== null) return;
      const delayMs = backoff(policy, retry, () => 0.5);
      expect(delayMs).toBeGreaterThan(0);
      expect(delayMs).toBeLessThanOrEqual(Math.max(10, policy.maxMs));
    }),
  );
});
