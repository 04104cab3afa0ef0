import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Post, weigh } from "./weigh.ts";

const sentences = [
  "I support adoption.",
  "I object.",
  "+1",
  "-1 (binding)",
  "+0",
  "Works for me.",
  "I don't think we should adopt this.",
  "My concerns have been addressed.",
  "I withdraw my -1.",
  "I agree with Bo.",
  "What about IPv6?",
  "No objection.",
  "👍",
  "The vote passes with 3 +1.",
  "Please vote on this.",
  "Merged, thanks!",
  "> -1",
  "On Monday Bo wrote:",
  "Acked-by: Bo Kim",
  "This is not ready.",
  "[ ] +1 yes\n[x] -1 no",
  "```\n+1\n```",
  "I would support it if it were shorter.",
];
const subjects = [
  "[VOTE] Release 1.0",
  "Re: [VOTE] Release 1.0",
  "[RESULT] [VOTE] Release 1.0",
  "Proposal: x",
  "Re: x",
  "",
];
const words = fc.array(fc.oneof(fc.constantFrom(...sentences), fc.string({ unit: "grapheme" })), {
  maxLength: 6,
});
const somebody = fc.constantFrom("Ann Lee", "Bo Kim", "Cy Roe", "Di", "");

const thread: fc.Arbitrary<readonly Post[]> = fc
  .array(
    fc.record({
      name: somebody,
      text: words,
      subject: fc.constantFrom(...subjects),
      day: fc.option(fc.integer({ min: 1, max: 28 })),
    }),
    { maxLength: 8 },
  )
  .map((mails) =>
    mails.map(({ name, text, subject, day }, index) => ({
      id: `m${index}`,
      parent: index === 0 ? null : `m${Math.floor(index / 2)}`,
      from: { name, address: name === "" ? "" : `${name.replace(" ", ".").toLowerCase()}@example.org` },
      date: day === null ? null : new Date(Date.UTC(2024, 0, day)).toISOString(),
      subject,
      clean: text.join("\n"),
    })),
  );

describe("whatever a thread says", () => {
  it("every quote is exactly what its message says", () => {
    fc.assert(
      fc.property(thread, (posts) => {
        const { positions, votes, decisions, calls } = weigh(posts);
        for (const { message, start, end, quote } of [...positions, ...votes, ...decisions, ...calls]) {
          expect(posts.find(({ id }) => id === message)?.clean.slice(start, end)).toBe(quote);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("a position is replaced by a later one of the same person only, and everybody has one that stands", () => {
    fc.assert(
      fc.property(thread, (posts) => {
        const { positions } = weigh(posts);
        const ids = new Map([...new Set(positions.map(({ person }) => person))].map((one, at) => [one, at]));
        const onQuestion = ({ person, question = 1 }: (typeof positions)[number]) =>
          `${ids.get(person)} on ${question}`;
        for (const [index, position] of positions.entries()) {
          if (position.supersededBy === null) continue;
          expect(position.supersededBy).toBeGreaterThan(index);
          const later = positions[position.supersededBy];
          expect(later && onQuestion(later)).toBe(onQuestion(position));
        }
        const standing = positions.filter(({ supersededBy }) => supersededBy === null).map(onQuestion);
        expect(new Set(standing).size).toBe(standing.length);
        expect(new Set(positions.map(onQuestion)).size).toBe(standing.length);
        expect(new Set(positions.map(({ message }) => message)).size).toBe(positions.length);
      }),
      { numRuns: 100 },
    );
  });

  it("the tally is the votes that count", () => {
    fc.assert(
      fc.property(thread, (posts) => {
        const { tally, votes, confidence, otherQuestions, decisions } = weigh(posts);
        const counting = votes.filter(({ counts }) => counts).length;
        const sum = [tally, ...otherQuestions.map((other) => other.tally)]
          .map((each) => (each?.for ?? 0) + (each?.against ?? 0) + (each?.abstain ?? 0))
          .reduce((total, each) => total + each, 0);
        // A result without votes of its own question counts as declared.
        if (votes.length > 0 && decisions.length === 0) expect(sum).toBe(counting);
        if (votes.length > 0) expect(sum).toBeGreaterThanOrEqual(counting);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThan(1);
      }),
      { numRuns: 100 },
    );
  });

  it("a mail of quoted and foreign words alone takes no side", () => {
    const quoted = (text: string): string =>
      text
        .split(/[\n\r\u2028\u2029]/)
        .map((line) => `> ${line}`)
        .join("\n");
    fc.assert(
      fc.property(thread, words, (posts, text) => {
        const clean = `${quoted(text.join("\n"))}\n\n\`\`\`\n-1\n\`\`\`\n"I object"`;
        const foreign = {
          id: "q",
          parent: "m0",
          from: { name: "Quo Ter", address: "q@example.org" },
          date: null,
          subject: "Re: x",
          clean,
        };
        const weighed = weigh([...posts, foreign]);
        expect(weighed.positions.filter(({ message }) => message === "q")).toEqual([]);
        expect(weighed.votes.filter(({ message }) => message === "q")).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("a mail that only informs changes neither tally nor sides", () => {
    const informing = fc.constantFrom(
      "The meeting is on Tuesday at 10:00 UTC+1.",
      "I uploaded revision 5 to the site.",
      "The build log is at https://example.org/log-1.",
      "Thanks, everybody!",
    );
    fc.assert(
      fc.property(thread, informing, (posts, clean) => {
        const info = {
          id: "i",
          parent: "m0",
          from: { name: "Ina Form", address: "i@example.org" },
          date: null,
          subject: "Re: x",
          clean,
        };
        const before = weigh(posts);
        const after = weigh([...posts, info]);
        if (posts.length > 0) expect(after.tally).toEqual(before.tally);
        expect(after.positions).toEqual(before.positions);
      }),
      { numRuns: 100 },
    );
  });

  it("weighing again, or after another thread, gives the same", () => {
    fc.assert(
      fc.property(thread, thread, (one, other) => {
        const first = weigh(one);
        weigh(other);
        expect(weigh(one)).toEqual(first);
      }),
      { numRuns: 80 },
    );
  });
});

describe("a megabyte of garbage", () => {
  const size = 1_000_000;
  const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  it.each([
    ["one letter", "a"],
    ["votes", "+1 "],
    ["lines of votes", "+1\n-1\n0\n"],
    ["opened quotation marks", "“a"],
    ["straight quotation marks", '" '],
    ["backticks", "` "],
    ["hunks", "@@ -1,9999999 +1,9999999 @@\n"],
    ["the word I", "i "],
    ["the word not", "not "],
    ["half a sentence", "I have read the draft and "],
    ["concerns", "i have some serious "],
    ["agreements", "I agree with Bo's "],
    ["stops", ". "],
    ["commas", "and, "],
    ["results", "+1: Ann, "],
    ["attributions", "On 1 "],
  ])("made of %s is weighed in linear time", (_, piece) => {
    const post = {
      id: "g",
      parent: null,
      from: { name: "Ann Lee", address: "a@b" },
      date: null,
      subject: fill(piece),
      clean: fill(piece),
    };
    const weighed = weigh([post]);
    expect(weighed.positions.length).toBeLessThanOrEqual(1);
  });

  it("in names, addresses and dates is no trouble either", () => {
    const post = {
      id: "g",
      parent: "g",
      from: { name: fill("a, ("), address: fill("=40") },
      date: fill("9"),
      subject: "Re: [VOTE] it",
      clean: "+1",
    };
    expect(weigh([post]).tally).toEqual({ for: 1, against: 0, abstain: 0 });
  });
});
