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
  it("with several options has nobody against it who is against one option only", () => {
    const { positions } = thread(
      "Clocks",
      "I see three ways:\n\n A. Keep the bit.\n B. Write the uncertainty.\n C. Send the clock.\n\nWhat do people think?",
      "I support B. A is what we have now and I am against it.",
      "I'm against C unless it is signed too.",
    );
    expect(positions.filter(({ stance }) => stance === "object")).toEqual([]);
    expect(positions.map(({ stance }) => stance)).toContain("support");
  });

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

  it.each([
    ["Getting a URL", "Could anybody help me? I would like to add a query to the address. Any thoughts?"],
    ["How to wait for a result", "I am writing a server. I would like to make this work at a shutdown."],
    ["Which web library?", "I need help. What do people think is the best library for my application?"],
  ])("is none in a call for help: %s", (subject, opening) => {
    expect(thread(subject, opening, "Use the second one.")).toMatchObject({ question: null, level: "none" });
  });

  it("is asked of a patch too, and of people in general", () => {
    const asked = [
      "Could this patch be committed, please?",
      "I wanted to see if other people think it's needed.",
    ];
    for (const opening of asked)
      expect(thread("Cleaning up", opening, "Fine with me.").question).not.toBeNull();
  });

  it("is not settled by a patch of somebody else", () => {
    const posts = [
      ["Ann", "I propose a new installer.", null],
      ["Bob", "While you are at it, here is my cache patch.", "1"],
      ["Cid", "The patch has been applied, thanks.", "2"],
    ] as const;
    const { decisions, level } = weigh(
      posts.map(([name, clean, parent], at) => ({ ...post(at + 1, name, "Installer", clean), parent })),
    );
    expect([decisions, level]).toEqual([[], "undecided"]);
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

  it("is none, and a question of detail before an agreement stands by itself", () => {
    const answers = ["Which version is it?", "3.1", "I agree."];
    const posts = ["It crashes when I start it.", ...answers].map((words, at) =>
      post(at + 1, at % 2 === 0 ? "Ann Ek" : "Bo Ek", "Crash", words),
    );
    const { positions } = weigh(posts);
    expect(positions).toMatchObject([{ stance: "question", supersededBy: null }]);
  });
});

/** Posts with their own parents: [name, parent, words, subject]. */
const tree = (...posts: readonly (readonly [string, number, string, string?])[]) =>
  weigh(
    posts.map(([name, parent, clean, subject = parent === 0 ? "Notes" : "Re: Notes"], at) => ({
      ...post(at + 1, `${name} Ek`, subject, clean),
      parent: parent === 0 ? null : String(parent),
      subject,
    })),
  );

describe("a stance counts only if it answers the question", () => {
  const opening = ["Ann", 0, "I propose that we move the notes to the wiki."] as const;

  it("agreement with a remark on the way is told beside the question and moves no level", () => {
    const { positions, asides, level } = tree(
      opening,
      ["Bo", 1, "By the way, mail clients mangle tables."],
      ["Cy", 2, "I agree."],
      ["Di", 2, "+1"],
      ["Ed", 2, "I disagree."],
    );
    expect(positions).toEqual([]);
    expect(asides).toMatchObject([
      { by: { name: "Cy Ek" }, with: { name: "Bo Ek" }, agrees: true, quote: "I agree." },
      { by: { name: "Di Ek" }, with: { name: "Bo Ek" }, agrees: true, quote: "+1" },
      { by: { name: "Ed Ek" }, with: { name: "Bo Ek" }, agrees: false, quote: "I disagree." },
    ]);
    expect(level).toBe("undecided");
  });

  it("agreement with a post that took a side is a side", () => {
    const { positions } = tree(opening, ["Bo", 1, "I object to the move."], ["Cy", 2, "I agree."]);
    expect(positions).toMatchObject([{ stance: "object" }, { stance: "object" }]);
  });

  it("outspoken words about the matter count anywhere", () => {
    const { positions } = tree(
      opening,
      ["Bo", 1, "By the way, mail clients mangle tables."],
      ["Cy", 2, "I support the move to the wiki."],
    );
    expect(positions).toMatchObject([{ stance: "support" }]);
  });
});

