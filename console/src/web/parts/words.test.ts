import fc from "fast-check";
import { expect, it } from "vitest";
import { compareWords } from "./words.ts";

it("tells common, lost and new words", () => {
  expect(compareWords("the tide is high", "the tide was high")).toEqual([
    { kind: "same", text: "the tide " },
    { kind: "gone", text: "is" },
    { kind: "new", text: "was" },
    { kind: "same", text: " high" },
  ]);
});

it("both texts can be read from the runs", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const runs = compareWords(before, after);
      const without = (kind: string) =>
        runs
          .filter((run) => run.kind !== kind)
          .map(({ text }) => text)
          .join("");
      expect([without("new"), without("gone")]).toEqual([before, after]);
    }),
  );
});
