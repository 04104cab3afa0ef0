import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DefinitionError } from "./definition-error.ts";
import { type Duration, durationMs, showDuration } from "./duration.ts";

describe("a duration", () => {
  test.each<[Duration, number]>([
    ["250ms", 250],
    ["30s", 30_000],
    ["10m", 600_000],
    ["1h", 3_600_000],
    ["7d", 604_800_000],
    ["0s", 0],
    ["1.5h", 5_400_000],
    ["0.0004s", 0],
  ])("%s is %s ms", (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  test.each(["", "s", "10", "10 s", "-5s", "1e3s", ".5s", "5.s", "10sec", "1h30m", "Infinityms", "10S"])(
    "%j is none, and the sentence says how to write one",
    (duration) => {
      const read = () => durationMs(duration as Duration);
      expect(read).toThrow(DefinitionError);
      expect(read).toThrow(
        `"${duration}" is not a duration; write a number and a unit, such as "30s" or "10m".`,
      );
    },
  );

  test("says what it is worth: shown and read again it is the same", () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(), fc.maxSafeNat()), (ms) => {
        expect(durationMs(showDuration(ms))).toBe(ms);
      }),
    );
  });

  test.each([
    [0, "0ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [90_000, "90s"],
    [120_000, "2m"],
    [5_400_000, "90m"],
    [86_400_000, "1d"],
    [86_401_000, "86401s"],
  ])("%s ms is shown as %s, the shortest way that is exact", (ms, shown) => {
    expect(showDuration(ms)).toBe(shown);
  });
});
