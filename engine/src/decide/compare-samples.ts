/** Change of a figure between two runs, with the 95 % confidence interval. */
export interface Comparison {
  readonly changePercent: number;
  readonly lowPercent: number;
  readonly highPercent: number;
  /** "same": the interval contains zero change. */
  readonly verdict: "better" | "worse" | "same";
}

/**
 * Welch's test on logarithms: the change is a ratio, and doubling a rate equals halving a time.
 * Null: fewer than two samples on a side, or a sample without a logarithm.
 */
export function compareSamples(
  before: readonly number[],
  after: readonly number[],
  better: "more" | "less",
): Comparison | null {
  if (before.length < 2 || after.length < 2) return null;
  if ([...before, ...after].some((value) => !(value > 0) || value === Number.POSITIVE_INFINITY)) return null;
  const [old, fresh] = [describe(before), describe(after)];
  const change = fresh.mean - old.mean;
  const reach = reachOf(old, fresh);
  const [low, high] = [change - reach, change + reach];
  return {
    changePercent: percentOf(change),
    lowPercent: percentOf(low),
    highPercent: percentOf(high),
    verdict: low <= 0 && high >= 0 ? "same" : change > 0 === (better === "more") ? "better" : "worse",
  };
}

interface Described {
  readonly mean: number;
  /** Of the mean, not of the samples. */
  readonly variance: number;
  readonly freedom: number;
}

function describe(samples: readonly number[]): Described {
  const logs = samples.map(Math.log);
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  const spread = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (logs.length - 1);
  return { mean, variance: spread / logs.length, freedom: logs.length - 1 };
}

/** Half the width of the interval; never zero, so a rounding error is no change. */
function reachOf(old: Described, fresh: Described): number {
  const variance = old.variance + fresh.variance;
  if (variance === 0) return roundingReach;
  const freedom = variance ** 2 / (old.variance ** 2 / old.freedom + fresh.variance ** 2 / fresh.freedom);
  return Math.max(studentT(freedom) * Math.sqrt(variance), roundingReach);
}

const roundingReach = 1e-9;

/** Student's t for a 95 % interval, by degrees of freedom. */
const table: readonly (readonly [freedom: number, t: number])[] = [
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [5, 2.571],
  [6, 2.447],
  [8, 2.306],
  [10, 2.228],
  [15, 2.131],
  [20, 2.086],
  [30, 2.042],
  [60, 2.0],
  [Number.POSITIVE_INFINITY, 1.96],
];

/** Interpolates in 1/freedom, where t is nearly linear; the remaining error makes the interval wider. */
export function studentT(freedom: number): number {
  const above = table.findIndex(([lines]) => lines >= freedom);
  const [more, least] = table[above] ?? (table.at(-1) as readonly [number, number]);
  const [less, most] = table[above - 1] ?? [more, least];
  if (less === more) return least;
  const part = (1 / freedom - 1 / less) / (1 / more - 1 / less);
  return most + (least - most) * part;
}

const percentOf = (logarithm: number): number => (Math.exp(logarithm) - 1) * 100;
