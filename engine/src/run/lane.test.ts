import { expect, it } from "vitest";
import type { PlannedStage } from "./graph.ts";
import { type LaneParts, makeLane } from "./lane.ts";
import { startPump } from "./pump.ts";
import { makeTurn } from "./suspects.ts";
import { virtualClock } from "./virtual-clock.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A lane whose database holds one task, due a moment after the first look has begun. */
function aLane(open: "open" | "shut") {
  const clock = virtualClock();
  const readyAt = new Date(clock.now().getTime() + 1);
  const asked = { takes: 0, nexts: 0 };
  const store = {
    async takeTasks(_: unknown, { now }: { now: Date }) {
      asked.takes += 1;
      // The look itself takes time, in which the task becomes due.
      clock.advance(5);
      return now >= readyAt ? Promise.reject(new Error("claimed")) : null;
    },
    async nextReadyAt(_: unknown, __: number, after: Date) {
      asked.nexts += 1;
      return readyAt > after ? readyAt : null;
    },
  };
  const stage = { name: "s", shape: "single", concurrency: null, rate: null, needs: [], looks: [], run() {} };
  const plan = { number: 1, stage } as unknown as PlannedStage;
  const lane = makeLane(plan, {
    clock,
    store,
    db: {},
    slots: 1,
    batchMax: 1,
    turn: makeTurn(),
    workerNumber: () => 1,
    controls: { opening: () => ({ kind: open, limit: null, probe: null }) },
  } as unknown as LaneParts);
  return { clock, lane, asked };
}

it("a task that becomes due during a look is found at once, not by the next poll", async () => {
  const { clock, lane } = aLane("open");
  const failures: string[] = [];
  const failed = (error: unknown) => failures.push((error as Error).message);
  const pump = startPump(lane, { clock, pollMs: 1_000, failed, abandoned: failed });
  await settle();
  clock.advance(1);
  await settle();
  expect(failures).toEqual(["claimed"]);
  await pump.stop();
});

it("a paused stage with due tasks is looked at once an interval", async () => {
  const { clock, lane, asked } = aLane("shut");
  const failed = (error: unknown) => expect.fail(String(error));
  const pump = startPump(lane, { clock, pollMs: 1_000, failed, abandoned: failed });
  for (let at = 0; at < 300; at++) {
    await settle();
    clock.advance(10);
  }
  expect(asked.takes).toBe(0);
  expect(asked.nexts).toBeLessThanOrEqual(6);
  await pump.stop();
});
