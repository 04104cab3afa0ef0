import { expect, it } from "vitest";
import { tomorrow } from "./tomorrow.ts";

const dayMs = 86_400_000;

it("whoever asks for the time is told tomorrow's, and a moment that was written down stays what it is", async () => {
  const before = Date.now();
  const seen = await tomorrow(async () => ({
    now: Date.now(),
    fresh: new Date(),
    given: new Date(0),
    parsed: Date.parse("1970-01-02"),
    called: Date(),
    ours: new Date() instanceof Date,
  }));
  const latest = Date.now() + dayMs;
  expect(Math.max(seen.now, seen.fresh.getTime())).toBeLessThanOrEqual(latest);
  expect(Math.min(seen.now, seen.fresh.getTime())).toBeGreaterThanOrEqual(before + dayMs);
  expect([seen.given.getTime(), seen.parsed, seen.ours]).toEqual([0, dayMs, true]);
  expect(new Date(seen.called).getDate()).toBe(new Date(before + dayMs).getDate());
  expect(seen.fresh).toBeInstanceOf(Date);
});

it("afterwards it is today again, also if something went wrong", async () => {
  await expect(
    tomorrow(async () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  const tomorrowAt = performance.timeOrigin + performance.now() + dayMs / 2;
  expect(Date.now()).toBeLessThan(tomorrowAt);
});
