import { expect, it } from "vitest";
import { virtualClock } from "../testing.ts";
import type { Lane } from "./lane.ts";
import { startPump } from "./pump.ts";

it("looks again soon after a failure, ever more rarely while it lasts, and soon again after the next one", async () => {
  const pollMs = 1_000;
  const base = virtualClock();
  const waits: number[] = [];
  const clock = {
    ...base,
    after(ms: number, ring: () => void) {
      waits.push(ms);
      setImmediate(ring);
      return () => undefined;
    },
  };
  /** Whether the database answers, poll by poll. */
  const answers = [false, false, false, false, false, false, false, true, false, false];
  let pump: ReturnType<typeof startPump> | null = null;
  const lane: Pick<Lane, "room" | "take" | "nextDue" | "onRoom"> = {
    room: () => 1,
    async take() {
      const answered = answers.shift();
      if (answered === undefined) void pump?.stop();
      else if (!answered) throw new Error("The connection broke.");
      return null;
    },
    nextDue: async () => null,
    onRoom: () => undefined,
  };
  const failures: unknown[] = [];
  pump = startPump(lane as Lane, {
    clock,
    pollMs,
    failed: (error) => failures.push(error),
    abandoned: () => undefined,
  });
  await expect.poll(() => answers.length).toBe(0);
  await pump.stop();
  expect(failures).toHaveLength(9);
  const [outage, idle, next] = [waits.slice(0, 7), waits[7], waits.slice(8, 10)];
  expect(outage[0]).toBeLessThan(100);
  expect(outage).toEqual([...outage].sort((a, b) => a - b));
  expect(outage.at(-1)).toBe(pollMs);
  expect(idle).toBe(pollMs);
  expect(next).toEqual(outage.slice(0, 2));
});
