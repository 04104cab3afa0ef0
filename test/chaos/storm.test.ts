import { describe, expect, it } from "vitest";
import { compareContent } from "../../chaos/content.ts";
import { checkHeard } from "../../chaos/events.ts";
import { checkFaults } from "../../chaos/faults.ts";
import type { Handed } from "../../chaos/feeder.ts";
import { keepLedger } from "../../chaos/ledger.ts";
import { fateOf, parcelOf } from "../../chaos/parcels.ts";
import { measureRecovery } from "../../chaos/recovery.ts";
import { brokerStrikes, planStorm, strikeKinds } from "../../chaos/storm.ts";

describe("a storm", () => {
  const plan = { seed: 7, minutes: 2, broker: false };

  it("is the same for the same seed, and another for another", () => {
    expect(planStorm(plan)).toEqual(planStorm(plan));
    expect(planStorm(plan)).not.toEqual(planStorm({ ...plan, seed: 8 }));
    expect(parcelOf(7, 12, 1)).toEqual(parcelOf(7, 12, 1));
    expect(fateOf(7, 12)).toEqual(fateOf(7, 12));
  });

  it("has every kind of strike in it, however short it is, and ends before its time", () => {
    const short = planStorm({ ...plan, minutes: 0.2, broker: true });
    const kinds = Object.keys({ ...strikeKinds, ...brokerStrikes });
    expect(new Set(short.map((one) => one.kind))).toEqual(new Set(kinds));
    for (const { atMs } of short) expect(atMs).toBeLessThan(12_000);
  });

  it("of ten minutes is what was promised: 500 kills, 50 zombies, 20 and 10 restarts", () => {
    const strikes = planStorm({ ...plan, minutes: 10, broker: true });
    const count = (start: string) => strikes.filter(({ kind }) => kind.startsWith(start)).length;
    expect(count("kill")).toBeGreaterThanOrEqual(500);
    expect(count("freeze")).toBeGreaterThanOrEqual(60);
    expect(count("restart the database")).toBeGreaterThanOrEqual(20);
    expect(count("restart the broker")).toBeGreaterThanOrEqual(10);
  });
});

describe("the checker finds out", () => {
  const aParcel = (id: string, given: Partial<Handed> = {}): Handed => ({
    collection: "parcels",
    id,
    number: 0,
    version: 0,
    acknowledged: true,
    deleted: false,
    ...given,
  });

  it("what is lost, recovered and unexpected, in Jepsen's words", () => {
    const handed = [
      aParcel("a"),
      aParcel("b"),
      aParcel("c", { acknowledged: false }),
      aParcel("d", { acknowledged: false }),
      aParcel("e", { deleted: true }),
      aParcel("f", { deleted: true }),
    ];
    const found = new Set(["parcels/a", "parcels/c", "parcels/f", "parcels/nobody"]);
    expect(keepLedger(handed, found)).toEqual({
      attempted: 6,
      acknowledged: 4,
      ok: 2,
      lost: ["parcels/b"],
      recovered: 1,
      unexpected: ["parcels/nobody", "parcels/f"],
    });
  });

  it("content that is missing, stale or too much", () => {
    const wanted = new Map([
      ["slips/a", "1"],
      ["slips/b", "2"],
    ]);
    const found = new Map([
      ["slips/b", "old"],
      ["slips/c", "3"],
    ]);
    expect(compareContent(found, wanted).map(({ harm, story }) => `${harm}: ${story}`)).toEqual([
      "lost: slips/a is missing",
      "lost: slips/b is old, it should be 2",
      "doubled: slips/c should not be there",
    ]);
    expect(compareContent(wanted, wanted)).toEqual([]);
  });

  it("an attempt that was burnt by an outage of the database", () => {
    const own = { stage: "opening", kind: "permanent", code: "parcel.poison", count: 3, message: "" };
    const burnt = { stage: "opening", kind: "transient", code: "ECONNREFUSED", count: 1, message: "" };
    expect(checkFaults([own])).toEqual([]);
    expect(checkFaults([own, burnt])).toHaveLength(1);
  });

  it("an event that the broker took and nobody heard", () => {
    const told = new Map([
      ["before it was emptied", { times: 1, lastAt: 5 }],
      ["heard", { times: 1, lastAt: 15 }],
      ["unheard", { times: 2, lastAt: 15 }],
    ]);
    const broken = checkHeard(told, { heard: new Map([["heard", 1]]), since: 10 });
    expect(broken.map((one) => one.story)).toEqual(["unheard was told and not heard"]);
  });
});

describe("the time from a kill to the next attempt", () => {
  const orphan = (session: string, stage: string, nextAt: number, suspect = false) => ({
    session,
    stage,
    killedAt: 1_000,
    evictedAt: 1_600,
    nextAt,
    suspect,
  });

  it("is that of the first task that somebody takes up, suspects apart", () => {
    const orphaned = [
      orphan("w1", "opening", 3_000),
      orphan("w1", "pricing", 1_700),
      orphan("w2", "opening", 1_900),
      orphan("w2", "copying", 1_800, true),
      orphan("w3", "copying", 6_000, true),
    ];
    expect(measureRecovery(orphaned, [])).toEqual({
      kills: 3,
      p50: 900,
      p99: 900,
      max: 900,
      evicted: { p50: 600, p99: 600, max: 600 },
      suspects: { p50: 5_000, p99: 5_000, max: 5_000 },
      slowest: [
        { session: "w2", stage: "opening", ms: 900, givenUpMs: 600 },
        { session: "w1", stage: "pricing", ms: 700, givenUpMs: 600 },
      ],
    });
  });

  it("does not count while the database is away or the stage is paused, and counts overlaps once", () => {
    const excuses = [
      { from: 1_200, to: 1_500, stage: null, why: "" },
      { from: 1_400, to: 1_600, stage: "opening", why: "" },
      { from: 0, to: 9_000, stage: "pricing", why: "" },
    ];
    expect(measureRecovery([orphan("w1", "opening", 2_000)], excuses).max).toBe(600);
  });
});
