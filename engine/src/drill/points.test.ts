import { describe, expect, it } from "vitest";
import type { Call } from "./faulty-database.ts";
import { chooseCrashes } from "./points.ts";

/** Consecutive calls per stage, `counts` many each; only the last call of a stage has an effect. */
function callsOf(counts: Readonly<Record<string, number>>): Call[] {
  const calls = Object.entries(counts).flatMap(([stage, count]) =>
    Array.from({ length: count }, (_, index) => ({ stage, effect: index === count - 1 })),
  );
  return calls.map((call, index) => ({ ...call, number: index + 1, what: "query", text: "" }));
}

const all = { stages: null, pointsMax: null };

describe("where a process is killed", () => {
  it("before every call, and after every one that changes something", () => {
    expect(chooseCrashes(callsOf({ a: 2 }), all)).toEqual([
      { at: 1, kind: "crash before" },
      { at: 2, kind: "crash before" },
      { at: 2, kind: "crash after" },
    ]);
  });

  it("of many places so many as are wanted, and every stage has its share, its last place with it", () => {
    const calls = callsOf({ few: 1, many: 100, more: 200 });
    const chosen = chooseCrashes(calls, { stages: null, pointsMax: 20 });
    expect(chosen).toHaveLength(20);
    expect(chooseCrashes(calls, { stages: null, pointsMax: 20 })).toEqual(chosen);
    const stageAt = (at: number) => calls[at - 1]?.stage;
    const counts = ["few", "many", "more"].map(
      (name) => chosen.filter(({ at }) => stageAt(at) === name).length,
    );
    expect(counts).toEqual([2, 9, 9]);
    for (const last of [1, 101, 301]) expect(chosen).toContainEqual({ at: last, kind: "crash after" });
  });

  it("only while one of certain stages is at work", () => {
    const chosen = chooseCrashes(callsOf({ a: 3, b: 3 }), { stages: ["b"], pointsMax: null });
    expect(chosen.map(({ at }) => at)).toEqual([4, 5, 6, 6]);
  });
});
