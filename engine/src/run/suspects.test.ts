import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSuspects } from "./suspects.ts";

describe("tasks in hand whose worker died", () => {
  it("are never more than 32 of one crash, and one of more, whatever comes and goes", () => {
    const step = fc.record({
      crashes: fc.integer({ min: 0, max: 4 }),
      waiting: fc.integer({ min: 1, max: 2_000 }),
      limit: fc.integer({ min: 1, max: 1_000 }),
      fromStart: fc.boolean(),
      /** How much of which of those in hand ends before. */
      ended: fc.option(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 40 })), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const suspects = countSuspects();
        const held: { crashes: number; tasks: number; letGo: (tasks: number) => void }[] = [];
        const inHand = (kind: (crashes: number) => boolean) =>
          held.reduce((sum, one) => sum + (kind(one.crashes) ? one.tasks : 0), 0);
        for (const { crashes, waiting, limit, fromStart, ended } of steps) {
          const some = ended && held[ended[0] % held.length];
          if (some) {
            const tasks = Math.min(some.tasks, ended[1]);
            some.tasks -= tasks;
            some.letGo(tasks);
          }
          const asked = suspects.allow(limit, { fromStart });
          if ((crashes === 1 && !asked.few) || (crashes > 1 && !asked.alone)) continue;
          // What the database gives out: all of one kind, those of one crash at most 32 at once, those of more one by one.
          const tasks = Math.min(waiting, asked.limit, crashes === 0 ? waiting : crashes === 1 ? 32 : 1);
          held.push({ crashes, tasks, letGo: suspects.hold(crashes, tasks) });
          expect(inHand((one) => one === 1)).toBeLessThanOrEqual(32);
          expect(inHand((one) => one > 1)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("are filled up while one of them hangs, by whoever looks through all; others are claimed as ever", () => {
    const suspects = countSuspects();
    const letGo = suspects.hold(1, 32);
    expect(suspects.allow(500, { fromStart: true })).toEqual({ limit: 500, few: false, alone: true });
    letGo(31);
    expect(suspects.allow(500, { fromStart: true })).toEqual({ limit: 31, few: true, alone: true });
    expect(suspects.allow(500, { fromStart: false })).toEqual({ limit: 500, few: false, alone: true });
    letGo(1);
    expect(suspects.allow(500, { fromStart: false })).toEqual({ limit: 500, few: true, alone: true });
  });
});
