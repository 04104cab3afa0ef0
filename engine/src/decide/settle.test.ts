import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RetryPolicies, type RetryPolicy, retryDefaults, retryPolicies } from "../define/retry.ts";
import { type Fault, type FaultKind, faultKinds } from "./fault.ts";
import {
  attemptsAllowed,
  type Outcome,
  settle,
  slowTail,
  type Tried,
  usedUp,
  type Verdict,
} from "./settle.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const untried: Tried = { attempts: 0, waits: 0, firstAttemptAt: null };
const waitingKinds: readonly FaultKind[] = ["rate-limited", "not-found-yet"];
const failingKinds: readonly FaultKind[] = ["transient", "unknown"];

const aFault = (kind: FaultKind, more: Partial<Fault> = {}): Fault => ({
  kind,
  code: "test.fault",
  message: "It did not work.",
  fingerprint: "0123456789ab",
  ...more,
});
const failed = (kind: FaultKind, more?: Partial<Fault>): Outcome => ({
  kind: "failed",
  fault: aFault(kind, more),
  dependencyDown: false,
});

const aPolicy: fc.Arbitrary<RetryPolicy> = fc
  .record({
    attemptsMax: fc.integer({ min: 1, max: 8 }),
    initialMs: fc.integer({ min: 0, max: 5_000 }),
    further: fc.integer({ min: 0, max: 600_000 }),
    multiplier: fc.double({ min: 1, max: 4, noNaN: true }),
    jitter: fc.constantFrom("full", "none"),
    ttlMs: fc.option(fc.integer({ min: 1, max: 3_600_000 }), { nil: null }),
  })
  .map(({ further, ...policy }) => ({ ...policy, maxMs: policy.initialMs + further }));
const somePolicies: fc.Arbitrary<RetryPolicies> = fc.record({
  transient: aPolicy,
  "rate-limited": aPolicy,
  "not-found-yet": aPolicy,
  permanent: aPolicy,
  unknown: aPolicy,
});
const patient = (policies: RetryPolicies): RetryPolicies =>
  Object.fromEntries(
    Object.entries(policies).map(([kind, policy]) => [kind, { ...policy, ttlMs: null }]),
  ) as unknown as RetryPolicies;
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const someFault = fc
  .record({
    kind: fc.constantFrom(...faultKinds),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 100 * 3_600_000 }), { nil: undefined }),
    dependency: fc.option(fc.constant("llm"), { nil: undefined }),
  })
  .map(({ kind, ...more }) =>
    aFault(kind, Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))),
  );
const someOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom<Outcome>({ kind: "succeeded" }, { kind: "stopped" }),
  fc.record({ kind: fc.constant("failed"), fault: someFault, dependencyDown: fc.boolean() }),
  fc.record({
    kind: fc.constant("early"),
    reason: fc.string(),
    delayMs: fc.integer({ min: 0, max: 86_400_000 }),
  }),
  fc.record({ kind: fc.constant("database-away"), fault: someFault }),
  fc.record({ kind: fc.constant("lost"), fault: someFault, before: fc.boolean() }),
);
const somethingTried: fc.Arbitrary<Tried> = fc.record({
  attempts: fc.nat(20),
  waits: fc.nat(200),
  firstAttemptAt: fc.option(
    fc.nat(10 * 86_400_000).map((ms) => new Date(now.getTime() - ms)),
    { nil: null },
  ),
});

/** Fails with one kind after the other, again and again, until the task is dead; a bug could make that for ever. */
function triesUntilDead(policies: RetryPolicies, kinds: readonly FaultKind[], random: () => number) {
  let tried = untried;
  let at = now;
  for (let tries = 1; tries <= 1_000; tries++) {
    const kind = kinds[(tries - 1) % kinds.length] as FaultKind;
    const verdict = settle(tried, failed(kind), policies, at, random);
    if (verdict.kind === "dead") return { tries, verdict };
    if (verdict.kind !== "retry") throw new Error(`a failure led to ${verdict.kind}`);
    tried = {
      attempts: verdict.attempts,
      waits: verdict.waits,
      firstAttemptAt: tried.firstAttemptAt ?? at,
    };
    at = verdict.at;
  }
  throw new Error("it was tried a thousand times");
}

