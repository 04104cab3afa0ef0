import { gonePart, isConnectionError, isServerUnwell } from "../store/database.ts";
import { type Clock, sleep, systemClock } from "./clock.ts";

export interface Outlasting {
  readonly clock?: Clock;
  /** Ends the waiting: the error of the last try is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called once for an outage, with its first error. */
  readonly onAway?: (error: unknown) => void;
  readonly onBack?: () => void;
}

const firstPauseMs = 250;
const lastPauseMs = 2_000;

/**
 * Repeats `work` while the database is away or has no room, as workers do: a restarted server is an interruption and
 * no failure. `work` must be safe to repeat.
 */
export async function outlast<T>(
  work: () => Promise<T>,
  { clock = systemClock(), signal, onAway, onBack }: Outlasting = {},
): Promise<T> {
  for (let pauseMs = firstPauseMs, away = false; ; pauseMs = Math.min(lastPauseMs, 2 * pauseMs)) {
    try {
      const result = await work();
      if (away) onBack?.();
      return result;
    } catch (error) {
      if (!isOutage(error) || signal?.aborted) throw error;
      if (!away) onAway?.(error);
      away = true;
    }
    await sleep(clock, pauseMs, signal);
  }
}

const isOutage = (error: unknown): boolean =>
  (isConnectionError(error) || isServerUnwell(error)) && gonePart(error) === undefined;
