import fc from "fast-check";
import { expect, it } from "vitest";
import { changesBetween } from "./changes.ts";

it("tells each changed place with its path, and new and lost places", () => {
  const before = { list: "a", people: ["ann", "bo"], outcome: { level: "rough" } };
  const after = { list: "a", people: ["ann", "cy", "di"], outcome: {}, votes: 2 };
  expect(changesBetween(before, after)).toEqual({
    changes: [
      { path: "people.1", before: "bo", after: "cy" },
      { path: "people.2", before: null, after: "di" },
      { path: "outcome.level", before: "rough", after: null },
      { path: "votes", before: null, after: "2" },
    ],
    more: false,
  });
});

it("a value that becomes another kind of value is one change", () => {
  expect(changesBetween({ a: [1] }, { a: { 0: 1 } }).changes).toEqual([
    { path: "a", before: "[1]", after: '{"0":1}' },
  ]);
});

it("says that changes are left out, and cuts long texts", () => {
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  const found = changesBetween(
    numbers,
    numbers.map((number) => number + 1),
  );
  expect([found.changes.length, found.more]).toEqual([200, true]);
  expect(changesBetween("a".repeat(5_000), "b").changes[0]?.before).toHaveLength(4_001);
});

it("nothing differs exactly when both are equal", () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (a, b) => {
      const [one, other] = [JSON.parse(a), JSON.parse(b)];
      const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect(changesBetween(one, one).changes).toEqual([]);
      if (!same) expect(changesBetween(one, other).changes).not.toEqual([]);
    }),
  );
});

/** Keys in order, so that equal values have equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, sorted(one)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
