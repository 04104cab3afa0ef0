import type { StageExplanation } from "@headway/engine/operate";
import { describe, expect, it } from "vitest";
import { nextCommand } from "./next-command.ts";

const order = { collection: "orders", stage: null, id: "two words" };
const standing = (given: Partial<StageExplanation>): StageExplanation => ({
  stage: "reading",
  group: null,
  state: "pending",
  status: "pending",
  attemptCount: 1,
  lastAttemptTime: null,
  limit: 5,
  because: "due",
  sentence: "",
  next: { what: "", at: null, waitsFor: null },
  heldBy: null,
  fault: null,
  fix: null,
  members: null,
  result: null,
  stale: [],
  made: null,
  newest: null,
  breaker: null,
  deadLetter: null,
  retrySuggested: false,
  ...given,
});

describe("what to type next", () => {
  it("is what puts right what holds a document back", () => {
    const typed = (given: Partial<StageExplanation>) => nextCommand(order, standing(given));
    expect(typed({ because: "dead", state: "dead", deadLetter: 7 })).toBe("headway failed inspect 7");
    expect(typed({ because: "paused" })).toBe("headway resume reading");
    expect(typed({ because: "no worker" })).toBe("headway up");
    expect(typed({ because: "backoff" })).toBe(
      "headway retry 'two words' --collection orders --stage reading",
    );
    expect(typed({ because: "stale" })).toBe("headway reprocess --stage reading --ids 'two words'");
    expect(typed({ because: "forgotten" })).toBe("headway sweep --once");
    expect(typed({ because: "done" })).toBeNull();
  });

  it("is about the group where that stands for the document", () => {
    const members = { total: 2, pending: 1, dead: 0, first: ["late"] };
    const packing = { stage: "packing", group: "ann" };
    expect(nextCommand(order, standing({ ...packing, because: "quiet" }))).toBe(
      "headway retry ann --stage packing",
    );
    expect(nextCommand(order, standing({ ...packing, because: "members", members }))).toBe(
      "headway explain late",
    );
  });
});
