import type { Clock } from "./clock.ts";

/** A repeated action: at an interval, and at once when woken. Failures are reported, never fatal. */
export interface Loop {
  /** Runs the action as soon as possible; a wake-up during a run leads to another run. */
  wake(): void;
  /** Ends the loop; resolves after the current run. */
  stop(): Promise<void>;
}

export function startLoop(
  clock: Clock,
  { everyMs, run, failed }: { everyMs: number; run: () => Promise<void>; failed: (error: unknown) => void },
): Loop {
  let stopped = false;
  let again = false;
  let running: Promise<void> | null = null;
  let cancel: () => void = () => undefined;

  const once = async () => {
    do {
      again = false;
      try {
        await run();
      } catch (error) {
        failed(error);
      }
    } while (again && !stopped);
    running = null;
    if (!stopped) cancel = clock.after(everyMs, start);
  };
  function start(): void {
    cancel();
    running ??= once();
  }
  cancel = clock.after(everyMs, start);
  return {
    wake() {
      if (stopped) return;
      if (running) again = true;
      else start();
    },
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

/** The answer of a turn that was skipped. */
export const skipped = Symbol("skipped");

/** Runs `run`, and after a run without anything to expect (true) skips up to `turns` - 1 of the following calls. */
export function patient(turns: number, run: () => Promise<boolean>): () => Promise<unknown> {
  let skip = 0;
  return async () => {
    if (skip > 0) {
      skip -= 1;
      return skipped;
    }
    if (await run()) skip = Math.ceil(turns) - 1;
    return null;
  };
}
