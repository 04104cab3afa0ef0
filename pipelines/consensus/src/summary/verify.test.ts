import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aPost, debate } from "../../test/debates.ts";
import type { Post, SummarySentence } from "./post.ts";
import { verifySummary } from "./verify.ts";

const says = (text: string, message: string, quote: string, start = 0, end = 0): SummarySentence => ({
  text,
  citations: [{ message, start, end, quote }],
});
const check = (sentence: SummarySentence, posts: readonly Post[] = debate) => {
  const { kept, dropped } = verifySummary([sentence], posts);
  return kept[0]?.citations.map(({ quote }) => quote) ?? dropped[0]?.problem;
};

const objection = "I object to a fixed limit of five.";
const proposal =
  "I propose that we limit retries to five attempts, because endless\nretries hide real faults from the people who could repair them.";

describe("a quote", () => {
  it("that stands where it is said to stand is kept as it is", () => {
    const sentence = says("Boris Petrov objects to a fixed limit.", "m2", objection, 0, objection.length);
    expect(verifySummary([sentence], debate)).toEqual({ kept: [sentence], dropped: [] });
  });

  it.each([
    ["the wrong place", objection, 17, 31],
    ["other white space", "I object  to a\n fixed limit of five.", 0, 0],
    ["other case", "i OBJECT to a Fixed limit of FIVE.", 0, 0],
    ["quotation marks around it", "“I object to a fixed limit of five.”", 0, 0],
    ["an end left out", "I object to a fixed limit…", 0, 0],
    ["impossible offsets", objection, Number.NaN, -5],
  ])("with %s is set right", (_, quote, start, end) => {
    const { kept } = verifySummary(
      [says("Boris Petrov objects to a fixed limit.", "m2", quote, start, end)],
      debate,
    );
    const [citation] = kept[0]!.citations;
    expect(debate[1]!.clean.slice(citation!.start, citation!.end)).toBe(citation!.quote);
    expect(objection).toContain(citation!.quote);
    expect(citation!.quote.length).toBeGreaterThan(24);
  });

  it("with its middle left out is shown whole", () => {
    const sentence = says(
      "Anna Lind wants to limit retries.",
      "m1",
      "I propose that we limit retries ... hide real faults",
    );
    expect(check(sentence)).toEqual([proposal.slice(0, proposal.indexOf(" from the people"))]);
  });

  it("that is there several times is the one nearest to its place", () => {
    const posts = [aPost("We agree on that limit. No, wait. We agree on that limit.")];
    const { kept } = verifySummary(
      [says("Anna Lind says: we agree.", "m1", "we agree on that limit", 30, 50)],
      posts,
    );
    expect(kept[0]?.citations[0]?.start).toBe(34);
  });

  it.each([
    ["nobody wrote", "m2", "I love a fixed limit of five."],
    ["stands in another message", "m1", objection],
    ["is of a message that is not there", "m99", objection],
    ["is a word", "m2", "object"],
    ["is nothing", "m2", ""],
  ])("that %s takes its sentence with it", (_, message, quote) => {
    expect(check(says("Boris Petrov objects to a fixed limit.", message, quote))).toMatch(/^it/);
  });

  it("as short as +1 is enough when it is all that was said", () => {
    expect(check(says("Dora Maar votes: “+1”", "m5", "+1"))).toEqual(["+1"]);
  });

  it("that cannot be found leaves the others of its sentence", () => {
    const citations = [
      { message: "m2", start: 0, end: 0, quote: objection },
      { message: "m2", start: 0, end: 0, quote: "I hate everything about this." },
    ];
    expect(check({ text: "Boris Petrov objects to a fixed limit.", citations })).toEqual([objection]);
  });
});

