import { DefinitionError } from "./definition-error.ts";

/** A length of time as people write it: "250ms", "30s", "10m", "1h", "7d". */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Milliseconds of a length of time.
 *
 * @example
 * import { durationMs } from "@headway/engine";
 *
 * console.log(durationMs("15m"));
 */
export function durationMs(duration: Duration): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  if (!match) {
    throw new DefinitionError(
      `"${duration}" is not a duration; write a number and a unit, such as "30s" or "10m".`,
    );
  }
  return Math.round(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]);
}

/**
 * The shortest exact way to say a length of time; the inverse of `durationMs`.
 *
 * @example
 * import { showDuration } from "@headway/engine";
 *
 * console.log(showDuration(90_000));
 */
export function showDuration(ms: number): Duration {
  for (const unit of ["d", "h", "m", "s"] as const) {
    if (ms >= unitMs[unit] && ms % unitMs[unit] === 0) return `${ms / unitMs[unit]}${unit}`;
  }
  return `${ms}ms`;
}
