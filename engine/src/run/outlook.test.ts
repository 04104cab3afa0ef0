import { expect, it } from "vitest";
import type { Database } from "../store/database.ts";
import type { Outlook } from "../store/tasks.ts";
import type { Lane } from "./lane.ts";
import { makeSharedPoll } from "./outlook.ts";
import { startPump } from "./pump.ts";
import { virtualClock } from "./virtual-clock.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Idle pumps on one clock, with counts of what they ask the database. */
function startIdle(stages: readonly number[]) {
  const clock = virtualClock();
  const asked = { polls: 0, takes: 0, nexts: 0 };
  const due = new Set<number>();
  const store = {
    findDue: async () => {
      asked.polls += 1;
      return stages.map((stage): Outlook => ({ stage, due: due.has(stage), next: null }));
    },
  };
  const poll = makeSharedPoll({ db: {} as Database, store, clock, stages, pollMs: 1_000 });
  const pumps = stages.map((number) => {
    const lane = {
      plan: { number },
      room: () => 1,
      take: async () => {
        asked.takes += 1;
        return null;
      },
      nextDue: async () => {
        asked.nexts += 1;
        return null;
      },
      isInDoubt: () => false,
      onRoom: () => undefined,
    };
    const fail = (error: unknown) => {
      throw error;
    };
    return startPump(lane as unknown as Lane, { clock, pollMs: 1_000, poll, failed: fail, abandoned: fail });
  });
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 50) {
      await settle();
      clock.advance(50);
      await settle();
    }
  };
  return { asked, due, pumps, pass, stop: () => Promise.all(pumps.map((pump) => pump.stop())) };
}

it("idle lanes ask the database once an interval together, and look only where something is due", async () => {
  const { asked, due, pass, stop } = startIdle([1, 2, 3, 4, 5, 6, 7, 8]);
  await pass(100);
  expect(asked).toEqual({ polls: 0, takes: 8, nexts: 8 });
  await pass(10_000);
  expect(asked).toMatchObject({ takes: 8, nexts: 8 });
  expect(asked.polls).toBeGreaterThanOrEqual(9);
  expect(asked.polls).toBeLessThanOrEqual(11);
  due.add(3);
  await pass(1_100);
  expect(asked.takes).toBeGreaterThanOrEqual(9);
  expect(asked.takes).toBeLessThanOrEqual(10);
  await stop();
});

it("a notification is followed at once, and costs the other lanes nothing", async () => {
  const { asked, pumps, pass, stop } = startIdle([1, 2, 3]);
  await pass(100);
  pumps[1]?.wake();
  await settle();
  expect(asked).toMatchObject({ polls: 0, takes: 4 });
  await stop();
});