describe("a claim", () => {
  it.each([
    ["cites nothing", { text: "Boris Petrov objects.", citations: [] }],
    ["names a number nobody named", says("Boris Petrov objects to the limit of 7.", "m2", objection)],
    ["counts people nobody counted", says("Five of nine people object to a fixed limit.", "m2", objection)],
    ["speaks for everybody", says("Everyone objects to a fixed limit.", "m2", objection)],
    ["invents a tally", says("The fixed limit got 3 votes against: Boris objects.", "m2", objection)],
    ["invents a person", says("Zelda Quark objects to a fixed limit.", "m2", objection)],
    ["invents a company", says("Boris Petrov of Globex objects to a fixed limit.", "m2", objection)],
    [
      "names an RFC nobody named",
      says("Boris Petrov objects to a fixed limit in RFC 9110.", "m2", objection),
    ],
    ["names a draft nobody named", says("Boris objects to draft-ietf-foo-bar-01.", "m2", objection)],
    ["gives the words to another person", says("Chen Wei objects to a fixed limit.", "m2", objection)],
    ["puts words in a mouth", says('Boris Petrov objects: "five is a silly number".', "m2", objection)],
    [
      "speaks of something else",
      says("Boris Petrov would rather cook spaghetti for dinner tonight.", "m2", objection),
    ],
    ["turns objection into support", says("Boris Petrov supports a fixed limit of five.", "m2", objection)],
    ["turns a proposal into a denial", says("Anna Lind does not propose to limit retries.", "m1", proposal)],
    [
      "drops a not",
      says(
        "Anna Lind supports a second setting.",
        "m6",
        "I do not support a second setting for the number of attempts.",
      ),
    ],
    [
      "links elsewhere",
      says("Boris Petrov objects to a fixed limit, see http://evil.example/", "m2", objection),
    ],
    ["has markup", says("Boris Petrov <b>objects</b> to a fixed limit.", "m2", objection)],
    ["has no words", says("…", "m2", objection)],
  ])("that %s is dropped", (_, sentence) => {
    expect(verifySummary([sentence], debate)).toEqual({
      kept: [],
      dropped: [{ sentence, problem: expect.any(String) }],
    });
  });

  it.each([
    says("Boris Petrov objects to a fixed limit of five.", "m2", objection),
    says("Boris is against a fixed limit.", "m2", objection),
    says("Anna Lind proposes to limit retries to 5 attempts since faults stay hidden.", "m1", proposal),
    says("Anna suggests limiting retries to five attempts.", "m1", proposal),
    says(
      "Chen Wei asks whether a limit in hours would be better.",
      "m3",
      "What about a limit in hours instead",
    ),
    says(
      "Anna Lind declares consensus on a setting with a default of 24 hours.",
      "m6",
      "We have consensus: the limit becomes a setting in hours, and the default is 24 hours.",
    ),
    says(
      "Anna Lind opposes a second setting.",
      "m6",
      "I do not support a second setting for the number of attempts.",
    ),
    says("On 5 March 2024 Boris Petrov objected to a fixed limit.", "m2", objection),
  ])("that its quote shows is kept: $text", (sentence) => {
    expect(check(sentence)).toHaveLength(1);
  });

  it("that counts as many people as it cites is kept", () => {
    const citations = [
      { message: "m2", start: 0, end: 0, quote: objection },
      { message: "m3", start: 0, end: 0, quote: "What about a limit in hours instead of a number" },
    ];
    expect(check({ text: "Two people want no fixed limit.", citations })).toHaveLength(2);
  });

  it("is kept once", () => {
    const sentence = says("Boris Petrov objects to a fixed limit of five.", "m2", objection);
    expect(verifySummary([sentence, sentence], debate)).toMatchObject({
      kept: { length: 1 },
      dropped: { length: 1 },
    });
  });
});

const anyPost = fc.record({
  id: fc.constantFrom("a", "b", "c"),
  parent: fc.constant(null),
  from: fc.record({ name: fc.string({ unit: "binary" }), address: fc.string() }),
  date: fc.option(fc.string()),
  subject: fc.string(),
  clean: fc.string({ unit: "binary", maxLength: 200 }),
});
const anySentence = fc.record({
  text: fc.string({ unit: "binary" }),
  citations: fc.array(
    fc.record({
      message: fc.constantFrom("a", "b", "x"),
      start: fc.oneof(fc.integer(), fc.double()),
      end: fc.integer(),
      quote: fc.string({ unit: "binary" }),
    }),
  ),
});

it("whatever is claimed about whatever thread, what is kept cites exact words, and the rest is told", () => {
  fc.assert(
    fc.property(
      fc.array(anyPost, { maxLength: 4 }),
      fc.array(anySentence, { maxLength: 6 }),
      (posts, sentences) => {
        const { kept, dropped } = verifySummary(sentences, posts);
        expect(kept.length + dropped.length).toBe(sentences.length);
        for (const { message, start, end, quote } of kept.flatMap(({ citations }) => citations)) {
          expect(posts.some(({ id, clean }) => id === message && clean.slice(start, end) === quote)).toBe(
            true,
          );
        }
        expect(kept.every(({ citations }) => citations.length > 0)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

it("a quote found in a text of any spelling is found again", () => {
  const words = fc.array(
    fc.constantFrom("limit", "retry", "Straße", "“quoted”", "it’s", "naïve", "…", "-1", "決定", "\n"),
    {
      minLength: 6,
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(words, fc.nat(), (list, seed) => {
      const clean = `Before this. ${list.join(" ")} limits the end`;
      const from = 13 + (seed % Math.max(1, clean.length - 30));
      const quote = clean.slice(from, from + 17);
      const { kept } = verifySummary(
        [
          {
            text: `Anna Lind writes: “${quote}”`,
            citations: [
              { message: "m1", start: 0, end: 1, quote: quote.toUpperCase().replace(/\s+/g, "  ") },
            ],
          },
        ],
        [aPost(clean)],
      );
      for (const citation of kept.flatMap(({ citations }) => citations)) {
        expect(clean.slice(citation.start, citation.end)).toBe(citation.quote);
      }
    }),
  );
});

it.each([
  ["one letter", "a".repeat(1_000_000), `${"a".repeat(400_000)}b`],
  ["many openings", "ab ".repeat(330_000), `${"ab ".repeat(100_000)}abc`],
  ["left-out middles", "... ".repeat(250_000), "first part of it ... second part of it ... third part of it"],
  ["quotation marks", '"'.repeat(1_000_000), `${"'".repeat(1_000)} is said`],
])("a megabyte of %s is searched without going back and forth", (_, clean, quote) => {
  const posts = [aPost(clean)];
  expect(check(says("Anna Lind says something.", "m1", quote), posts)).toMatch(/not in the message/);
});
