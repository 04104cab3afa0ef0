import { describe, expect, it } from "vitest";
import { cleanText } from "./clean.ts";

const own = (lines: readonly string[]) => cleanText(lines.join("\n")).clean.split("\n").filter(Boolean);

describe("a quote", () => {
  it.each([
    ["> ", ["> first", "> second"]],
    [">", [">first", ">second"]],
    [">> and > >", [">> first", "> > second", "> third"]],
    [">|", [">| first", ">| second"]],
    ["a leading space", [" > first", " > second"]],
    ["indentation", ["    > first", "    > second"]],
    ["an escaped >", ["&gt; first", "&gt; second"]],
    ["initials", ["JD> first", "JD> second"]],
    ["a first name", ["Anna> first", "Anna> second"]],
    ["indented initials", ["    BW> first", "    BW> second"]],
    ["bars around prose", ["| this is what she said before", "| and that is what she said then"]],
    ["an empty middle line", ["> first", ">", "> second"]],
    ["nested initials", ["JD>> first", "JD> second"]],
  ])("marked with %s is removed", (_, lines) => {
    expect(own(["Before.", "", ...lines, "", "After."])).toEqual(["Before.", "After."]);
  });

  it.each([
    ["bars", ["| a=b", "| c=d"]],
    ["colons", [": first", ": second"]],
    ["one line of initials", ["anna> first"]],
    ["one indented line", ["   > first"]],
  ])("marked with %s is removed below its attribution", (_, lines) => {
    expect(own(["Before.", "", "Anna Berg <a@b.org> wrote:", ...lines, "", "After."])).toEqual([
      "Before.",
      "After.",
    ]);
  });

  it("leaves the answers between its parts, in their order", () => {
    const lines = ["> one?", "Yes.", "> two?", "", "No.", "", ">> three?", "> four", "", "Perhaps."];
    expect(own(lines)).toEqual(["Yes.", "No.", "Perhaps."]);
  });

  it("keeps answers apart that stood around it", () => {
    expect(cleanText("agreed\n> and this?\nnot this one").clean).toBe("agreed\n\nnot this one");
  });

  it("takes along words that a mailer has wrapped onto lines of their own", () => {
    const lines = [
      "> This is a long line that somebody else's mailer has made a little too",
      "long",
      "> for the next one, which has therefore broken it into two unequal halves and",
      "so on",
      "> and then it goes on.",
      "",
      "My answer.",
    ];
    expect(own(lines)).toEqual(["My answer."]);
  });

  it("does not take along a short answer without blank lines", () => {
    const lines = [
      "> Would it be acceptable for all of us to change the name of that function?",
      "yes",
      "> And would anybody object to a deprecation period of one year from now on?",
      "no",
    ];
    expect(own(lines)).toEqual(["yes", "no"]);
  });

  it.each(["[...]", "[snip]", "<snip>", "[…]", "(snipped)", "..."])("takes %s beside it along", (mark) => {
    expect(own(["> one", mark, "> two", "", "Answer."])).toEqual(["Answer."]);
  });

  it("that is all of a mail leaves nothing", () => {
    expect(cleanText("Anna wrote:\n> one\n> two\n").clean).toBe("");
  });
});

describe("what only looks like a quote stays:", () => {
  it.each([
    ["a From that a mailbox escaped", ["So be it.", ">From here on it is easy."]],
    ["arithmetic", ["This holds for n", ">= 3 and for larger numbers too."]],
    ["a percentage", ["We saw gains of", ">50% in most runs."]],
    ["redirection", ["$ sort names > sorted", "$ cat sorted"]],
    ["a here document", ["$ cat <<EOF", "> one", "> two", "> EOF"]],
    ["doctests", [">>> import math", ">>> x = math.sqrt(4)", ">>> x", "2.0"]],
    ["indented doctests", ["   >>> print('hello')", "   hello"]],
    ["a database prompt", ["mysql> select 1;", "mysql> select 2;"]],
    ["a Haskell prompt", ["ghci> 1 + 1", "2", "ghci> 2 + 2", "4"]],
    ["a menu path", ["File>New>Image works, and", "File>Open>Image does not."]],
    ["a plain diff", ["12c12", "< old line", "---", "> new line"]],
    ["a Markdown table", ["| name | age |", "|------|-----|", "| anna | 31  |", "| bert | 32  |"]],
    ["alternatives of a grammar", ["expr = term", "| expr plus term", "| expr minus term"]],
    ["a type with cases", ["type t =", "| Leaf of int", "| Node of t * t"]],
    ["a box", ["+--------+", "| client |", "|  asks  |", "+--------+"]],
    ["a box with lines", ["┌────────┐", "│ client │", "└────────┘"]],
    ["a ladder diagram", ["|      request      |", "|------------------>|", "|<------------------|"]],
    ["an address that was broken", ["The page is <http://example.org/a/b", ">."]],
    ["a fence", ["```", "> inside", "--", "> a fence", "```"]],
    ["definitions with colons", ["Terms:", ": first", ": second"]],
  ])("%s", (_, lines) => {
    expect(own(["Look:", "", ...lines, "", "That is all."])).toEqual(["Look:", ...lines, "That is all."]);
  });

  it("but three angles at depth three are a quote", () => {
    const lines = ["> one", ">> two", ">>> and I import the rest from you (really)", "> four", "", "Answer."];
    expect(own(lines)).toEqual(["Answer."]);
  });
});