describe("every attempt ends in one verdict", () => {
  test.each<[string, Outcome, Verdict["kind"]]>([
    ["succeeded", { kind: "succeeded" }, "done"],
    ["stopped", { kind: "stopped" }, "released"],
    ["early", { kind: "early", reason: "quiet", delayMs: 30_000 }, "waiting"],
    ["lost", { kind: "lost", fault: aFault("unknown"), before: false }, "retry"],
    ["failed for good", failed("permanent"), "dead"],
    ["failed in passing", failed("transient"), "retry"],
    ["failed by a limit", failed("rate-limited"), "retry"],
    ["failed for want of another document", failed("not-found-yet"), "retry"],
    ["failed as nothing before", failed("unknown"), "retry"],
  ])("an attempt that %s", (_, outcome, kind) => {
    expect(settle(untried, outcome, retryDefaults, now, () => 0.5).kind).toBe(kind);
  });

  test("whatever the outcome, the policies, the past and chance", () => {
    const may: Record<Outcome["kind"], readonly Verdict["kind"][]> = {
      succeeded: ["done"],
      stopped: ["released"],
      early: ["waiting"],
      exhausted: ["dead"],
      "database-away": ["retry", "dead"],
      lost: ["retry", "dead"],
      failed: ["held", "retry", "dead"],
    };
    fc.assert(
      fc.property(somethingTried, someOutcome, somePolicies, chance, (tried, outcome, policies, random) => {
        const verdict = settle(tried, outcome, policies, now, () => random);
        expect(may[outcome.kind]).toContain(verdict.kind);
        if ("at" in verdict) expect(verdict.at.getTime()).toBeGreaterThanOrEqual(now.getTime());
      }),
      { numRuns: 500 },
    );
  });
});

describe("tries are bounded", () => {
  test("a permanent fault is never tried again, whatever the policies say", () => {
    fc.assert(
      fc.property(somethingTried, somePolicies, chance, (tried, policies, random) => {
        const verdict = settle(tried, failed("permanent"), policies, now, () => random);
        expect(verdict).toMatchObject({ kind: "dead", reason: "permanent", attempts: tried.attempts + 1 });
      }),
    );
  });

  test("a fault of one kind is tried exactly as often as allowed, the first included", () => {
    const kinds = fc.constantFrom(...failingKinds, ...waitingKinds);
    fc.assert(
      fc.property(somePolicies, kinds, chance, (policies, kind, random) => {
        const { tries, verdict } = triesUntilDead(patient(policies), [kind], () => random);
        expect(tries).toBe(attemptsAllowed(policies, kind));
        expect(verdict.reason).toBe("exhausted");
      }),
    );
  });

  test("a mix of kinds dies within the sum of the most patient failure and the most patient wait", () => {
    const mixes = fc.array(fc.constantFrom(...failingKinds, ...waitingKinds), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(somePolicies, mixes, chance, (policies, kinds, random) => {
        const { tries, verdict } = triesUntilDead(policies, kinds, () => random);
        const most = (some: readonly FaultKind[]) =>
          Math.max(...some.map((kind) => attemptsAllowed(policies, kind)));
        expect(verdict.attempts).toBeLessThanOrEqual(most(failingKinds));
        expect(verdict.waits).toBeLessThanOrEqual(most(waitingKinds));
        expect(verdict.attempts + verdict.waits).toBe(tries);
      }),
    );
  });

  test("what may have killed its workers comes back after 5, 10, 20, 40 and 60 minutes, then it is dead", () => {
    const minutes: number[] = [];
    let tried: Tried = { ...untried, waits: 3 };
    for (let before = false; ; before = true) {
      const lost = { kind: "lost", fault: aFault("unknown"), before } as const;
      const verdict = settle(tried, lost, retryDefaults, now, () => 0.5);
      if (verdict.kind !== "retry") {
        // The last death is one of its crashes already.
        expect(verdict).toMatchObject({ kind: "dead", reason: "worker-lost", attempts: 5, waits: 3 });
        break;
      }
      expect(verdict).toMatchObject({ suspect: true, inPlace: false });
      minutes.push((verdict.at.getTime() - now.getTime()) / 60_000);
      tried = { ...tried, attempts: verdict.attempts };
    }
    expect(minutes).toEqual([5, 10, 20, 40, 60]);
  });

  test("attempts that failed for other reasons do not cost it the slow tail", () => {
    const lost = { kind: "lost", fault: aFault("unknown"), before: false } as const;
    expect(settle({ ...untried, attempts: 4 }, lost, retryDefaults, now, () => 0.5)).toMatchObject({
      kind: "retry",
      attempts: 5,
    });
  });
});

