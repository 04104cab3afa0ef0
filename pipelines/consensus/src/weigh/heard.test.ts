import { describe, expect, it } from "vitest";
import type { Post } from "./findings.ts";
import { weigh } from "./weigh.ts";

const aPost = (id: string, parent: string | null, name: string, clean: string): Post => ({
  id,
  parent,
  from: { name, address: `${name.toLowerCase()}@example.org` },
  date: `2024-01-0${id}T00:00:00.000Z`,
  subject: parent === null ? "A new index" : "Re: A new index",
  clean,
});

const proposal = aPost("1", null, "Ada", "I propose to add an index of all lists to the start page.");
const stancesOf = (...posts: readonly Post[]) =>
  weigh([proposal, ...posts]).positions.map(({ person, stance }) => `${person.name} ${stance}`);

describe("a stance read by trained weights", () => {
  it("of an answer to the question is support, with the words that decided", () => {
    const { positions } = weigh([proposal, aPost("2", "1", "Bo", "Yes, we need this, thanks for doing it.")]);
    expect(positions).toMatchObject([
      { stance: "support", because: expect.stringMatching(/^reads as agreement: “/) },
    ]);
  });

  it("further down the thread is shown beside the question and counts nowhere", () => {
    const { positions, asides, level } = weigh([
      proposal,
      aPost("2", "1", "Bo", "The page is written in another language, by the way."),
      aPost("3", "2", "Cy", "Yes, exactly, that is right."),
    ]);
    expect(positions).toEqual([]);
    expect(asides).toMatchObject([{ by: { name: "Cy" }, with: { name: "Bo" }, agrees: true }]);
    expect(level).toBe("undecided");
  });

  it.each([
    'I can already hear the "I fully support this" from marketing.',
    "I won't be there this year.",
    "Would that be useful to anyone?",
    "I'd be interested in hearing whether people like it.",
  ])("never overrules what rules know: %s", (words) => {
    expect(stancesOf(aPost("2", "1", "Bo", words)).filter((each) => /support|object/.test(each))).toEqual([]);
  });
});
