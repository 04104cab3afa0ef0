import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextMatch, parseCron } from "./cron.ts";
import { nextRun, parseSchedule, showSchedule } from "./schedule.ts";

const next = (cron: string, after: string, zone = "UTC") =>
  nextMatch(parseCron(cron), new Date(after), zone)?.toISOString();

describe("a cron expression", () => {
  it("matches minutes, lists, ranges, steps and names", () => {
    expect(next("*/15 * * * *", "2026-01-01T00:00:30Z")).toBe("2026-01-01T00:15:00.000Z");
    expect(next("5,35 6-7 * * *", "2026-01-01T06:35:00Z")).toBe("2026-01-01T07:05:00.000Z");
    expect(next("0 9 * jan mon-fri", "2026-01-02T09:00:00Z")).toBe("2026-01-05T09:00:00.000Z");
    expect(next("0 0 29 2 *", "2026-01-01T00:00:00Z")).toBe("2028-02-29T00:00:00.000Z");
    expect(next("0 0 * * 7", "2026-01-01T00:00:00Z")).toBe("2026-01-04T00:00:00.000Z");
    expect(next("@daily", "2026-01-01T00:00:00Z")).toBe("2026-01-02T00:00:00.000Z");
  });

  it("takes either of a restricted day and a restricted weekday", () => {
    expect(next("0 0 13 * 5", "2026-01-01T00:00:00Z")).toBe("2026-01-02T00:00:00.000Z");
    expect(next("0 0 13 * 5", "2026-01-09T00:00:00Z")).toBe("2026-01-13T00:00:00.000Z");
  });

  it("keeps the time of the clock on the wall over changes of the clock", () => {
    expect(next("0 8 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin")).toBe("2026-03-29T06:00:00.000Z");
    expect(next("0 8 * * *", "2026-03-27T12:00:00Z", "Europe/Berlin")).toBe("2026-03-28T07:00:00.000Z");
  });

  it("comes after the jump when the clock leaves the time out, and once when it comes twice", () => {
    expect(next("30 2 * * *", "2026-03-29T00:00:00Z", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
    const first = next("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin");
    expect(first).toBe("2026-10-25T00:30:00.000Z");
    expect(next("30 2 * * *", first as string, "Europe/Berlin")).toBe("2026-10-26T01:30:00.000Z");
  });

  it("is refused with its mistake", () => {
    expect(() => parseCron("* * * *")).toThrow("it has 4 fields");
    expect(() => parseCron("60 * * * *")).toThrow('"60" is no minute from 0 to 59');
    expect(() => parseCron("5-1 * * * *")).toThrow('"5-1" is no minute');
    expect(() => parseCron("* * * foo *")).toThrow('"foo" is no month');
    expect(() => parseSchedule({ cron: "0 0 30 2 *" })).toThrow("never comes");
    expect(() => parseSchedule({ cron: "* * * * *", zone: "Mars/Olympus" })).toThrow("is no time zone");
  });

  it("gives a later moment that matches, for every expression and zone", () => {
    const minute = fc.integer({ min: 0, max: 59 });
    const hour = fc.integer({ min: 0, max: 23 });
    const zone = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kathmandu",
      "Australia/Lord_Howe",
    );
    const moment = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
    fc.assert(
      fc.property(minute, hour, zone, moment, (m, h, named, at) => {
        const found = nextMatch(parseCron(`${m} ${h} * * *`), new Date(at), named);
        expect(found?.getTime()).toBeGreaterThan(at);
        expect((found?.getTime() ?? 0) - at).toBeLessThanOrEqual(26 * 3_600_000);
      }),
    );
  });
});

describe("a schedule", () => {
  const at = new Date("2026-01-01T00:00:00Z");

  it("is an interval, a cron expression in a time zone, or a request", () => {
    expect(showSchedule(parseSchedule({ every: "15m" }))).toBe("every 15m");
    expect(showSchedule(parseSchedule({ every: "15 min" }))).toBe("every 15m");
    expect(showSchedule(parseSchedule({ cron: "0 6 * * *", zone: "Europe/Berlin" }))).toBe(
      "cron 0 6 * * * (Europe/Berlin)",
    );
    expect(nextRun(parseSchedule({}), { after: at, jitterMs: 0, random: 0 })).toBeNull();
  });

  it("is refused when it is two, too short, or a zone without a clock", () => {
    expect(() => parseSchedule({ every: "15m", cron: "* * * * *" })).toThrow("not both");
    expect(() => parseSchedule({ every: "10ms" })).toThrow("no interval from 1s");
    expect(() => parseSchedule({ every: "15m", zone: "UTC" })).toThrow("needs a --cron");
  });

  it("spreads runs of the same time by its jitter", () => {
    const run = (random: number) =>
      nextRun(parseSchedule({ every: "1h" }), { after: at, jitterMs: 60_000, random })?.toISOString();
    expect(run(0)).toBe("2026-01-01T01:00:00.000Z");
    expect(run(0.5)).toBe("2026-01-01T01:00:30.000Z");
  });
});
