import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Act, judge, type OpenAlert } from "./judge.ts";

const hour = 3_600_000;
const start = new Date("2026-01-02T03:00:00Z");
const at = (ms: number) => new Date(start.getTime() + ms);
const rule = { threshold: 5, remindMs: 4 * hour, resolveMs: 900_000 };
const nothing = { count: 0, fresh: 0, total: 0, lastAt: null };
const anAlert = (given: Partial<OpenAlert> = {}): OpenAlert => ({
  lastAt: start,
  count: 5,
  toldAt: start,
  toldCount: 5,
  notices: 1,
  acknowledged: false,
  mutedUntil: null,
  ...given,
});
const tells = (act: Act) => ["open", "remind", "worse", "resolve"].includes(act);

describe("judge", () => {
  const look = (given: Partial<OpenAlert>, minutes: number, fresh = 1, total = 6) =>
    judge(
      rule,
      anAlert(given),
      { count: fresh, fresh, total, lastAt: fresh > 0 ? at(minutes * 60_000) : null },
      { now: at(minutes * 60_000), canTell: true },
    );

  it("opens at the threshold, and only then", () => {
    const judged = (count: number) =>
      judge(rule, null, { ...nothing, count, fresh: count, lastAt: start }, { now: start, canTell: true });
    expect([judged(4), judged(5), judged(500)]).toEqual(["wait", "open", "open"]);
  });

  it("without a channel an alert is raised, and told as soon as there is one", () => {
    const seen = { ...nothing, count: 9, fresh: 9, total: 9, lastAt: start };
    expect(judge(rule, null, seen, { now: start, canTell: false })).toBe("raise");
    const silent = anAlert({ toldAt: null, toldCount: null, notices: 0 });
    expect(judge(rule, silent, seen, { now: start, canTell: false })).toBe("count");
    expect(judge(rule, silent, seen, { now: start, canTell: true })).toBe("open");
    expect(judge(rule, silent, nothing, { now: at(hour), canTell: true })).toBe("hush");
  });

  it("more of the same is counted in silence until a reminder is due", () => {
    expect([look({}, 10), look({}, 239), look({}, 240)]).toEqual(["count", "count", "remind"]);
    expect([look({ notices: 2 }, 240), look({ notices: 2 }, 24 * 60)]).toEqual(["count", "remind"]);
  });

  it("ten times as many is told at once, and once", () => {
    expect(look({}, 1, 45, 50)).toBe("worse");
    expect(look({ notices: 2 }, 1, 45, 50)).toBe("count");
  });

  it("quiet ends it; news within the quiet time does not", () => {
    expect(look({}, 14, 0)).toBe("count");
    expect(look({}, 15, 0)).toBe("resolve");
    expect(look({}, 15, 1)).toBe("count");
  });

  it("muted alerts tell nothing, acknowledged ones only that it got worse or ended", () => {
    const mutedUntil = at(30 * 24 * hour);
    expect([look({ mutedUntil }, 300), look({ mutedUntil }, 1, 100, 900)]).toEqual(["count", "count"]);
    expect(look({ mutedUntil }, 300, 0)).toBe("hush");
    expect(look({ acknowledged: true }, 300)).toBe("count");
    expect(look({ acknowledged: true }, 300, 100, 900)).toBe("worse");
    expect(look({ acknowledged: true }, 300, 0)).toBe("resolve");
  });

  it("whatever comes, notices stay few, and each end follows an opening", () => {
    const looks = fc.array(fc.record({ minutes: fc.integer({ min: 1, max: 300 }), deaths: fc.nat(2_000) }), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(looks, (steps) => {
        let alert: OpenAlert | null = null;
        let now = 0;
        let told: Act[] = [];
        let openedAt = 0;
        for (const { minutes, deaths } of steps) {
          now += minutes * 60_000;
          const lastAt = deaths > 0 ? at(now) : null;
          const total: number = (alert?.count ?? 0) + deaths;
          const seen = { count: deaths, fresh: deaths, total, lastAt };
          const act = judge(rule, alert, seen, { now: at(now), canTell: true });
          if (act === "open") {
            expect(alert).toBeNull();
            told = [];
            openedAt = now;
          } else if (act !== "wait") expect(alert).not.toBeNull();
          if (act === "wait") continue;
          if (tells(act)) told.push(act);
          expect(told.length).toBeLessThanOrEqual(3 + (now - openedAt) / (4 * hour));
          const before: OpenAlert = alert ?? anAlert({ toldAt: null, toldCount: null, notices: 0 });
          alert =
            act === "resolve"
              ? null
              : {
                  ...before,
                  count: total,
                  lastAt: lastAt ?? before.lastAt,
                  ...(tells(act) && { toldAt: at(now), toldCount: total, notices: before.notices + 1 }),
                };
        }
      }),
      { numRuns: 300 },
    );
  });
});
