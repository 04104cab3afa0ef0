import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DependencyFacts,
  isDue,
  opening,
  probeDelayMs,
  rampLimit,
  type StageFacts,
} from "./eligible.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const later = (ms: number) => new Date(now.getTime() + ms);
const longAgo = later(-86_400_000);

const aDependency = (given: Partial<DependencyFacts> = {}): DependencyFacts => ({
  name: "llm",
  open: false,
  since: longAgo,
  changedAt: longAgo,
  probeAt: longAgo,
  ...given,
});
const aStage = (...dependencies: DependencyFacts[]): StageFacts => ({ paused: null, dependencies });
const someDependency: fc.Arbitrary<DependencyFacts> = fc.record({
  name: fc.constantFrom("llm", "smtp", "ocr"),
  open: fc.boolean(),
  since: fc.constant(longAgo),
  changedAt: fc.integer({ min: -20_000, max: 1_000 }).map(later),
  probeAt: fc.integer({ min: -5_000, max: 5_000 }).map(later),
});

describe("whether a stage may be worked on", () => {
  const down = aDependency({ open: true, probeAt: later(5_000) });
  const toBeProbed = aDependency({ open: true, probeAt: now });
  const justBack = aDependency({ changedAt: later(-1_200) });

  test.each([
    ["no dependency", [], { kind: "open", limit: null, probe: null }],
    ["one that has been well for long", [aDependency()], { kind: "open", limit: null, probe: null }],
    ["one that is down", [down], { kind: "shut", because: "dependency", name: "llm", until: later(5_000) }],
    ["one that may be tried again", [toBeProbed], { kind: "open", limit: 1, probe: "llm" }],
    ["one that has just come back", [justBack], { kind: "open", limit: 4, probe: null }],
    [
      "one that may be tried and another that has just come back",
      [toBeProbed, aDependency({ name: "ocr", changedAt: later(-1_200) })],
      { kind: "open", limit: 1, probe: "llm" },
    ],
    [
      "one that may be tried and another that is down",
      [aDependency({ ...toBeProbed, name: "ocr" }), down],
      { kind: "shut", because: "dependency", name: "llm", until: later(5_000) },
    ],
  ])("with %s", (_, dependencies, expected) => {
    expect(opening(aStage(...dependencies), now)).toEqual(expected);
  });

  test("a paused stage is shut, whatever its dependencies", () => {
    fc.assert(
      fc.property(fc.array(someDependency), (dependencies) => {
        const paused = { at: longAgo, by: "ann", reason: "a bad model" };
        expect(opening({ paused, dependencies }, now)).toEqual({
          kind: "shut",
          because: "paused",
          name: "ann",
          until: null,
        });
      }),
    );
  });

  test("a dependency that closed long ago imposes nothing", () => {
    fc.assert(
      fc.property(fc.array(someDependency), fc.nat(1_000_000), (dependencies, ms) => {
        const old = aDependency({ name: "old", changedAt: later(-5_000 - ms) });
        expect(opening(aStage(...dependencies, old), now)).toEqual(opening(aStage(...dependencies), now));
      }),
    );
  });

  test("the most careful of several dependencies decides", () => {
    fc.assert(
      fc.property(fc.array(someDependency, { minLength: 1 }), (dependencies) => {
        const together = opening(aStage(...dependencies), now);
        const alone = dependencies.map((one) => opening(aStage(one), now));
        expect(together.kind === "shut").toBe(alone.some((one) => one.kind === "shut"));
        if (together.kind === "shut") return;
        const limits = alone.flatMap((one) => (one.kind === "open" && one.limit !== null ? [one.limit] : []));
        expect(together.limit).toBe(limits.length === 0 ? null : Math.min(...limits));
      }),
    );
  });

  test("whoever tries a dependency does it with one task", () => {
    fc.assert(
      fc.property(fc.array(someDependency), (dependencies) => {
        const found = opening(aStage(...dependencies), now);
        if (found.kind === "open" && found.probe !== null) expect(found.limit).toBe(1);
      }),
    );
  });
});

describe("the ramp after an outage", () => {
  test.each([
    [-60_000, 1],
    [0, 1],
    [499, 1],
    [500, 2],
    [1_000, 4],
    [2_500, 32],
    [4_999, 512],
    [5_000, null],
    [86_400_000, null],
  ])("%s ms after it allows %s", (ms, limit) => {
    expect(rampLimit(now, later(ms))).toBe(limit);
  });

  test("only grows", () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 10_000 }), fc.nat(10_000), (ms, further) => {
        const [before, after] = [rampLimit(now, later(ms)), rampLimit(now, later(ms + further))];
        expect(after ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(before ?? Number.POSITIVE_INFINITY);
        expect(before ?? 1).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

test.each([
  [-1, false, true],
  [0, false, true],
  [1, false, false],
  [-1, true, false],
])("a task that is ready in %s ms and claimed: %s is due: %s", (ms, claimed, due) => {
  expect(isDue({ readyAt: later(ms), claimed }, now)).toBe(due);
});

test("a dependency is tried after 1, 2, 4 … and at most 15 seconds", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 1_000_000].map(probeDelayMs);
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000]);
});
