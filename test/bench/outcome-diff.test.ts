import { describe, expect, it } from "vitest";
import { compareOutcomes, tellChanges } from "../../bench/quality/diff/compare.ts";
import type { ThreadOutcome } from "../../bench/quality/diff/outcomes.ts";

const anOutcome = (rest: Partial<ThreadOutcome> = {}): ThreadOutcome => ({
  list: "a",
  thread: "t1",
  subject: "Queues",
  level: "undecided",
  question: "proposal t1",
  stances: { m1: "support" },
  decisions: [],
  ...rest,
});

describe("the comparison of two trees", () => {
  it("is silent about equal threads", () => {
    expect(compareOutcomes([anOutcome()], [anOutcome()])).toEqual([]);
  });

  it("tells gained, lost and turned positions, levels, questions and decisions", () => {
    const after = anOutcome({
      level: "rough",
      question: null,
      stances: { m1: "object", m2: "support" },
      decisions: ["merged m3"],
    });
    expect(compareOutcomes([anOutcome()], [after])[0]?.changes).toEqual([
      "level undecided → rough",
      "question proposal t1 → none",
      "TURNED ROUND support → object m1",
      "+ support m2",
      "+ decision merged m3",
    ]);
  });

  it("tells threads that are new or gone, and counts", () => {
    const changed = compareOutcomes([anOutcome()], [anOutcome({ thread: "t2" })]);
    expect(changed.map(({ changes }) => changes)).toEqual([["a new thread"], ["the thread is gone"]]);
    expect(tellChanges(changed, 1)).toContain("2 of 1 threads changed, 0 positions turned round");
  });
});
