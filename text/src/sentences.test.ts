import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProse, splitSentences } from "./sentences.ts";

const split = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));
const flat = (text: string) => split(text).map((sentence) => sentence.replace(/\s+/g, " "));

describe("sentences", () => {
  it.each<[string, string, readonly string[]]>([
    ["a full stop", "One is here. Two is there.", ["One is here.", "Two is there."]],
    [
      "wrapped lines",
      "One goes on\nin the next line. Two\ntoo.",
      ["One goes on in the next line.", "Two too."],
    ],
    ["question and cry", "Really?! Yes! Why?", ["Really?!", "Yes!", "Why?"]],
    ["closing marks", 'He said "no." She (too.) Right.', ['He said "no."', "She (too.)", "Right."]],
    ["a smiley", "Great idea! :-) Next one.", ["Great idea! :-)", "Next one."]],
    [
      "Chinese and Japanese stops",
      "我同意。这很好！本当ですか？はい。",
      ["我同意。", "这很好！", "本当ですか？", "はい。"],
    ],
    ["no capitals", "i like it. we should do it.", ["i like it.", "we should do it."]],
    ["a question and no capital", "Who will be there? is it open?", ["Who will be there?", "is it open?"]],
    ["no, and number", "No. I object to No. 5 here.", ["No.", "I object to No. 5 here."]],
    [
      "a letter at the end",
      "So do I. We take plan B. It works.",
      ["So do I.", "We take plan B.", "It works."],
    ],
    ["a country at the end", "I live in the U.S. We all do.", ["I live in the U.S.", "We all do."]],
    [
      "etc. at the end",
      "Apples, pears, etc. The rest is here.",
      ["Apples, pears, etc.", "The rest is here."],
    ],
    ["three dots and a capital", "I wonder... Maybe not.", ["I wonder...", "Maybe not."]],
  ])("are told apart at %s", (_, text, expected) => {
    expect(flat(text)).toEqual(expected);
  });

  it.each([
    "Use it, e.g. Postgres, i.e. the database, vs. Oracle, cf. Smith et al. for more.",
    "See Sec. 4.2 and Fig. 3, pp. 4 and No. 7 of it.",
    "Dr. Who and Prof. J. R. R. Tolkien met J. Doe.",
    "The U.S. Government runs version 1.2.3 of file.txt from http://a.example/b.html?c=d today.",
    "It works... mostly, and … so on.",
    "Yahoo! is a company, and what! not a question here.",
    'He wrote "Stop." and went on.',
    "So here is my (unpopular?) opinion on it.",
    "1. This is one item.",
    "Mail jane.doe@example.org about draft-foo-bar-01.txt please.",
  ])("are not cut inside: %s", (text) => {
    expect(split(text)).toEqual([text]);
  });

  it.each<[string, string, readonly string[]]>([
    ["paragraphs", "A heading\n\nand a text", ["A heading", "and a text"]],
    [
      "list items",
      "- one thing\n  goes on\n- two things\n* three",
      ["- one thing goes on", "- two things", "* three"],
    ],
    ["numbered items", "1. one\n2. two\n(a) three", ["1. one", "2. two", "(a) three"]],
    ["headings", "# Title\nText follows here", ["# Title", "Text follows here"]],
    ["greetings and farewells", "Hi all,\nI agree\nCheers,\nBob", ["Hi all,", "I agree", "Cheers,", "Bob"]],
    [
      "indented blocks",
      "As it says:\n\n   The quoted words\n   are here\nI agree",
      ["As it says:", "The quoted words are here", "I agree"],
    ],
    ["labels", "Date: today\nPlace: here", ["Date: today", "Place: here"]],
    ["carriage returns", "One\r\n\r\nTwo\rgoes on", ["One", "Two goes on"]],
  ])("end with %s", (_, text, expected) => {
    expect(flat(text)).toEqual(expected);
  });
});

