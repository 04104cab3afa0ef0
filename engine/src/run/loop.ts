import type { Clock } from "./clock.ts";

/** Something done again and again: at an interval, and at once when woken. Its failures are reported, never fatal. */
export interface Loop {
  /** Runs it as soon as possible; a wake-up during a run leads to another run. */
  wake(): void;
  /** Ends it; resolves when the run under way has ended. */
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
