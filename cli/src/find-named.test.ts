import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namingWords, shellWord } from "./find-named.ts";
import { oneLine } from "./terminal.ts";

describe("a name on the command line", () => {
  it("reaches the command as it is, whatever stands in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
        fc.pre(oneLine(name) === name);
        expect(execFileSync("bash", ["-c", `printf %s ${shellWord(name)}`], { encoding: "utf8" })).toBe(name);
      }),
      { numRuns: 40 },
    );
  });

  it("says where it is, and is not taken for an option", () => {
    expect(namingWords({ collection: "orders", stage: null, id: "a b" })).toBe("'a b' --collection orders");
    expect(namingWords({ collection: null, stage: "packing", id: "ann" })).toBe("ann --stage packing");
    expect(namingWords({ collection: "orders", stage: null, id: "--json" })).toBe(
      "--collection orders -- --json",
    );
  });
});
