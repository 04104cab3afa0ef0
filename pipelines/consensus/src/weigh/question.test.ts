import { describe, expect, it } from "vitest";
import { type Post, weigh } from "./weigh.ts";

const post = (index: number, name: string, subject: string, clean: string): Post => ({
  id: String(index),
  parent: index === 1 ? null : "1",
  from: { name, address: `${name.toLowerCase().replace(/ /g, ".")}@example.org` },
  date: new Date(Date.UTC(2024, 0, index)).toISOString(),
  subject: index === 1 ? subject : `Re: ${subject}`,
  clean,
});
const thread = (subject: string, opening: string, ...answers: string[]) =>
  weigh(
    [opening, ...answers].map((words, at) => post(at + 1, `Person${"abcdefghijkl"[at]} Ek`, subject, words)),
  );

describe("the question of a thread", () => {
  it.each([
    ["proposal", "Notes", "Hi all,\n\nI suggest that we keep the notes on the wiki. They are hard to find."],
    ["proposal", "Notes", "I think we should move the notes. Nobody reads them now."],
    ["question", "Notes", "The notes are hard to find. What do people think about a wiki?"],
    ["question", "Old format", "The old format is hardly used. Any objections to a warning?"],
    ["vote", "[VOTE] Release 3.1", "Please vote on the release of 3.1."],
  ])("is a %s: %s", (kind, subject, opening) => {
    const { question } = thread(subject, opening, "Fine with me.");
    expect([question?.kind, question?.by.name]).toEqual([
      kind === "question" && opening.includes("objections") ? "consensus" : kind,
      "Persona Ek",
    ]);
    expect(opening.slice(question?.start, question?.end)).toBe(question?.quote);
    expect(question?.quote).not.toBe("");
  });

  it("is known from the subject of its answers when the message that asked is not there", () => {
    const answer = { ...post(2, "Bo Ek", "[VOTE] Release 3.1", "+1"), parent: null };
    const { question, tally } = weigh([answer]);
    expect([question?.kind, question?.quote, tally?.for]).toEqual(["vote", "", 1]);
  });

  it("is none in a talk about trouble, and then there is nothing to decide, however many agree", () => {
    const weighed = thread(
      "Crash",
      "It crashes when I start it.",
      "I agree, a bug.",
      "+1, same here.",
      "I agree.",
    );
    expect(weighed).toMatchObject({ level: "none", question: null, positions: [], votes: [], tally: null });
    expect(weighed.reasons).toContain("Nothing was asked, so there is nothing to decide.");
  });
});

describe("embarrassing positions are not taken", () => {
  const opening = "I propose that we move the notes to the wiki.";
  it.each([
    "Here is what I get:\n\n$ expr 3 - 4\n-1\n",
    "It prints\n\nfoo: 3\nbar: -1\n\nand then ends.",
    "The test says\n\n    wanted 3\n    -1\n\nhere.",
    "I defer to the editors on this.",
    "There is a lack of consensus on the other draft.",
    "Why are we still supporting the old format at all?",
    "Goto is a bad idea in general.",
    "I agree that threads are a bad idea.",
    "This story got picked up by the press.",
    "The other series was applied to net-next by Dave.",
    "Remember that we confirm consensus on the list.",
  ])("%j", (answer) => {
    const { positions, decisions, calls } = thread("Notes", opening, answer);
    expect(positions.filter(({ stance }) => stance !== "question")).toEqual([]);
    expect(decisions).toEqual([]);
    expect(calls).toHaveLength(1);
  });

  it("a judgment of the proposal itself is taken", () => {
    expect(thread("Notes", opening, "The wiki is a bad idea.").positions).toMatchObject([
      { stance: "object" },
    ]);
    expect(thread("Notes", opening, "This is a bad idea.").positions).toMatchObject([{ stance: "object" }]);
  });
});

describe("levels do not claim more than people said", () => {
  const talk = Array.from({ length: 10 }, (_, at) => `I used it in the year ${2000 + at}.`);

  it("two of many who took part are too few", () => {
    const weighed = thread("Notes", "I propose that we move the notes.", ...talk, "I support this.");
    const two = weigh([
      ...Array.from({ length: 12 }, (_, at) =>
        post(
          at + 1,
          `Talker${at} Ek`,
          "Notes",
          at === 0 ? "I propose that we move the notes." : "I used it.",
        ),
      ),
      post(13, "Bo Ek", "Notes", "I support this."),
      post(14, "Cy Ek", "Notes", "I support this, too."),
    ]);
    expect(weighed.level).toBe("undecided");
    expect(two.level).toBe("undecided");
    expect(two.reasons).toContain("2 of 14 people spoke to the question: too few to tell.");
  });

  it("three of four are a consensus", () => {
    expect(
      thread(
        "Notes",
        "I propose that we move the notes.",
        "I support this.",
        "I support this.",
        "I support this.",
      ).level,
    ).toBe("strong");
  });
});
