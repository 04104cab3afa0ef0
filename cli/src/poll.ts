import { type Desk, withDesk } from "./desk.ts";
import { placeOf, type SharedOptions } from "./shared-options.ts";

export interface Looking {
  /** Minimum interval between two looks. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/**
 * Looks repeatedly until stopped. Looking must never cost more than a small part of the work, so slow looks are
 * rarer. An embedded database is released in between, for other processes.
 */
export async function lookRepeatedly(
  options: SharedOptions,
  looking: Looking,
  look: (desk: Desk) => Promise<void>,
): Promise<void> {
  const { signal } = looking;
  let misses = 0;
  const again = async (desk: Desk, from: number) => {
    const lookedFrom = performance.now();
    await look(desk);
    misses = 0;
    return pauseAfter(looking.everyMs, {
      lookMs: performance.now() - lookedFrom,
      allMs: performance.now() - from,
    });
  };
  if ("url" in placeOf(options).database) {
    await withDesk(options, async (desk) => {
      while (!signal.aborted) await pause(await again(desk, performance.now()), signal);
    });
    return;
  }
  while (!signal.aborted) {
    const from = performance.now();
    const pauseMs = await withDesk(options, (desk) => again(desk, from)).catch((error: unknown) => {
      // The owner process has just ended; the next look finds a new owner, or becomes owner.
      if (!String((error as Error).message).includes("process that has the database open") || misses++ > 3)
        throw error;
      return looking.everyMs;
    });
    await pause(pauseMs, signal);
  }
}

/** A look may take a twentieth of the time, opening and closing for a look a fifth. */
export const pauseAfter = (everyMs: number, { lookMs, allMs }: { lookMs: number; allMs: number }): number =>
  Math.max(everyMs, 20 * lookMs, 4 * allMs);

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });

/** Runs until Ctrl-C. */
export async function untilInterrupted(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    await act(stop.signal);
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}
