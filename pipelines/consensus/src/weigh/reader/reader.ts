import { type Block, type Feature, featuresOf, type Paragraph, visitFeatures } from "./features.ts";
import { loadWeights, type StanceKind, type StanceWeights, stanceKinds } from "./weights.ts";

/** A kind of stance in a paragraph: its probability, and the words with the largest part in it. */
export interface HeardStance {
  readonly kind: StanceKind;
  readonly probability: number;
  readonly why: readonly string[];
}

/** The probability of each kind of stance in a paragraph, by the trained weights, with the reasons. */
export function hearStances(
  paragraph: Paragraph,
  weights: StanceWeights = loadWeights(),
): readonly HeardStance[] {
  const scaled = scale(featuresOf(paragraph), weights);
  const probabilities = probabilitiesOf(paragraph, weights);
  return stanceKinds.map((kind, at) => {
    const parts = scaled.map((feature) => ({
      ...feature,
      part: feature.value * weights.weightOf(feature.row, at),
    }));
    return { kind, probability: probabilities[at] as number, why: largest(parts) };
  });
}

/** The same probabilities without the reasons, which most paragraphs are never asked for: a tenth of the time. */
export function probabilitiesOf(
  paragraph: Paragraph,
  { rowOf, idfOf, weightOf, bias }: StanceWeights = loadWeights(),
): readonly number[] {
  const rows = new Map<number, Block>();
  const squares = { words: 0, opening: 0 };
  visitFeatures(paragraph, (block, key) => {
    const row = rowOf(key);
    if (row < 0 || rows.has(row)) return;
    rows.set(row, block);
    if (block === "words" || block === "opening") squares[block] += idfOf(row) ** 2;
  });
  const scores = [...bias];
  for (const [row, block] of rows) {
    const value = scaledValue(block, idfOf(row), squares);
    for (let kind = 0; kind < scores.length; kind++) scores[kind]! += value * weightOf(row, kind);
  }
  return scores.map((score) => 1 / (1 + Math.exp(-score)));
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

const scaledValue = (
  block: Block,
  idf: number,
  squares: Readonly<Record<"words" | "opening", number>>,
): number => (block === "words" || block === "opening" ? idf / Math.sqrt(squares[block] || 1) : plainValue);

/** Inverse document frequencies scaled to length one in each block of words; rules and place at a fixed value. */
export function scale(
  features: readonly Feature[],
  { rowOf, idfOf }: Pick<StanceWeights, "rowOf" | "idfOf">,
): readonly ScaledFeature[] {
  const squares = { words: 0, opening: 0 };
  const known = features.flatMap(({ name, key, block }) => {
    const row = rowOf(key);
    if (row < 0) return [];
    const idf = idfOf(row);
    if (block === "words" || block === "opening") squares[block] += idf ** 2;
    return [{ name, row, idf, block }];
  });
  return known.map(({ name, row, idf, block }) => ({
    name,
    row,
    isPlain: block === "rules" || block === "place",
    value: scaledValue(block, idf, squares),
  }));
}
