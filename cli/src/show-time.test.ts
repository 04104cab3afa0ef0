import { describe, expect, it } from "vitest";
import { showRelative, showSpan, showWhen, withRelative } from "./show-time.ts";

const now = new Date("2026-01-01T12:00:00Z");
const later = (ms: number) => new Date(now.getTime() + ms);
const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

describe("how long something takes", () => {
  it("is said in the unit that a person would choose", () => {
    const spans = [
      0,
      250,
      1_500,
      12 * second,
      89 * second,
      4 * minute,
      89 * minute,
      3 * hour,
      47 * hour,
      9 * day,
    ];
    expect(spans.map(showSpan)).toEqual([
      "0 ms",
      "250 ms",
      "1.5 s",
      "12 s",
      "89 s",
      "4 min",
      "89 min",
      "3 h",
      "47 h",
      "9 d",
    ]);
  });

  it("never says 60 s or 90 min where the next unit begins", () => {
    expect([999.6, 89.6 * second, 89.6 * minute, 47.6 * hour].map(showSpan)).toEqual([
      "1 s",
      "1 min",
      "1.5 h",
      "2 d",
    ]);
  });

  it("has an answer for what is no length at all", () => {
    expect([Number.NaN, Number.POSITIVE_INFINITY, -5].map(showSpan)).toEqual(["–", "–", "0 ms"]);
  });
});

describe("a moment", () => {
  it("is said by how far away it is", () => {
    expect(
      [later(4 * minute), later(-3 * hour), later(400), new Date(Number.NaN)].map((at) =>
        showRelative(at, now),
      ),
    ).toEqual(["in 4 min", "3 h ago", "now", "at an unknown time"]);
    expect(showWhen(later(4 * minute), now)).toBe("2026-01-01T12:04:00Z (in 4 min)");
  });

  it("in a sentence is followed by how far away it is, each one", () => {
    const sentence = "It died at 2026-01-01T11:00:00.123Z and is tried again at 2026-01-01T12:00:30.000Z.";
    expect(withRelative(sentence, now)).toBe(
      "It died at 2026-01-01T11:00:00Z (60 min ago) and is tried again at 2026-01-01T12:00:30Z (in 30 s).",
    );
  });
});
