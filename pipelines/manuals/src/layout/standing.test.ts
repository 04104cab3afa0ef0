import { describe, expect, it } from "vitest";
import type { PageFacts } from "../pdf/page-facts.ts";
import { judgeText } from "./standing.ts";
import { makeWords } from "./words.ts";

/** A page of plain words, some of them in a font that does not say what its characters mean. */
function judged(plain: string, unmapped: string) {
  const text = `${plain} ${unmapped}`;
  const found = [...text].map((one, index) => ({
    ...{ kind: "glyph" as const, text: one, bold: false, angle: 0, object: 1 },
    box: [
      10 + (index % 80) * 6,
      20 + Math.floor(index / 80) * 14,
      15.5 + (index % 80) * 6,
      30 + Math.floor(index / 80) * 14,
    ] as const,
  }));
  const facts: PageFacts = {
    ...{ width: 600, height: 800, rotation: 0, links: [] },
    characters: { found, unmapped: unmapped.replaceAll(" ", ""), cut: false },
    drawn: { rules: [], pictures: [], cut: false },
  };
  return judgeText(facts, makeWords(found, facts));
}

const plain = "The pump is started when the valve at the inlet is open and the pressure is high enough.";
const listing = "set ngbehavior=ps .param <ident> = expr; ERROR - File not found: <filename>";
const shifted = [...listing]
  .map((one) => one.replace(/[a-z]/i, (letter) => String.fromCharCode(letter.charCodeAt(0) + 3)))
  .join("");

describe("characters without a meaning in their font", () => {
  it("are believed when their codes spell a language", () => {
    expect(judged(plain, listing)).toBe("good");
  });

  it("make a page garbled when they spell a shifted alphabet, or control characters", () => {
    expect(judged(plain, shifted)).toBe("garbled");
    expect(judged(plain, "\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0001\u0002\u0003")).toBe("garbled");
  });
});
