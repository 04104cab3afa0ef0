import { describe, expect, it } from "vitest";
import { readVotes, type VoteContext } from "./votes.ts";

const aContext = (context: Partial<VoteContext> = {}): VoteContext => ({
  asksForVotes: false,
  reportsVotes: false,
  inVoteThread: true,
  author: "Ann Lee",
  isOtherName: (word) => word === "bob" || word === "john",
  ...context,
});

const valuesOf = (text: string, context?: Partial<VoteContext>): readonly number[] =>
  readVotes(text, aContext(context)).map(({ value }) => value);

describe("a vote", () => {
  it.each([
    ["+1", 1],
    ["-1", -1],
    ["–1", -1],
    ["−1", -1],
    ["+0", 0],
    ["-0", -0],
    ["±0", 0],
    ["0", 0],
    ["+0.5", 0.5],
    ["-0.9", -0.9],
    ["+1000", 1],
    ["++1", 1],
    ["*+1*", 1],
    ["**+1** (binding)", 1],
    ["+1!", 1],
    ["+1 from me", 1],
    ["Big +1", 1],
    ["a big fat +1", 1],
    ["my vote: +1", 1],
    ["Here is my +1 (binding)", 1],
    ["that's a +1 from me", 1],
    ["I am still -1.", -1],
    ["-1 until it is fixed", -1],
    ["+1 if you fix the typo", 1],
    ["Awesome! +1", 1],
    ["Looks good to me, +1", 1],
    ["Checked signatures and hashes: +1", 1],
    ["changing my vote to +1", 1],
    ["I change my vote from -1 to +1", 1],
    ["[x] +1 yes", 1],
    [" [ X ] -1 no", -1],
    ["(x) 0 whatever", 0],
    ["I vote yes", 1],
    ["My vote is no", -1],
    ["Ann: +1", 1],
  ])("is read from %s", (text, value) => {
    expect(valuesOf(text)).toEqual([value]);
  });

  it.each([
    "v1+1",
    "UTC+1",
    "UTC +1",
    "GMT -1",
    "+1-650-555-0100",
    "+1 650 555 0100",
    "fax: +33 4 92 38 78 22",
    "My vote is for Seattle rather than Redmond",
    "C++1",
    "x +1",
    "n = n +1",
    "a[i +1]",
    "-1 day",
    "- 1 item",
    "the build fails with exit code -1",
    "Vote +1 if you like it",
    "please vote: +1 / 0 / -1",
    "+1, 0 or -1",
    "three +1 votes",
    "with 5 +1s",
    "We need +1 from 3 members",
    "Bob: +1",
    "Bob voted -1",
    "+1 from John too",
    "his -1",
    "This is not a -1",
    "+1?",
    "I would vote +1 if it built",
    "I'll be +1 once it is fixed",
    "I withdraw my -1",
    "I assume I can translate this to a +1...",
    "[ ] +1 yes",
    "[] -1 no",
  ])("is not read from %s", (text) => {
    expect(valuesOf(text)).toEqual([]);
  });

  it("is only the marked line of a ballot", () => {
    expect(valuesOf("[ ] +1 Release\n[ ] 0 Whatever\n[X] -1 Do not release")).toEqual([-1]);
  });

  it("is none of the options that are described", () => {
    expect(valuesOf("+1 Release it\n0 I don't care\n-1 Do not release it")).toEqual([]);
    expect(valuesOf("[+1] approve\n[-1] disapprove", { asksForVotes: true })).toEqual([]);
  });

  it("of the caller counts beside the options", () => {
    const text = "Please vote:\n\n[ ] +1 yes\n[ ] -1 no\n\nThe guide is on the site.\nHere is my own +1.";
    expect(valuesOf(text, { asksForVotes: true })).toEqual([1]);
  });

  it("is none of the numbers in a result", () => {
    expect(valuesOf("+1: Bob, John\n-1: none", { reportsVotes: true })).toEqual([]);
  });

  it("says whether it is binding", () => {
    const bindings = ["+1 (binding)", "+1, non-binding", "+1"].map(
      (text) => readVotes(text, aContext())[0]?.binding,
    );
    expect(bindings).toEqual([true, false, null]);
  });

  it("is taken per part where somebody votes on parts", () => {
    const votes = readVotes("-1 on renaming, +1 on moving", aContext());
    expect(votes.map(({ value, isPart }) => [value, isPart])).toEqual([
      [-1, true],
      [1, true],
    ]);
  });
});
