import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBackUntil } from "./hold-back.ts";

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(start + seconds * 1_000);

describe("a group whose members are still on their way", () => {
  it("is looked at again in half a second", () => {
    expect(heldBackUntil({ done: true, owedAt: at(0), changedAt: at(10) }, at(11))).toEqual(at(11.5));
  });

  it("gets a first result after three seconds, and a further one after ten minutes", () => {
    expect(heldBackUntil({ done: false, owedAt: at(0), changedAt: at(2.9) }, at(2.9))).toEqual(at(3));
    expect(heldBackUntil({ done: false, owedAt: at(0), changedAt: at(3) }, at(3))).toBeNull();
    expect(heldBackUntil({ done: true, owedAt: at(0), changedAt: at(599) }, at(599))).toEqual(at(599.5));
    expect(heldBackUntil({ done: true, owedAt: at(0), changedAt: at(600) }, at(600))).toBeNull();
  });

  it("is run once no member came for fifteen seconds", () => {
    expect(heldBackUntil({ done: true, owedAt: at(0), changedAt: at(0) }, at(15))).toBeNull();
  });

  it("never waits longer than half a second for the next look, whatever the clocks say", () => {
    const moment = fc.integer({ min: -10_000, max: 10_000 }).map(at);
    fc.assert(
      fc.property(fc.boolean(), moment, moment, moment, (done, owedAt, changedAt, now) => {
        const until = heldBackUntil({ done, owedAt, changedAt }, now);
        if (!until) return;
        expect(until > now).toBe(true);
        expect(until.getTime() - now.getTime()).toBeLessThanOrEqual(500);
      }),
    );
  });
});
