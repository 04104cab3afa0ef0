import { describe, expect, it } from "vitest";
import { pauseAfter } from "./poll.ts";

describe("looking again and again", () => {
  it("takes at most a twentieth of the time, whatever a look costs", () => {
    expect(pauseAfter(2_000, { lookMs: 5, allMs: 6 })).toBe(2_000);
    expect(pauseAfter(2_000, { lookMs: 300, allMs: 301 })).toBe(6_000);
  });

  it("leaves the database to others for most of the time when it has to be opened for it", () => {
    expect(pauseAfter(1_000, { lookMs: 10, allMs: 1_000 })).toBe(4_000);
  });
});
