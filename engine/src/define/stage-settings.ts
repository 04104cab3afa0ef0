import { type Duration, durationMs } from "./duration.ts";

/** Settings of a stage that may change while workers run. Null: no limit. */
export interface StageSettings {
  /** Time limit of an attempt; holds from the next attempt on. */
  readonly timeoutMs: number;
  /** Documents at a time over all workers. */
  readonly concurrency: number | null;
  /** Documents per period over all workers. */
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
  /** Larger goes first, among stages with work at the same moment. */
  readonly priority: number;
}

/**
 * Names of settings that operators may change while workers run.
 *
 * @example
 * import { settingNames } from "@headway/engine/operate";
 *
 * export const isSetting = (word: string) => settingNames.some((one) => one === word);
 */
export const settingNames = ["timeoutMs", "concurrency", "rate", "priority"] as const;
/** Name of a setting of a stage. */
export type SettingName = (typeof settingNames)[number];

/** A change of settings; omitted fields stay, null removes a limit. */
export interface SettingsChange {
  /** Time limit of an attempt. */
  readonly timeout?: Duration;
  /** Documents at a time over all workers. */
  readonly concurrency?: number | null;
  /** Documents per period over all workers. */
  readonly rate?: { readonly limit: number; readonly per: Duration } | null;
  /** Larger goes first, from -1000 to 1000. */
  readonly priority?: number;
}

export const timeoutDefault: Duration = "10m";

/** Settings of a stage without code. */
export const settingDefaults: StageSettings = {
  timeoutMs: durationMs(timeoutDefault),
  concurrency: null,
  rate: null,
  priority: 0,
};

export const settingsOf = ({ timeoutMs, concurrency, rate, priority }: StageSettings): StageSettings => ({
  timeoutMs,
  concurrency,
  rate,
  priority,
});

/** The change in the units of the settings. */
export const changedSettings = ({
  timeout,
  concurrency,
  rate,
  priority,
}: SettingsChange): Partial<StageSettings> => ({
  ...(timeout !== undefined && { timeoutMs: durationMs(timeout) }),
  ...(concurrency !== undefined && { concurrency }),
  ...(rate !== undefined && { rate: rate && { limit: rate.limit, perMs: durationMs(rate.per) } }),
  ...(priority !== undefined && { priority }),
});

const rateLimitMax = 1_000_000;

/** A sentence about impossible settings; null: fine. */
export function settingsProblem({ timeoutMs, concurrency, rate, priority }: StageSettings): string | null {
  if (!(timeoutMs > 0)) return `the timeout is ${timeoutMs} ms; it must be longer`;
  if (concurrency !== null && !(Number.isInteger(concurrency) && concurrency >= 1))
    return `the concurrency is ${concurrency}; it must be a whole number from 1`;
  // A document costs a whole token, so a bucket that holds less than one would never let any through.
  if (rate && !(rate.limit >= 1 && rate.limit <= rateLimitMax))
    return `the rate limit is ${rate.limit}; it must be from 1 to ${rateLimitMax}, per a period as long as you like`;
  if (rate && !(rate.perMs > 0)) return "the period of the rate must be longer";
  if (!(Number.isInteger(priority) && Math.abs(priority) <= 1_000))
    return `the priority is ${priority}; it must be a whole number from -1000 to 1000`;
  return null;
}
