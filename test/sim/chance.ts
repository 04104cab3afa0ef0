import { virtualClock } from "../../engine/src/testing.ts";

/** Source of all randomness in a run, determined by the seed. */
export interface Chance {
  /** In [0, 1). */
  random(): number;
  /** True in this share of cases. */
  happens(share: number): boolean;
  /** From `least` up to, but not including, `most`. */
  between(least: number, most: number): number;
  whole(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
}

export function makeChance(seed: number): Chance {
  const { random } = virtualClock({ seed });
  const between = (least: number, most: number) => least + random() * (most - least);
  const whole = (least: number, most: number) => Math.floor(between(least, most + 1));
  return {
    random,
    happens: (share) => random() < share,
    between,
    whole,
    pick: (from) => from[whole(0, from.length - 1)] as never,
  };
}
