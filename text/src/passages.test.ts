import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStaticModel } from "./embed/static-model.ts";
import { cutPassages, type Passage } from "./passages.ts";

const { tokenize } = openStaticModel();
const cut = (text: string, tokensMax = 20) => cutPassages(text, { tokenize, tokensMax });
const textsOf = (text: string, passages: readonly Passage[]) =>
  passages.map(({ start, end }) => text.slice(start, end));
/** Half characters included; quicker than fast-check's own, which builds large tables first. */
const anyUnits = (maxLength: number) =>
  fc.array(fc.nat(0xffff), { maxLength }).map((units) => String.fromCharCode(...units));
const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
const cutTexts = (text: string, tokensMax = 20) => textsOf(text, cut(text, tokensMax));

describe("a text is cut where its readers would cut it", () => {
  it("what fits is one passage, without the white space around it", () => {
    expect(cut("\n\n I agree.\n\nSo do I. \n")).toEqual([{ start: 2, end: 21, tokens: 7 }]);
  });

  it("a text of white space has no passages", () => {
    expect(cut("")).toEqual([]);
    expect(cut(" \n\t\u00a0\f\n ")).toEqual([]);
  });

  it("paragraphs stay whole, and small neighbours share a passage", () => {
    const paragraphs = [
      "This is the first paragraph of them all.",
      "The second one is short.",
      "And the third one has again a few words more than that.",
    ];
    const found = cutTexts(paragraphs.join("\n\n"), 16);
    expect(found).toEqual([`${paragraphs[0]}\n\n${paragraphs[1]}`, paragraphs[2]]);
  });

  it("a paragraph that is too long is cut between sentences", () => {
    const sentences = [
      "We met on Monday.",
      "The room was full (really!)",
      "Nobody left early, i.e. before six.",
    ];
    expect(cutTexts(sentences.join("\n"), 14)).toEqual([sentences.slice(0, 2).join("\n"), sentences[2]]);
  });

  it("a full stop in front of a small letter ends no sentence", () => {
    const text = "See the old draft vs. the new one here. Then please decide soon.";
    expect(cutTexts(text, 12)).toEqual([
      "See the old draft vs. the new one here.",
      "Then please decide soon.",
    ]);
  });

  it("sentences without spaces between them are cut as well", () => {
    expect(cutTexts("日本語の文。日本語の文！日本語の文。", 7)).toEqual([
      "日本語の文。",
      "日本語の文！",
      "日本語の文。",
    ]);
  });

  it("a sentence that is too long is cut between lines, and a line between words", () => {
    expect(cutTexts("one two three\nfour five six\nseven eight nine", 4)).toEqual([
      "one two three",
      "four five six",
      "seven eight nine",
    ]);
    expect(cutTexts("one two three four five six seven", 3)).toEqual([
      "one two three",
      "four five six",
      "seven",
    ]);
  });

  it("code with empty lines in it stays in one piece", () => {
    const code = "```\nint main() {\n\n  return 0;\n\n}\n```";
    const text = `Here is what I meant when I said that it is simple enough:\n\n${code}\n\nWhat do you all think?`;
    expect(cutTexts(text, 24).some((passage) => passage.includes(code))).toBe(true);
  });

  it("a drawing stays in one piece and keeps the indent of its first line", () => {
    const drawing = "      +-------+\n      | state |\n      +-------+\n\n      | next  |";
    const words = "It is drawn in the following figure, which I find rather hard to read in places.";
    expect(cutTexts(`${words}\n\n${drawing}\n\n${words}`, 40)).toContain(drawing);
  });

  it("what is one unknown token to the model is still cut when it is very long", () => {
    const found = cut("A".repeat(100_000), 256);
    expect(found.length).toBeGreaterThan(20);
    for (const { start, end } of found) expect(end - start).toBeLessThanOrEqual(256 * 16);
  });
});

