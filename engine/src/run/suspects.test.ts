import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSuspects, makeTurn } from "./suspects.ts";

describe("tasks in hand whose worker died", () => {
  it("are never more than 32 of one crash at a stage, and one of more at all stages together, whatever comes and goes", () => {
    const step = fc.record({
      stage: fc.integer({ min: 0, max: 2 }),
      crashes: fc.integer({ min: 0, max: 4 }),
      waiting: fc.integer({ min: 1, max: 2_000 }),
      limit: fc.integer({ min: 1, max: 1_000 }),
      fromStart: fc.boolean(),
      /** How much of which of those in hand ends before. */
      ended: fc.option(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 40 })), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const turn = makeTurn();
        const stages = [1, 2, 3].map(() => countSuspects(turn, () => undefined));
        const held: { stage: number; crashes: number; tasks: number; letGo: (tasks: number) => void }[] = [];
        const inHand = (kind: (one: { stage: number; crashes: number }) => boolean) =>
          held.reduce((sum, one) => sum + (kind(one) ? one.tasks : 0), 0);
        for (const { stage, crashes, waiting, limit, fromStart, ended } of steps) {
          const suspects = stages[stage] as (typeof stages)[0];
          const some = ended && held[ended[0] % held.length];
          if (some) {
            const tasks = Math.min(some.tasks, ended[1]);
            some.tasks -= tasks;
            some.letGo(tasks);
          }
          const asked = suspects.allow(limit, { fromStart });
          const refused = (crashes === 1 && !asked.few) || (crashes > 1 && !asked.alone);
          suspects.answered(asked, refused ? 0 : crashes);
          if (refused) continue;
          // Tasks as claimed from the database: tasks after a single crash at most 32 at once, after several crashes one at a time.
          const tasks = Math.min(waiting, asked.limit, crashes === 0 ? waiting : crashes === 1 ? 32 : 1);
          held.push({ stage, crashes, tasks, letGo: suspects.hold(crashes, tasks) });
          expect(inHand((one) => one.stage === stage && one.crashes === 1)).toBeLessThanOrEqual(32);
          expect(inHand((one) => one.crashes > 1)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("are filled up while one of them hangs, by whoever looks through all; others are claimed as ever", () => {
    const suspects = countSuspects(makeTurn(), () => undefined);
    const ask = (fromStart: boolean) => {
      const asked = suspects.allow(500, { fromStart });
      suspects.answered(asked, 0);
      return asked;
    };
    const letGo = suspects.hold(1, 32);
    expect(ask(true)).toEqual({ limit: 500, few: false, alone: true });
    letGo(31);
    expect(ask(true)).toEqual({ limit: 31, few: true, alone: true });
    expect(ask(false)).toEqual({ limit: 500, few: false, alone: true });
    letGo(1);
    expect(ask(false)).toEqual({ limit: 500, few: true, alone: true });
  });

  it("a stage that was refused its turn is told when it is free, and asks before the one that had it", () => {
    const told: string[] = [];
    const turn = makeTurn();
    const [first, second] = ["first", "second"].map((name) =>
      countSuspects(turn, () => void told.push(name)),
    );
    const ask = (suspects = first) => suspects?.allow(1, { fromStart: true });
    const held = ask();
    expect(ask(second)).toMatchObject({ alone: false });
    expect(told).toEqual([]);
    if (held) first?.answered(held, 0);
    expect(told).toEqual(["second"]);
    expect(ask()).toMatchObject({ alone: false });
    expect(ask(second)).toMatchObject({ alone: true });
  });
});
