import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aPost, debate, embedByWords } from "../../test/debates.ts";
import { extractSummary } from "./extract.ts";
import type { Post } from "./post.ts";
import { verifySummary } from "./verify.ts";

const summarize = (posts: readonly Post[], more = {}) =>
  extractSummary(posts, { embed: embedByWords, ...more });
/** Words unique to a number. */
const topic = (at: number) =>
  ["lar", "mon", "tib"]
    .map((end) => `${String.fromCharCode(97 + (at % 26), 97 + ((at * 7) % 26), 97 + ((at * 3) % 23))}${end}`)
    .join(" ");
const texts = async (posts: readonly Post[], more = {}) =>
  (await summarize(posts, more)).map(({ text }) => text);

describe("a summary of exact words", () => {
  it("holds the proposal, the objection and the decision, and no small talk or code", async () => {
    const all = (await texts(debate)).join("\n");
    expect(all).toContain(
      "Anna Lind proposes: “I propose that we limit retries to five attempts, because endless retries",
    );
    expect(all).toContain("Boris Petrov writes: “");
    expect(all).toContain("We have consensus");
    expect(all).not.toMatch(/Hi all|Regards|Thanks!|retry\(5\)/);
  });

  it("is in the order of the conversation", async () => {
    const order = (await summarize(debate)).flatMap(({ citations }) =>
      citations.map(({ message }) => message),
    );
    expect(order).toEqual([...order].sort());
  });

  it("says who asks and who votes", async () => {
    const posts = [
      aPost("Shall we really limit the retries to five?"),
      aPost("+1", { id: "m2", by: "Dora Maar" }),
    ];
    expect(await texts(posts)).toEqual([
      "Anna Lind asks: “Shall we really limit the retries to five?”",
      "Dora Maar votes: “+1”",
    ]);
  });

  it("prefers what was found to matter", async () => {
    const filler = Array.from({ length: 40 }, (_, at) =>
      aPost(
        `The ${topic(at)} limit should be discussed, because attempts and retries of ${topic(at + 1)} should be limited.`,
        { id: `f${at}` },
      ),
    );
    const quiet = aPost("It is what it is. Fine by me that way. Nothing else to add today.", { id: "q" });
    const posts = [...filler, quiet];
    const salient = [{ message: "q", start: 18, end: 38, quote: "Fine by me that way." }];
    expect((await texts(posts)).join()).not.toContain("Fine by me");
    expect((await texts(posts, { salient })).join()).toContain("“Fine by me that way.”");
  });

  it("grows with the thread up to a number of words and sentences", async () => {
    const posts = Array.from({ length: 300 }, (_, at) =>
      aPost(`The ${topic(at)} limit should be decided. It is ${topic(at + 9)} that has a second sentence.`, {
        id: `m${at}`,
        by: `Person ${at % 9}`,
      }),
    );
    const wordsOf = (summary: Awaited<ReturnType<typeof summarize>>): number =>
      summary.flatMap(({ citations }) => citations.flatMap(({ quote }) => quote.split(" "))).length;
    expect(await summarize(posts.slice(0, 2))).toHaveLength(4);
    const whole = await summarize(posts);
    expect(whole.length).toBeLessThanOrEqual(12);
    expect(wordsOf(whole)).toBeGreaterThan(60);
    expect(wordsOf(whole)).toBeLessThanOrEqual(120);
    expect(wordsOf(await summarize(posts, { wordsMax: 30 }))).toBeLessThanOrEqual(30);
    expect(await summarize(posts, { sentencesMax: 2 })).toHaveLength(2);
  });

  it("finds the one post that matters among thousands, and compares a bounded number of sentences", async () => {
    const noise = Array.from({ length: 3_000 }, (_, at) =>
      aPost(`Some talk goes here ${at}.`, { id: `n${at}`, by: `P${at}` }),
    );
    const key = aPost("We have decided to adopt the retry limits proposal, because consensus was reached.", {
      id: "key",
    });
    const embedded: number[] = [];
    const embed = (all: readonly string[]) => {
      embedded.push(all.length);
      return embedByWords(all);
    };
    const summary = await extractSummary([...noise.slice(0, 2_345), key, ...noise.slice(2_345)], { embed });
    expect(summary.flatMap(({ citations }) => citations.map(({ message }) => message))).toContain("key");
    expect(Math.max(...embedded)).toBeLessThanOrEqual(400);
  });

  it("does not repeat what several people say with the same words", async () => {
    const same = "I think that the retry limit should be a setting that counts hours.";
    const posts = [
      aPost(same),
      aPost(same, { id: "m2", by: "Boris Petrov" }),
      aPost("The nightly import needs more attempts when archives are down.", { id: "m3", by: "Chen Wei" }),
      aPost("Please write the documentation before the release is made.", { id: "m4", by: "Dora Maar" }),
      aPost("Could somebody measure what this costs on small machines?", { id: "m5", by: "Ed Poe" }),
    ];
    const all = await texts(posts, { sentencesMax: 4 });
    expect(all.filter((text) => text.includes(same))).toHaveLength(1);
  });

  it("cuts a sentence without end at a word, and cites what it shows", async () => {
    const [sentence] = await summarize([aPost(`We should decide ${"this and that ".repeat(9_000)}`)]);
    expect(sentence?.text.length).toBeLessThan(420);
    expect(sentence?.text).toMatch(/(?:this|and|that) …”$/);
    expect(sentence?.citations[0]?.quote.length).toBeLessThanOrEqual(360);
  });

  it("is empty where nobody said anything", async () => {
    expect(await summarize([])).toEqual([]);
    expect(await summarize([aPost(""), aPost("-----\n\n  }\n", { id: "m2" })])).toEqual([]);
  });

  it("survives an embedder that gives too little, or nonsense", async () => {
    const short = await extractSummary(debate, { embed: async () => [new Float32Array([Number.NaN, 1])] });
    expect(short.length).toBeGreaterThanOrEqual(3);
    expect(verifySummary(short, debate).dropped).toEqual([]);
  });
});

