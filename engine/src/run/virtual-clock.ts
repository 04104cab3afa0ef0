import type { Clock } from "./clock.ts";

/** A clock moved by hand, with repeatable chance and identity. */
export interface VirtualClock extends Clock {
  /** Moves on and rings due timers on the way, in order. */
  advance(ms: number): void;
  advanceTo(moment: Date): void;
}

/**
 * Makes a clock moved by hand, with repeatable chance and identity.
 *
 * @example
 * import { virtualClock } from "@headway/engine/testing";
 *
 * const clock = virtualClock({ start: "2026-01-01T00:00:00.000Z" });
 * clock.advance(60_000);
 * export const aMinuteLater = clock.now();
 */
export function virtualClock({ start = "2026-01-01T00:00:00.000Z", seed = 1 } = {}): VirtualClock {
  let now = Date.parse(start);
  let state = seed >>> 0;
  let uuids = 0;
  const timers = new Set<{ at: number; ring: () => void }>();
  const advanceTo = (moment: Date) => {
    for (;;) {
      const due = [...timers].filter((timer) => timer.at <= moment.getTime()).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      timers.delete(due);
      now = Math.max(now, due.at);
      due.ring();
    }
    now = Math.max(now, moment.getTime());
  };
  return {
    now: () => new Date(now),
    after(delayMs, ring) {
      const timer = { at: now + Math.max(0, delayMs), ring };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    // Mulberry32: small, good enough, and the same on every machine.
    random() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
    uuid() {
      uuids += 1;
      return `00000000-0000-4000-8000-${(seed * 1_000_000 + uuids).toString(16).padStart(12, "0")}`;
    },
    advance: (ms) => advanceTo(new Date(now + ms)),
    advanceTo,
  };
}
