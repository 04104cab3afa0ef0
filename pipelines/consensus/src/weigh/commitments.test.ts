import { describe, expect, it } from "vitest";
import type { Post } from "./findings.ts";
import { weigh } from "./weigh.ts";

const aPost = (id: string, parent: string | null, name: string, clean: string): Post => ({
  id,
  parent,
  from: { name, address: `${name.toLowerCase()}@example.org` },
  date: null,
  subject: parent === null ? "The draft" : "Re: The draft",
  clean,
});

const promised = (words: string): readonly string[] =>
  weigh([
    aPost("1", null, "Ada", "Section 4 names the wrong port."),
    aPost("2", "1", "Bo", words),
  ]).commitments.map(({ by, quote }) => `${by.name}: ${quote}`);

describe("what will change", () => {
  it.each([
    "Fixed in the editor's copy.",
    "Good catch, will add in -05.",
    "I'll fix it in v3.",
    "Will do.",
    "Done, see the branch.",
    "I have just pushed a new version.",
    "Addressed in PR #123.",
  ])("is said by: %s", (words) => {
    const [first] = promised(words);
    expect(first).toMatch(/^Bo: /);
    expect(words).toContain(first?.slice(4));
  });

  it.each([
    "Will you add it?",
    "If you like it, I'll add it.",
    "I won't change the port.",
    "It would be fixed by a better table.",
    "She will fix it.",
    "The port is 443.",
  ])("is not said by: %s", (words) => {
    expect(promised(words)).toEqual([]);
  });

  it("takes no side", () => {
    const posts = [
      aPost("1", null, "Ada", "I propose to rename the port."),
      aPost("2", "1", "Bo", "Will do."),
    ];
    expect(weigh(posts).positions).toEqual([]);
  });
});
