import { describe, expect, it } from "vitest";
import { cleanText } from "./clean.ts";

describe("content that must not be touched:", () => {
  it("a patch with lines that look like quotes and delimiters, but not its trailer", () => {
    const patch = [
      "The parser forgot the last line.",
      "",
      "Signed-off-by: Anna Berg <anna@example.org>",
      "---",
      " parse.sql | 5 +++--",
      " 1 file changed, 3 insertions(+), 2 deletions(-)",
      "",
      "diff --git a/parse.sql b/parse.sql",
      "index 1234567..89abcde 100644",
      "--- a/parse.sql",
      "+++ b/parse.sql",
      "@@ -1,5 +1,6 @@ begin",
      " select 1;",
      "--- a removed comment",
      "-- ",
      "+-- an added comment",
      "+> not a quote",
      "+",
      "   | a | b |",
      " end",
    ];
    const { clean, removed } = cleanText([...patch, "-- ", "2.39.1", ""].join("\n"));
    expect(clean).toBe(patch.map((line) => line.trimEnd()).join("\n"));
    expect(removed.map(({ kind }) => kind)).toEqual(["signature"]);
  });

  it("a patch below a quote", () => {
    const text = "Anna wrote:\n> send it\n\nHere:\n\n@@ -1,2 +1,2 @@\n > a\n-b\n+c\n\nDone.\n";
    expect(cleanText(text).clean).toBe("Here:\n\n@@ -1,2 +1,2 @@\n > a\n-b\n+c\n\nDone.");
  });

  it("a hunk whose counts are too large does not swallow the quote below it", () => {
    expect(cleanText("See:\n@@ -1,999999 +1,999999 @@\n a\n+b\n\n> q\n> r\n\nBye.").clean).toBe(
      "See:\n@@ -1,999999 +1,999999 @@\n a\n+b\n\nBye.",
    );
  });

  it.each([
    ["lists", "- one\n- two\n\n* three\n* four\n\n-- five --"],
    ["a rule between two parts", "First part.\n\n-----\n\nSecond part, which says more than the first."],
    ["a heading that is underlined", "Title\n=====\n\nText below it.\n\nOther\n-----"],
    ["grammar", 'rule = "a" / ( "b" *c )\n       ; a comment\nc    = %x43'],
    ["indented text", "   1.  Introduction\n\n       This document is about mail.\n"],
    [
      "shortlogs",
      "---\n\nAnna Berg (2):\n      parse: fix\n      parse: test\n\n a.c | 2 +-\n 1 file changed",
    ],
    [
      "headers that are discussed",
      "Look at this:\n\n   From: a@example.org\n   Date: today\n   Subject: x\n\nSee?",
    ],
    [
      "a whole header that is shown",
      "I got this:\n\nFrom: a@example.org\nDate: Mon, 3 May 2021\nMessage-ID: <1@x>\nSubject: x\n\nWhy?",
    ],
    ["a header in a paragraph", "The From: and Date: fields are wrong,\nFrom: is mine and Date: is yours."],
    ["dashes in a sentence", "Here is a fix -- this is no signature.\n\nbye"],
    ["a reStructuredText table", "See:\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  ====="],
    ["a list of options", "Options:\n  -v, --verbose  talk\n  --             end of options"],
  ])("%s", (_, text) => {
    expect(cleanText(text).clean).toBe(
      text
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n"),
    );
    expect(cleanText(text).removed).toEqual([]);
  });
});
