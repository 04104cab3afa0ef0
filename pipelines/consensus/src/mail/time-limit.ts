import { createContext, Script } from "node:vm";

/** Work that took longer than it may. */
export class TimeOver extends Error {
  /** Whether the time went into the work itself, and not into a machine that had no time for it. */
  readonly isBusy: boolean;
  constructor(limitMs: number, isBusy: boolean) {
    super(`The work took more than ${limitMs} ms.`);
    this.isBusy = isBusy;
  }
}

/**
 * Runs work that does not wait, and ends it when its time is over, also in the middle of a pattern: V8 ends what a
 * script has called.
 */
export function runWithin<T>(limitMs: number, work: () => T): T {
  const before = process.cpuUsage();
  const caller = createContext({ work: () => work() });
  try {
    return call.runInContext(caller, { timeout: limitMs }) as T;
  } catch (error) {
    if ((error as { code?: string } | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    const { user, system } = process.cpuUsage(before);
    throw new TimeOver(limitMs, (user + system) / 1_000 > limitMs / 2);
  }
}

const call = new Script("work()");
