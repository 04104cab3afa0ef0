import { describe, expect, test } from "vitest";
import { moves, shownStatus, type TaskState } from "./task.ts";

const states: readonly TaskState[] = ["none", "pending", "done", "dead"];
const movesFrom = (state: TaskState) =>
  Object.values(moves).filter((move) => (move.from as readonly TaskState[]).includes(state));

/** Every state that can be reached, however many moves it takes. */
function reachable(from: TaskState): Set<TaskState> {
  const found = new Set<TaskState>([from]);
  for (const state of found) for (const { to } of movesFrom(state)) found.add(to);
  return found;
}

describe("the moves of a task", () => {
  test("lead nowhere but to known states, and start at known ones", () => {
    for (const { from, to } of Object.values(moves)) {
      expect(states).toContain(to);
      expect(from.length).toBeGreaterThan(0);
      for (const state of from) expect(states).toContain(state);
    }
  });

  test.each(states)("from %s there is a way to done and a way to none", (state) => {
    expect([...reachable(state)]).toEqual(expect.arrayContaining(["done", "none"]));
  });

  test("a task begins by being owed and in no other way", () => {
    expect(movesFrom("none")).toEqual([moves.owe]);
  });

  test("only what is pending is done or dies", () => {
    for (const { from, to } of Object.values(moves)) {
      if (to === "done" || to === "dead") expect(from).toEqual(["pending"]);
    }
  });

  test("what is done or dead comes back by a change, a person, or not at all", () => {
    const back = Object.entries(moves).filter(
      ([, { from, to }]) => to === "pending" && from.some((state) => state === "done" || state === "dead"),
    );
    expect(back.map(([name]) => name).sort()).toEqual(["input changed", "reprocess", "requeue"]);
  });
});

test.each<[TaskState, number, string]>([
  ["none", 0, "pending"],
  ["pending", 0, "pending"],
  ["pending", 1, "failed"],
  ["done", 0, "completed"],
  ["done", 4, "completed"],
  ["dead", 1, "failed_max_retries"],
  ["dead", 0, "failed_max_retries"],
])("a task that is %s after %s attempts is shown as %s", (state, attempts, shown) => {
  expect(shownStatus(state, attempts)).toBe(shown);
});
