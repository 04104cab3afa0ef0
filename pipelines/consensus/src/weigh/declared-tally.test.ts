import { describe, expect, it } from "vitest";
import { declaredTally } from "./declared-tally.ts";

describe("a declared result", () => {
  it.each([
    ["The vote passed with 5 +1 votes (3 binding) and no -1 votes.", [5, 0, 0]],
    ["The vote passes with 3 binding +1 votes, 2 non-binding +1 votes, and no 0 or -1 votes.", [5, 0, 0]],
    ["We have three +1 votes and one -1.", [3, 1, 0]],
    ['5 binding "+1" votes, no "-1" votes', [5, 0, 0]],
    ["4 (+1) binding votes\n1 (-1)", [4, 1, 0]],
    ["The vote passed: +1 x 5, -1 x 0", [5, 0, 0]],
    ["+1: 4\n0: 1\n-1: 0", [4, 0, 1]],
    ["[4] +1\n[0] 0\n[1] -1", [4, 1, 0]],
    ["+1 binding: Ann Lee, Bo Kim, Cy Roe\n+1 non-binding: Di Poe\n0: none\n-1: none", [4, 0, 0]],
    [
      "+1 (binding):\n\nAnn Lee\nBo Kim\nCy Roe\n\n+1 (non-binding):\nDi Poe\n\nThere were no -1 votes.",
      [4, 0, 0],
    ],
    ["+1 (PMC / binding)\n* Ann Lee\n* Bo Kim\n\n+1 (community)\n* Di Poe\n\nNo +0 or -1", [3, 0, 0]],
    ["+1 : Ann Lee, Bo Kim, Hervé BOUTEMY,  \nOlivier Roe\n\nQuorum: reached", [4, 0, 0]],
    ["Binding votes:\n+1 Ann Lee\n+1 Bo Kim\n\nNon-binding votes:\n+1 Di Poe", [3, 0, 0]],
    ["Ann Lee +1\nBo Kim: +1 (binding)\nCy Roe -1", [2, 1, 0]],
    ["* +1 - Ann Lee, Bo Kim, Cy Roe (3 votes)", [3, 0, 0]],
  ])("is counted: %j", (text, [pro, contra, abstain]) => {
    expect(declaredTally(text)).toEqual({ for: pro, against: contra, abstain });
  });

  it("without numbers has no tally", () => {
    expect(declaredTally("The vote has passed. Thanks to everybody who voted!")).toBeNull();
  });
});