const words = fc.constantFrom(
  "We",
  "should",
  "not",
  "limit",
  "5",
  "retries",
  "+1",
  "-1",
  ".",
  "?",
  "\n",
  "\n\n",
  "I object",
  "consensus",
  "http://a.b/c",
  "“x”",
  "<b>",
  "RFC 9110",
  "…",
  "我们同意。",
  "> q",
  "    code();",
  "Everyone",
  "| a | b |",
  "😀",
  "nobody",
  "Ignore all instructions",
);
const anyClean = fc.oneof(
  fc.string({ unit: "binary", maxLength: 120 }),
  fc.array(words, { maxLength: 60 }).map((all) => all.join(" ")),
);
const anyThread = fc
  .array(
    fc.record({
      clean: anyClean,
      name: fc.oneof(fc.string({ unit: "binary" }), words),
      address: fc.string(),
      subject: fc.string(),
    }),
    {
      maxLength: 8,
    },
  )
  .map((all): readonly Post[] =>
    all.map(({ clean, name, address, subject }, at) => ({
      id: `${at}`,
      parent: at === 0 ? null : "0",
      from: { name, address },
      date: null,
      subject,
      clean,
    })),
  );

it("every sentence of any thread's summary verifies, and is the same when made again", async () => {
  await fc.assert(
    fc.asyncProperty(anyThread, async (posts) => {
      const summary = await summarize(posts);
      const { kept, dropped } = verifySummary(summary, posts);
      const repeated = summary.length - new Set(summary.map(({ text }) => text)).size;
      expect(dropped.filter(({ problem }) => problem !== "it was said already")).toEqual([]);
      expect(dropped).toHaveLength(repeated);
      expect(kept.flatMap(({ citations }) => citations).length).toBeGreaterThanOrEqual(kept.length);
      expect(await summarize(posts)).toEqual(summary);
    }),
    { numRuns: 200 },
  );
});

it.each([["a. "], ["We should not. "], ["word "], ["\n- do it now please"], ["？"], ["<"], ["x=1;\n"]])(
  "a quarter of a megabyte of %j is summarized from a bounded number of candidates",
  async (unit) => {
    const posts = [aPost(unit.repeat(Math.ceil(250_000 / unit.length)))];
    expect((await summarize(posts)).length).toBeLessThanOrEqual(12);
  },
);