describe("what is nobody's fault costs nothing", () => {
  test("waiting for others uses up no attempts, and failing no waits", () => {
    fc.assert(
      fc.property(somethingTried, fc.constantFrom(...faultKinds), somePolicies, (tried, kind, policies) => {
        const verdict = settle(tried, failed(kind), policies, now, () => 0.5);
        if (verdict.kind !== "retry" && verdict.kind !== "dead") throw new Error(verdict.kind);
        const waits = waitingKinds.includes(kind);
        expect(verdict.attempts).toBe(tried.attempts + (waits ? 0 : 1));
        expect(verdict.waits).toBe(tried.waits + (waits ? 1 : 0));
      }),
    );
  });

  test("what was used up of a policy is the waits for those who wait, the attempts for all others", () => {
    const used = faultKinds.map((kind) => [kind, usedUp({ attempts: 8, waits: 1 }, kind)]);
    expect(Object.fromEntries(used)).toEqual({
      transient: 8,
      unknown: 8,
      permanent: 8,
      "rate-limited": 1,
      "not-found-yet": 1,
    });
  });

  test("a task whose dependency is down is held however often it was tried, and counts nothing", () => {
    fc.assert(
      fc.property(somethingTried, fc.constantFrom(...faultKinds), somePolicies, (tried, kind, policies) => {
        const fault = aFault(kind, { dependency: "llm" });
        const verdict = settle(
          tried,
          { kind: "failed", fault, dependencyDown: true },
          policies,
          now,
          () => 0,
        );
        expect(verdict).toEqual({ kind: "held", dependency: "llm", fault });
      }),
    );
  });

  test("an outage of nobody knows what is a failure like any other", () => {
    const outcome: Outcome = { kind: "failed", fault: aFault("transient"), dependencyDown: true };
    expect(settle(untried, outcome, retryDefaults, now, () => 0).kind).toBe("retry");
  });

  test("an outage of the engine's own database is a wait, whatever the fault", () => {
    fc.assert(
      fc.property(somethingTried, someFault, somePolicies, (tried, fault, policies) => {
        const away: Outcome = { kind: "database-away", fault };
        const verdict = settle(tried, away, policies, now, () => 0.5);
        if (verdict.kind !== "retry" && verdict.kind !== "dead") throw new Error(verdict.kind);
        expect([verdict.attempts, verdict.waits]).toEqual([tried.attempts, tried.waits + 1]);
      }),
    );
  });

  test("stopping carries no counts at all", () => {
    expect(settle(untried, { kind: "stopped" }, retryDefaults, now, () => 0)).toEqual({ kind: "released" });
  });
});

describe("the time of the next try", () => {
  const delayOf = (verdict: Verdict) => {
    if (verdict.kind !== "retry") throw new Error(verdict.kind);
    return verdict.at.getTime() - now.getTime();
  };
  const settled = (kind: FaultKind, attempts: number, retryAfterMs?: number) =>
    settle(
      { attempts, waits: attempts, firstAttemptAt: now },
      failed(kind, retryAfterMs === undefined ? {} : { retryAfterMs }),
      retryDefaults,
      now,
      () => 0.5,
    );

  test.each<[FaultKind, readonly number[]]>([
    ["transient", [1_000, 2_000, 4_000, 8_000, 300_000, 600_000, 1_200_000, 2_400_000, 3_600_000]],
    ["unknown", [300_000, 600_000, 1_200_000, 2_400_000, 3_600_000]],
    ["not-found-yet", [125, 250, 500, 1_000, 2_000, 4_000, 8_000]],
  ])("grows by the policy: %s", (kind, delays) => {
    expect(delays.map((_, tries) => delayOf(settled(kind, tries)))).toEqual(delays);
    expect(settled(kind, delays.length).kind).toBe("dead");
  });

  test.each<[FaultKind, number, number]>([
    ["rate-limited", 30_000, 30_000],
    ["rate-limited", 10, 500],
    ["transient", 7_000, 7_000],
    ["transient", 3, 1_000],
    ["transient", 400 * 3_600_000, 24 * 3_600_000],
  ])("is what the other side asked for if that is longer, up to a day: %s %s", (kind, asked, delay) => {
    expect(delayOf(settled(kind, 0, asked))).toBe(delay);
  });

  test("is not before the answer of the other side, and never more than a day for its sake", () => {
    const day = 24 * 3_600_000;
    fc.assert(
      fc.property(fc.nat(40 * day), patientPolicies, chance, (retryAfterMs, policies, random) => {
        const outcome = failed("rate-limited", { retryAfterMs });
        const delayMs = delayOf(settle(untried, outcome, policies, now, () => random));
        expect(delayMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, day));
        expect(delayMs).toBeLessThanOrEqual(Math.max(policies["rate-limited"].maxMs, day, 10));
      }),
    );
  });

  test("never lies beyond the time to live, counted from the first attempt", () => {
    fc.assert(
      fc.property(somethingTried, someFault, somePolicies, chance, (tried, fault, policies, random) => {
        const outcome: Outcome = { kind: "failed", fault, dependencyDown: false };
        const verdict = settle(tried, outcome, policies, now, () => random);
        if (verdict.kind !== "retry") return;
        const { ttlMs } = policies[fault.kind];
        const first = tried.firstAttemptAt ?? now;
        expect(verdict.at.getTime() - first.getTime()).toBeLessThanOrEqual(ttlMs ?? Number.POSITIVE_INFINITY);
      }),
      { numRuns: 300 },
    );
  });

  test("a task whose next try would come after its time to live is expired", () => {
    const firstAttemptAt = new Date(now.getTime() - 30 * 60_000 + 200);
    const tried = { attempts: 0, waits: 3, firstAttemptAt };
    expect(settle(tried, failed("not-found-yet"), retryDefaults, now, () => 0.9)).toMatchObject({
      kind: "dead",
      reason: "expired",
      waits: 4,
    });
    expect(settle(tried, failed("not-found-yet"), retryDefaults, now, () => 0.05).kind).toBe("retry");
  });
});

