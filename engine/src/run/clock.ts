import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";

/** The only source of time, chance, identity and timers in the engine, for simulation. */
export interface Clock {
  now(): Date;
  /** Calls `ring` once after `delayMs`; the returned function cancels. */
  after(delayMs: number, ring: () => void): () => void;
  /** In [0, 1). */
  random(): number;
  uuid(): string;
}

/** Wall time read once and continued by the monotonic clock: a jump of the machine's clock is invisible. */
export function systemClock(): AdjustableClock {
  let anchor = Date.now() - performance.now();
  return {
    now: () => new Date(Math.round(anchor + performance.now())),
    after(delayMs, ring) {
      const timer = setTimeout(ring, Math.min(Math.max(0, delayMs), timerMsMax));
      return () => clearTimeout(timer);
    },
    random: Math.random,
    uuid: randomUUID,
    adjust: (now) => {
      anchor = now.getTime() - performance.now();
    },
  };
}

/** The clock of a fleet follows its database server, independent of the machines' own clocks. */
export interface AdjustableClock extends Clock {
  adjust(now: Date): void;
}

const timerMsMax = 2 ** 31 - 1;

export const sleep = (clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(delayMs, done);
    function done() {
      signal?.removeEventListener("abort", done);
      cancel();
      resolve();
    }
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done, { once: true });
  });

export const addMs = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);