describe("what is no prose", () => {
  it.each([
    ["code", "Look:\n\n    if (x == 1) {\n      go(x);\n    }\n\nIt works.", 1],
    [
      "a diff",
      "Patch:\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-The old words are here.\n+The new words. And more.\nPlease review it.",
      1,
    ],
    ["a table", "Data:\n\n+----+----+\n| a. | b. |\n+----+----+\n\nSee above.", 1],
    ["columns", "Data:\n\nName      Age      Size\nBob. X    3        4\n\nSee above.", 1],
    ["a fence", "Try this.\n\n```\nrun it. Now.\n\nagain\n```\nDone now.", 1],
    [
      "base64",
      `See this:\n\n${"SGkgR8O8bnRlciwKCk9u".repeat(3)}\n${"SGkgR8O8bnRlciwKCk9u".repeat(3)}\n\nThat is it.`,
      1,
    ],
    ["a quote", "> He said so. Really.\n> And more.\nI agree.", 0],
  ])("such as %s is one span of its own", (_, text, at) => {
    const spans = split(text);
    expect(spans.map((span) => isProse(span))).toEqual(spans.map((_each, index) => index !== at));
    expect(spans).toHaveLength(at + 2);
  });

  it.each([
    "+1",
    "-1 (binding), the limit breaks imports.",
    "I think foo_bar(x) should return null; really.",
    "We should use a->b instead of a.b here.",
    "Yes, see https://example.org/a/b?c=d#e",
    "我同意这个提案。",
    "* a point in a list that ends with a semicolon;",
    "If x > 0, then (as said) we stop.",
  ])("is not: %s", (text) => {
    expect(isProse(text)).toBe(true);
  });

  it.each([
    "",
    "   ",
    "-----",
    "==========",
    "| a | b |",
    "}",
    "#include <stdio.h>",
    "  return foo(x);\n  }\n",
  ])("is: %j", (text) => {
    expect(isProse(text)).toBe(false);
  });
});

const pieces = fc.constantFrom(
  "a",
  "B",
  ".",
  "!",
  "?",
  "…",
  "。",
  " ",
  "\n",
  "\n\n",
  "\r",
  "\t",
  "    ",
  "- ",
  "1. ",
  "> ",
  "| ",
  "```",
  "e.g.",
  "U.S.",
  "@@ -1 +1 @@",
  "diff --git a/x",
  "+",
  ":-)",
  "http://x.y/z.",
  "\u00a0",
  "\u2028",
  "😀",
  "\ud800",
  "Hi all,",
  "{",
  ";",
);
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 80 }).map((all) => all.join("")),
);

it("every character that is no white space is in exactly one span, in order, and spans are trimmed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let reached = 0;
      for (const { start, end } of splitSentences(text)) {
        expect(text.slice(reached, start)).toMatch(/^\s*$/);
        expect(end).toBeGreaterThan(start);
        expect(text.slice(start, end).trim()).toBe(text.slice(start, end));
        isProse(text.slice(start, end));
        reached = end;
      }
      expect(text.slice(reached)).toMatch(/^\s*$/);
    }),
    { numRuns: 500 },
  );
});

it.each(
  [
    `${"a".repeat(1_900)}\n`,
    "a. ",
    ".",
    " ",
    "| ",
    "\n- ",
    "。",
    "x ",
    "\n```",
    "(",
    "= ",
    "\na",
    "\n\t{",
    "A.B.",
    "\"'",
    ". \n",
    "e.g. ",
    "\n+ ",
    "\n@@ -1\n",
  ].map((unit) => [unit]),
)("a quarter of a megabyte of %j is split in one pass", (unit) => {
  const text = unit.repeat(Math.ceil(250_000 / unit.length));
  const spans = splitSentences(text);
  expect(spans.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThanOrEqual(text.length);
  expect(isProse(text.replaceAll("\n", " "))).toBeTypeOf("boolean");
});