/** At least two tries, no time to live: the first failure always leads to a retry. */
const patientPolicies = somePolicies.map((policies) => {
  const longer = Object.entries(patient(policies)).map(
    ([kind, policy]) => [kind, { ...policy, attemptsMax: policy.attemptsMax + 1 }] as const,
  );
  return Object.fromEntries(longer) as unknown as RetryPolicies;
});

describe("a retry in place", () => {
  test("happens for the first failure only, if it is transient and at most a second away", () => {
    fc.assert(
      fc.property(somethingTried, someFault, somePolicies, chance, (tried, fault, policies, random) => {
        const outcome: Outcome = { kind: "failed", fault, dependencyDown: false };
        const verdict = settle(tried, outcome, policies, now, () => random);
        if (verdict.kind !== "retry") return;
        const near = verdict.at.getTime() - now.getTime() <= 1_000;
        expect(verdict.inPlace).toBe(fault.kind === "transient" && tried.attempts === 0 && near);
      }),
      { numRuns: 300 },
    );
  });

  test("is the default for the first failure, and not when the other side asks for longer", () => {
    const verdict = (outcome: Outcome) => settle(untried, outcome, retryDefaults, now, () => 0.5);
    expect(verdict(failed("transient"))).toMatchObject({ inPlace: true });
    expect(verdict(failed("transient", { retryAfterMs: 1_001 }))).toMatchObject({ inPlace: false });
    expect(verdict(failed("unknown"))).toMatchObject({ inPlace: false });
  });
});

describe("a transient fault that lasts", () => {
  const delays = (policies: RetryPolicies): number[] => {
    const seconds: number[] = [];
    let attempts = 0;
    for (;;) {
      const verdict = settle({ ...untried, attempts }, failed("transient"), policies, now, () => 0.5);
      if (verdict.kind !== "retry") return seconds;
      seconds.push((verdict.at.getTime() - now.getTime()) / 1_000);
      attempts = verdict.attempts;
    }
  };

  test("gets quick attempts, and then the slow tail of 5, 10, 20, 40 and 60 minutes", () => {
    expect(delays(retryDefaults)).toEqual([1, 2, 4, 8, 300, 600, 1_200, 2_400, 3_600]);
  });

  test("has the limit of its collection on the tail, too", () => {
    expect(delays(retryPolicies({ attempts: 3 }))).toEqual([1, 2, 300, 600]);
    expect(delays(retryPolicies({ attempts: 1 }))).toEqual([]);
    expect(delays(retryPolicies({ transient: { attempts: 2 }, unknown: { attempts: 1 } }))).toEqual([1]);
  });

  test("is on the tail as far as the tail goes", () => {
    const at = (kind: FaultKind, attempts: number) => slowTail(retryDefaults, kind, attempts);
    expect([at("transient", 4), at("transient", 5), at("transient", 9), at("transient", 10)]).toEqual([
      null,
      { retry: 1, retries: 5 },
      { retry: 5, retries: 5 },
      null,
    ]);
    expect([at("unknown", 1), at("permanent", 1), at("rate-limited", 5)]).toEqual([
      { retry: 1, retries: 5 },
      null,
      null,
    ]);
  });
});
