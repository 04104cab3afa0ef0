import { expect, it } from "vitest";
import { runWithin, TimeOver } from "./time-limit.ts";

it("work gives what it gives, or throws what it throws", () => {
  expect(runWithin(60_000, () => [1, 2])).toEqual([1, 2]);
  const thrown = new RangeError("odd");
  expect(() =>
    runWithin(60_000, () => {
      throw thrown;
    }),
  ).toThrow(thrown);
});

it("a pattern that would take hours is ended when its time is over", () => {
  const endless = /^(a+)+$/;
  expect(() => runWithin(50, () => endless.test(`${"a".repeat(60)}b`))).toThrow(TimeOver);
});
