import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryPolicies } from "../define/retry.ts";
import type { Fault } from "./fault.ts";
import type { Tried, Unfinished } from "./settle.ts";
import {
  type Blame,
  chargedFor,
  type FailedUnit,
  isOwnFailure,
  leaveClaim,
  settleUnit,
  sparedFault,
} from "./settle-unit.ts";

const now = new Date("2030-01-01T00:00:00Z");
const untried: Tried = { attempts: 0, waits: 0, firstAttemptAt: null };
const policies = retryPolicies({});
const aFault = (more: Partial<Fault> = {}): Fault => ({
  kind: "transient",
  code: "http.503",
  message: "no",
  fingerprint: "f",
  ...more,
});
const aUnit = (more: Partial<FailedUnit> = {}): FailedUnit => ({
  fault: aFault(),
  tried: [untried],
  blame: "document",
  mayRest: true,
  again: false,
  stopping: false,
  ...more,
});
const fateOf = (unit: FailedUnit) => settleUnit(unit, policies, now, () => 0.5);

const someUnit: fc.Arbitrary<FailedUnit> = fc.record({
  fault: fc
    .record({
      kind: fc.constantFrom<Fault["kind"]>(
        "transient",
        "unknown",
        "permanent",
        "rate-limited",
        "not-found-yet",
      ),
      outage: fc.boolean(),
      dependency: fc.constantFrom("llm", undefined),
    })
    .map(({ kind, outage, dependency }) =>
      aFault({ kind, ...(outage && { outage }), ...(dependency && { dependency }) }),
    ),
  tried: fc.array(fc.record({ attempts: fc.nat(12), waits: fc.nat(12), firstAttemptAt: fc.constant(null) }), {
    minLength: 1,
    maxLength: 6,
  }),
  blame: fc.constantFrom<Blame>("document", "unsure", "down"),
  mayRest: fc.boolean(),
  again: fc.boolean(),
  stopping: fc.boolean(),
});

describe("a failed unit", () => {
  test("has exactly one fate: a verdict for each task, or another attempt that its state allows", () => {
    fc.assert(
      fc.property(someUnit, (unit) => {
        const fate = fateOf(unit);
        switch (fate.kind) {
          case "halve":
            expect(unit.tried.length).toBeGreaterThan(1);
            expect(unit.blame).not.toBe("down");
            break;
          case "look-again":
            // Once, and only where an outage may be the cause of a death.
            expect([unit.mayRest, unit.again, unit.blame]).toEqual([true, false, "unsure"]);
            break;
          case "retry-in-place":
            expect([unit.tried.length, unit.mayRest, unit.stopping]).toEqual([1, true, false]);
            expect(fate.verdict.inPlace).toBe(true);
            break;
          case "settled":
            expect(fate.verdicts).toHaveLength(unit.tried.length);
            if (unit.blame === "down" && unit.fault.dependency !== undefined)
              expect(fate.verdicts.every((one) => one.kind === "held")).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("of several tasks is halved until one is alone, unless the whole batch is meant", () => {
    const batch = [untried, untried];
    expect(fateOf(aUnit({ tried: batch })).kind).toBe("halve");
    expect(fateOf(aUnit({ tried: batch, fault: aFault({ kind: "rate-limited" }) })).kind).toBe("settled");
    expect(fateOf(aUnit({ tried: batch, fault: aFault({ outage: true }) })).kind).toBe("settled");
    expect(fateOf(aUnit({ tried: batch, blame: "down" })).kind).toBe("settled");
  });

  test("does not die of an outage that nobody has seen yet", () => {
    const last = { attempts: 99, waits: 0, firstAttemptAt: null };
    expect(fateOf(aUnit({ tried: [last], blame: "unsure" })).kind).toBe("look-again");
    expect(fateOf(aUnit({ tried: [last], blame: "unsure", again: true }))).toMatchObject({
      kind: "settled",
      verdicts: [{ kind: "dead", reason: "exhausted" }],
    });
  });

  test("waits under its claim for the first retry only, and leaves the claim when the worker stops", () => {
    const fate = fateOf(aUnit());
    if (fate.kind !== "retry-in-place") throw new Error(fate.kind);
    expect(leaveClaim(fate.verdict)).toEqual({ ...fate.verdict, inPlace: false });
    expect(fateOf(aUnit({ stopping: true })).kind).toBe("settled");
    expect(fateOf(aUnit({ mayRest: false })).kind).toBe("settled");
    const second = { attempts: 1, waits: 0, firstAttemptAt: now };
    expect(fateOf(aUnit({ tried: [second] })).kind).toBe("settled");
  });
});

describe("the charge for a failure", () => {
  const fault = aFault({ dependency: "llm" });
  const needs = [{ name: "llm" }];
  const [retry, held] = ["document", "down"].map((blame) => {
    const fate = fateOf(aUnit({ fault, blame: blame as Blame, mayRest: false }));
    if (fate.kind !== "settled") throw new Error(fate.kind);
    return fate.verdicts[0] as Unfinished;
  }) as [Unfinished, Unfinished];

  test("goes to the dependency only if the stage needs it and the document pays", () => {
    expect(chargedFor(needs, retry)).toBe("llm");
    expect(chargedFor([{ name: "mail" }], retry)).toBeNull();
    expect(chargedFor(needs, held)).toBeNull();
    expect([isOwnFailure(retry), isOwnFailure(held)]).toEqual([true, false]);
  });

  test("is taken back if the dependency was down all along", () => {
    const down = { name: "llm", open: true, changedAt: new Date(1_000) };
    const charged = { verdict: retry, failingSince: new Date(2_000) };
    expect(sparedFault(needs, charged, [down])).toBe(fault);
    expect(sparedFault(needs, charged, [{ ...down, name: "mail" }])).toBeNull();
    expect(sparedFault(needs, { ...charged, verdict: held }, [down])).toBeNull();
  });

  test("is taken back if the dependency came back after the failure began, and only then", () => {
    const charged = { verdict: retry, failingSince: new Date(2_000) };
    const over = (ms: number) => [{ name: "llm", open: false, changedAt: new Date(ms) }];
    expect(sparedFault(needs, charged, over(2_001))).toBe(fault);
    expect(sparedFault(needs, charged, over(2_000))).toBeNull();
  });
});