describe("nothing is lost and nothing is too long", () => {
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "word ",
          "Sentence. ",
          "\n",
          "\n\n",
          "    code();\n",
          "```\n",
          "| a | b |\n",
          "共识。",
          "👍",
        ),
        fc.constantFrom(
          "\f",
          "\u000b",
          "\ufeff",
          "\u00a0",
          "\r\n",
          "\r",
          "e\u0301",
          "\ud800",
          "\udc00",
          "x".repeat(120),
        ),
        anyUnits(8),
        fc.lorem({ maxCount: 12 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(""));

  it("every character that is not white space is in exactly one passage, in order", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, tokensMax) => {
        const passages = cut(text, tokensMax);
        let at = 0;
        for (const { start, end } of passages) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(text.slice(at, start).trim()).toBe("");
          expect(text.slice(start, end).trim()).not.toBe("");
          at = end;
        }
        expect(text.slice(at).trim()).toBe("");
      }),
      { numRuns: 400 },
    );
  });

  it("a passage has the tokens that it says, and never too many", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 3, max: 40 }), (text, tokensMax) => {
        for (const { start, end, tokens } of cut(text, tokensMax)) {
          expect(tokenize(text.slice(start, end)).starts.length).toBe(tokens);
          expect(tokens).toBeLessThanOrEqual(tokensMax);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("no character is split in two", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 10 }), (text, tokensMax) => {
        for (const { start, end } of cut(text, tokensMax)) {
          for (const at of [start, end]) expect(splitsPair(text, at)).toBe(false);
        }
      }),
    );
  });

  it.each([
    ["one word", "z".repeat(1_000_000)],
    ["emoji", "😀".repeat(500_000)],
    ["ideographs", "共".repeat(300_000)],
    ["signs", "!".repeat(300_000)],
    ["empty lines", "\n".repeat(1_000_000)],
    ["lines of one letter", "a\n".repeat(150_000)],
    ["paragraphs of one letter", "a\n\n".repeat(80_000)],
    ["open fences", "```\n\n~~~\n\n".repeat(30_000)],
    ["ends of sentences", ". ".repeat(150_000)],
    ["indented code", "    x = 1;\n\n".repeat(30_000)],
    ["half characters", "\ud800 ".repeat(200_000)],
    ["spaces around a word", `${" ".repeat(500_000)}x${" ".repeat(500_000)}`],
  ])("a large text of %s is measured a few times and not more", (_, text) => {
    let characters = 0;
    const passages = cutPassages(text, {
      tokensMax: 256,
      tokenize: (part) => {
        characters += part.length;
        return tokenize(part);
      },
    });
    expect(characters).toBeLessThanOrEqual(4 * text.length);
    expect(passages.every(({ tokens }) => tokens <= 256)).toBe(true);
  });
});

describe("a change stays where it was made", () => {
  const random = (seed: number) => () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const words =
    "we should keep the old header because clients depend on it and nobody wants another version".split(" ");
  const next = random(1);
  const paragraphs = Array.from({ length: 200 }, (_, i) =>
    [
      `Point ${i}:`,
      ...Array.from({ length: 8 + Math.floor(next() * 30) }, () => words[Math.floor(next() * words.length)]),
    ].join(" "),
  );

  it.each([0, 50, 100, 199])(
    "new words in paragraph %i of 200 leave nearly all passages as they were",
    (place) => {
      const before = new Set(cutTexts(paragraphs.join("\n\n"), 100));
      const changed = paragraphs.with(
        place,
        `${paragraphs[place]} and this was added to it later on by somebody else`,
      );
      const after = cutTexts(changed.join("\n\n"), 100);
      expect(after.length).toBeGreaterThan(40);
      expect(after.filter((passage) => !before.has(passage)).length).toBeLessThanOrEqual(8);
    },
  );

  it("the same text is always cut in the same way", () => {
    const text = paragraphs.join("\n\n");
    expect(cut(text, 64)).toEqual(cut(text, 64));
  });
});