describe("two questions are two", () => {
  it("a vote called later has its own positions, tally and level", () => {
    const weighed = tree(
      ["Ann", 0, "I propose that we move the notes to the wiki."],
      ["Bo", 1, "I object to the move."],
      ["Cy", 1, "I object to the move."],
      ["Di", 1, "Please vote on releasing 3.1 first, the vote is open for three days."],
      ["Ed", 4, "+1"],
      ["Fi", 4, "+1"],
      ["Gu", 4, "+1"],
    );
    expect(weighed.question).toMatchObject({ kind: "proposal", by: { name: "Ann Ek" } });
    expect(weighed).toMatchObject({ level: "contested", tally: null });
    expect(weighed.otherQuestions).toMatchObject([
      { kind: "vote", by: { name: "Di Ek" }, level: "strong", tally: { for: 3, against: 0 } },
    ]);
    expect(weighed.positions.map(({ stance, question = 1 }) => `${stance} ${question}`)).toEqual([
      ...["object 1", "object 1", "support 2", "support 2", "support 2"],
    ]);
  });

  it("a message that turns the thread under a new subject asks its own question", () => {
    const { otherQuestions } = tree(
      ["Ann", 0, "I propose that we move the notes to the wiki."],
      ["Bo", 1, "I suggest that we print them.", "Paper instead? (was: Notes)"],
      ["Cy", 2, "I support this.", "Re: Paper instead? (was: Notes)"],
    );
    expect(otherQuestions).toMatchObject([{ kind: "proposal", by: { name: "Bo Ek" }, message: "2" }]);
  });

  it("a proposer who asks again for objections asks the same", () => {
    const { otherQuestions } = tree(
      ["Ann", 0, "I propose that we move the notes to the wiki."],
      ["Bo", 1, "Fine with me."],
      ["Ann", 2, "Any objections?"],
    );
    expect(otherQuestions).toEqual([]);
  });
});

describe("the names in a result", () => {
  it("are compared with the votes found, and the difference is told", () => {
    const { reasons } = tree(
      ["Ann", 0, "Please vote.", "[VOTE] Release 3.1"],
      ["Bo", 1, "+1", "Re: [VOTE] Release 3.1"],
      ["Cy", 1, "+1", "Re: [VOTE] Release 3.1"],
      ["Ann", 1, "The vote passed.\n\n+1: Bo Ka, Dora Lu\n", "[RESULT] [VOTE] Release 3.1"],
    );
    expect(reasons).toContain("Named in the result, but no vote was found: Dora Lu.");
    expect(reasons).toContain("Voted here, but not named in the result: Cy Ek.");
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
    "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n-1\n+1\n",
    "We took it to the garage and they fixed the brakes.",
    "The stable team already merged other things last week.",
    "I see no indication of disagreement anywhere in the other group.",
    "Because we have to support it forever, people hesitate.",
    "I'm concerned that the hotel next to the venue will be fully booked when the summer holidays begin.",
  ])("%j", (answer) => {
    const { positions, decisions, calls } = thread("Notes", opening, answer);
    expect(positions.filter(({ stance }) => stance !== "question")).toEqual([]);
    expect(decisions).toEqual([]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["support", "I agree that keeping the notes in mails is not a good idea."],
    ["support", "+1"],
    ["support", "Acked-by: Personb Ek <personb.ek@example.org>"],
    ["object", "-1, the wiki is slow."],
    ["object", "I object to the move."],
  ])("but %s is: %j", (stance, answer) => {
    expect(thread("Notes", opening, answer).positions).toMatchObject([{ stance }]);
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
