import { describe, expect, it } from "vitest";
import { engineFixes, suggestedFix } from "./suggested-fixes.ts";

describe("a suggested fix", () => {
  it("is the most specific one: the code, then its family, then the kind", () => {
    expect(suggestedFix({ code: "http.401", kind: "permanent" })).toBe(engineFixes["http.401"]);
    expect(suggestedFix({ code: "http.500", kind: "transient" })).toBe(engineFixes["http.*"]);
    expect(suggestedFix({ code: "letter.bad", kind: "permanent" })).toContain("Correct the document");
    expect(suggestedFix({ code: "toString", kind: "no kind" })).toBe(engineFixes["unknown.*"]);
  });

  it("of a pipeline comes before the engine's", () => {
    const fixes = { "http.401": "Ask Ann for a new key.", "letter.*": "Write the letter again." };
    expect(suggestedFix({ code: "http.401", kind: "permanent" }, [fixes])).toBe("Ask Ann for a new key.");
    expect(suggestedFix({ code: "letter.bad", kind: "permanent" }, [fixes])).toBe("Write the letter again.");
  });
});
