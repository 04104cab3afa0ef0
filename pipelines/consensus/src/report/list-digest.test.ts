import { describe, expect, it } from "vitest";
import { aStory } from "../../test/stories.ts";
import { listDigest } from "./list-digest.ts";

const at = (id: string, lastDate: string | null) => {
  const story = aStory();
  return { ...story, thread: { ...story.thread, id, lastDate } };
};

describe("a list digest", () => {
  it("puts the thread with the newest activity first and those without a date last", () => {
    const threads = [at("old", "2024-01-01T00:00:00Z"), at("none", null), at("new", "2024-03-01T00:00:00Z")];
    expect(listDigest({ list: "quic", threads }).entries.map(({ thread }) => thread)).toEqual([
      "new",
      "old",
      "none",
    ]);
  });

  it("says of each thread what it came to in one line", () => {
    expect(listDigest({ list: "quic", threads: [aStory()] }).entries).toMatchObject([
      {
        title: "Key update",
        messages: 3,
        participants: 3,
        level: "rough",
        confidence: 0.72,
        line: "I support this.",
        decisions: [{ kind: "adopted", by: { name: "Ada" }, quote: "I support this." }],
        openQuestions: [{ message: "m3" }],
        tally: { for: 1, against: 0, abstain: 1 },
      },
    ]);
  });

  it("counts threads, messages, people once each, and outcomes", () => {
    const threads = [aStory(), { ...aStory(), assessment: null, summary: null }];
    expect(listDigest({ list: "quic", threads })).toMatchObject({
      threads: 2,
      messages: 6,
      participants: 3,
      levels: { strong: 0, rough: 1, contested: 0, none: 0, undecided: 0 },
      firstDate: "2024-01-02T03:04:05.000Z",
      lastDate: "2024-02-03T04:05:06.000Z",
    });
  });

  it("of no threads is empty", () => {
    expect(listDigest({ list: "quic", threads: [] })).toMatchObject({
      threads: 0,
      firstDate: null,
      entries: [],
    });
  });
});
