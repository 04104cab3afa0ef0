import { describe, expect, it } from "vitest";
import { aPosition, aStory, plainWords } from "../../test/stories.ts";
import { type ThreadReportInput, threadReport } from "./thread-report.ts";

const report = (change: Partial<ThreadReportInput> = {}) => threadReport({ ...aStory(), ...change });

describe("a thread report", () => {
  it("says what the thread came to, and on whose words", () => {
    expect(report()).toMatchObject({
      kind: "thread",
      title: "Key update",
      outcome: { level: "rough", confidence: 0.72, reasons: ["Key update"] },
      summary: { sentences: [{ text: "I support this.", citations: [{ number: 1 }, { number: 2 }] }] },
      decisions: [{ kind: "adopted", quote: "I support this.", by: { name: "Ada" }, number: 1 }],
      votes: [{ value: 1 }, { value: -1, counts: false }, { value: 0, binding: null }],
      tally: { for: 1, against: 0, abstain: 1 },
      flagged: [{ number: 3, flags: ["adopted"] }],
      verification: { dropped: 2, unverified: 0, removed: { adopted: 3 } },
    });
  });

  it("is plain data", () => {
    expect(JSON.parse(JSON.stringify(report()))).toEqual(report());
  });

  it("shows the position that stands, and the earlier one of somebody who changed their mind", () => {
    expect(report().positions).toMatchObject([
      { person: { address: "m1@example.org" }, stance: "support", earlier: [{ stance: "object" }] },
    ]);
  });

  it("takes a replaced position for the earlier one, whatever the senders' clocks said", () => {
    const person = { name: "Ada", address: "m1@example.org" };
    const quoted = { message: "m1", start: 0, end: 1, quote: "I" };
    const positions = [
      aPosition({
        id: "a",
        stance: "object",
        person,
        ...quoted,
        at: "2030-01-01T00:00:00Z",
        supersededBy: "b",
      }),
      aPosition({ id: "b", stance: "support", person, ...quoted, at: "2024-01-01T00:00:00Z" }),
    ];
    expect(report({ positions }).positions).toMatchObject([
      { stance: "support", earlier: [{ stance: "object" }] },
    ]);
  });

  it("lists a question as open until its message is answered or its author takes a position", () => {
    const person = { name: "Ada", address: "m1@example.org" };
    const quoted = { start: 0, end: 1, quote: "I" };
    const ask = (id: string, message: string, supersededBy: string | null = null) =>
      aPosition({ id, stance: "question", person, message, ...quoted, supersededBy });
    const positions = [ask("a", "m1"), ask("b", "m3", "c"), ask("c", "m3")];
    expect(report({ positions }).openQuestions).toMatchObject([{ number: 3 }]);
  });

  it("leaves out every quote that is not in the message, and sentences that have no other", () => {
    const messages = aStory().messages.map((message) => ({
      ...message,
      clean: message.clean.replace("support", "oppose"),
    }));
    expect(report({ messages })).toMatchObject({
      summary: { sentences: [] },
      decisions: [],
      votes: [],
      positions: [],
      openQuestions: [],
      verification: { dropped: 3, unverified: 3 },
    });
  });

  it("shows a message that is not at hand as missing", () => {
    const [first, , third] = aStory().messages;
    const { tree } = report({ messages: [first, third].flatMap((each) => each ?? []) });
    expect(tree.map(({ number, depth, from }) => [number, depth, from === null])).toEqual([
      [1, 0, false],
      [2, 1, true],
      [3, 2, false],
    ]);
  });

  it("is complete for a thread nobody has weighed yet", () => {
    expect(report({ assessment: null, summary: null, positions: [] })).toMatchObject({
      outcome: null,
      summary: null,
      votes: [],
      tally: null,
      verification: { dropped: 0 },
    });
  });

  it("collects what the messages link to, once each, with where it was named", () => {
    const text = "See https://example.org/, RFC 9000 and RFC9000.";
    expect(threadReport(aStory({ ...plainWords, text })).links).toEqual([
      { kind: "rfc", label: "RFC 9000", href: "https://www.rfc-editor.org/rfc/rfc9000", numbers: [1, 2, 3] },
      { kind: "url", label: "https://example.org/", href: "https://example.org/", numbers: [1, 2, 3] },
    ]);
  });

  it("shortens a long message to an excerpt that ends with a word", () => {
    const [entry] = threadReport(aStory({ ...plainWords, text: "word ".repeat(200_000) })).tree;
    expect(entry?.excerpt).toMatch(/^(word )+word…$/);
    expect(entry?.excerpt.length).toBeLessThanOrEqual(241);
  });

  it("holds 20,000 messages, each below the one before", () => {
    const { thread } = aStory();
    const messages = Array.from({ length: 20_000 }, (_, at) => ({
      message: `m${at}`,
      parent: at === 0 ? null : `m${at - 1}`,
    }));
    expect(report({ thread: { ...thread, messages } }).tree.at(-1)?.depth).toBe(19_999);
  });
});
