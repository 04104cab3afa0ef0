/** Times for people: duration, age, and the moment in a form accepted by other commands. */
const steps = [
  { unit: "s", ms: 1_000, until: 90 },
  { unit: "min", ms: 60_000, until: 90 },
  { unit: "h", ms: 3_600_000, until: 48 },
  { unit: "d", ms: 86_400_000, until: Number.POSITIVE_INFINITY },
] as const;

/** "250 ms", "12 s", "4 min", "3 h", "9 d". */
export function showSpan(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (Math.round(ms) < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  for (const { unit, ms: length, until } of steps) {
    const count = ms / length;
    if (Math.round(count) >= until) continue;
    // One more digit where rounding would hide half of the value.
    return `${count < 10 && unit !== "min" ? shortest(count) : Math.round(count)} ${unit}`;
  }
  return "–";
}

const shortest = (count: number): string => String(Number(count.toFixed(1)));

/** "in 4 min", "3 h ago", "now". */
export function showRelative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  if (Number.isNaN(ms)) return "at an unknown time";
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0 ? `in ${showSpan(ms)}` : `${showSpan(-ms)} ago`;
}

/** To the second, in UTC: copied text means the same everywhere. */
export const showMoment = (at: Date): string =>
  Number.isNaN(at.getTime()) ? "an unknown time" : `${at.toISOString().slice(0, 19)}Z`;

/** "2026-01-01T12:00:04Z (in 4 min)". */
export const showWhen = (at: Date, now: Date): string => `${showMoment(at)} (${showRelative(at, now)})`;

/** Adds the distance to each moment in a sentence. */
export const withRelative = (sentence: string, now: Date): string =>
  sentence.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (moment) => showWhen(new Date(moment), now));
