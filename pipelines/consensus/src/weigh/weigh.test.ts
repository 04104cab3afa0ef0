import { describe, expect, it } from "vitest";
import { type Post, weigh } from "./weigh.ts";

const aPost = (id: string, name: string, clean: string, post: Partial<Post> = {}): Post => ({
  id,
  parent: id === "root" ? null : "root",
  from: { name, address: `${name.toLowerCase()}@example.org` },
  date: null,
  subject: "Proposal: drop the old parser",
  clean,
  ...post,
});
const root = aPost("root", "Ann", "I propose to drop the old parser.");

describe("a weighed thread", () => {
  it("without posts is none", () => {
    expect(weigh([])).toMatchObject({
      level: "none",
      positions: [],
      votes: [],
      decisions: [],
      calls: [],
      tally: null,
    });
  });

  it("quotes the words that show a position, and says which rule read them", () => {
    const { positions } = weigh([
      root,
      aPost("a", "Bo", "Hi Ann,\n\nI have read it all. I support this change.\n\nBo"),
    ]);
    expect(positions).toMatchObject([
      { quote: "I support this change.", message: "a", because: "says that they support it" },
    ]);
  });

  it("follows a changed mind, by dates and not by the order in the tree", () => {
    const late = aPost("late", "Bo", "My concerns have been addressed.", { date: "2024-05-02T00:00:00Z" });
    const early = aPost("early", "Bo", "I object to this.", { date: "2024-05-01T00:00:00Z" });
    const { positions, reasons } = weigh([{ ...root, date: "2024-04-30T00:00:00Z" }, late, early]);
    expect(positions.map(({ message, stance, supersededBy }) => [message, stance, supersededBy])).toEqual([
      ["early", "object", 1],
      ["late", "support", null],
    ]);
    expect(reasons).toContain("Bo changed from object to support.");
  });

  it("keeps a position that polite words or a question follow", () => {
    const { positions } = weigh([
      root,
      aPost("a", "Bo", "-1, this breaks our build."),
      aPost("b", "Bo", "Thanks, that makes sense."),
      aPost("c", "Bo", "When is the release?"),
    ]);
    expect(positions.map(({ message }) => message)).toEqual(["a"]);
  });

  it("counts a person once, however many mails they write", () => {
    const { tally, votes } = weigh([
      root,
      aPost("a", "Bo", "+1"),
      aPost("b", "Bo", "+1 again"),
      aPost("c", "Cy", "+1"),
    ]);
    expect(tally).toEqual({ for: 2, against: 0, abstain: 0 });
    expect(votes.map(({ counts }) => counts)).toEqual([false, true, true]);
  });

  it("lets agreement follow the one who is agreed with", () => {
    const { positions } = weigh([
      root,
      aPost("a", "Bo", "I object, we still need it."),
      aPost("b", "Cy", "I agree.", { parent: "a" }),
      aPost("c", "Di", "I agree."),
      aPost("d", "Ed", "I disagree with Bo."),
    ]);
    expect(positions.map(({ person, stance }) => `${person.name} ${stance}`)).toEqual([
      "Bo object",
      "Cy object",
      "Di support",
      "Ed support",
    ]);
  });

  it("does not invent voters", () => {
    const { votes } = weigh([root, aPost("a", "Bo", "+1 from me, and +1 from John too.\nCy: -1")]);
    expect(votes.map(({ by, value }) => [by.name, value])).toEqual([["Bo", 1]]);
  });

  it("says when a declared result differs from the votes, and what a -1 means", () => {
    const subject = "[VOTE] Release Foo 1.0";
    const { reasons, tally } = weigh([
      aPost("root", "Ann", "Please vote on the release.", { subject }),
      aPost("a", "Bo", "+1", { subject: `Re: ${subject}` }),
      aPost("b", "Cy", "-1 (binding)", { subject: `Re: ${subject}` }),
      aPost("c", "Ann", "The vote passes with 3 +1 and 1 -1.", { subject: `[RESULT] ${subject}` }),
    ]);
    expect(tally).toEqual({ for: 1, against: 1, abstain: 0 });
    expect(reasons).toContain(
      "The declared result differs from the count: 3 for, 1 against, 0 abstaining were declared.",
    );
    expect(reasons.some((reason) => reason.includes("release that is no veto"))).toBe(true);
  });

  it("gives less weight to what is declared by somebody who did not ask", () => {
    const mails = [root, aPost("a", "Bo", "+1"), aPost("b", "Cy", "-1"), aPost("c", "Di", "-1")];
    const { decisions, level } = weigh([...mails, aPost("d", "Bo", "I think we have consensus.")]);
    expect(decisions).toMatchObject([{ kind: "consensus", weight: 0.4 }]);
    expect(level).toBe("contested");
  });

  it("names objections that nobody answered", () => {
    const open = [root, aPost("a", "Bo", "I object."), aPost("b", "Cy", "+1")];
    const told = "Nobody answered the objection of Bo.";
    expect(weigh(open).reasons).toContain(told);
    expect(weigh([...open, aPost("c", "Ann", "Here is why.", { parent: "a" })]).reasons).not.toContain(told);
  });

  it("is more certain with more people and with a declaration that agrees", () => {
    const voters = ["Bo", "Cy", "Di", "Ed", "Flo", "Gil"].map((name) => aPost(name, name, "+1"));
    const few = weigh([root, ...voters.slice(0, 3)]);
    const many = weigh([root, ...voters]);
    const declared = weigh([root, ...voters, aPost("end", "Ann", "We have consensus, thanks.")]);
    expect([few.level, many.level, declared.level]).toEqual(["strong", "strong", "strong"]);
    expect(many.confidence).toBeGreaterThan(few.confidence);
    expect(declared.confidence).toBeGreaterThan(many.confidence);
  });
});
