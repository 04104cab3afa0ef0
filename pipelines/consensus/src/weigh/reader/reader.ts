import { type Feature, featuresOf, type Paragraph } from "./features.ts";
import { loadWeights, type StanceKind, type StanceWeights, stanceKinds } from "./weights.ts";

/** A kind of stance in a paragraph: its probability, and the words with the largest part in it. */
export interface HeardStance {
  readonly kind: StanceKind;
  readonly probability: number;
  readonly why: readonly string[];
}

/** The probability of each kind of stance in a paragraph, by the trained weights. */
export function hearStances(
  paragraph: Paragraph,
  weights: StanceWeights = loadWeights(),
): readonly HeardStance[] {
  const scaled = scale(featuresOf(paragraph), weights);
  return stanceKinds.map((kind, at) => {
    const parts = scaled.map((feature) => ({
      ...feature,
      part: feature.value * weights.weightOf(feature.row, at),
    }));
    const score = parts.reduce((sum, { part }) => sum + part, weights.bias[at] as number);
    return { kind, probability: 1 / (1 + Math.exp(-score)), why: largest(parts) };
  });
}

const whyMax = 3;

function largest(parts: readonly (ScaledFeature & { readonly part: number })[]): readonly string[] {
  const sorted = parts.filter(({ part, isPlain }) => part > 0 && !isPlain).sort((a, b) => b.part - a.part);
  const chosen: string[] = [];
  // "I agree" says what "agree" and "I agree with" would say again.
  for (const { name } of sorted) {
    if (chosen.length === whyMax) break;
    if (!chosen.some((other) => other.includes(name) || name.includes(other))) chosen.push(name);
  }
  return chosen;
}

/** A feature known to the weights, with its value. */
export interface ScaledFeature {
  readonly name: string;
  readonly row: number;
  readonly value: number;
  /** Of the rules or the place, and not of the words. */
  readonly isPlain: boolean;
}

const plainValue = 0.5;

/** Inverse document frequencies scaled to length one in each block of words; rules and place at a fixed value. */
export function scale(
  features: readonly Feature[],
  { rowOf, idfOf }: Pick<StanceWeights, "rowOf" | "idfOf">,
): readonly ScaledFeature[] {
  const squares = { words: 0, opening: 0 };
  const known = features.flatMap(({ name, key, block }) => {
    const row = rowOf(key);
    if (row < 0) return [];
    const value = idfOf(row);
    if (block === "words" || block === "opening") squares[block] += value * value;
    return [{ name, row, value, block }];
  });
  return known.map(({ name, row, value, block }) => {
    const isPlain = block === "rules" || block === "place";
    return { name, row, isPlain, value: isPlain ? plainValue : value / Math.sqrt(squares[block] || 1) };
  });
}
