import { isKept } from "../../../pipelines/consensus/src/anonymize/kept-words.ts";
import {
  type Block,
  type Feature,
  featuresOf,
} from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { type ScaledFeature, scale } from "../../../pipelines/consensus/src/weigh/reader/reader.ts";
import { roundIdf, stanceKinds } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import type { Example } from "./examples.ts";

/** A trained reader before quantising: one row of weights for each feature, one column for each kind. */
export interface Model {
  readonly rows: ReadonlyMap<number, number>;
  readonly idf: readonly number[];
  readonly weights: Float64Array;
  readonly bias: Float64Array;
}

/** A message ready for training: the features of its paragraphs are computed once. */
export interface Prepared extends Omit<Example, "paragraphs"> {
  readonly paragraphs: readonly { readonly features: readonly Feature[]; readonly is: readonly boolean[] }[];
}

export const prepare = (examples: readonly Example[]): readonly Prepared[] =>
  examples.map(({ paragraphs, ...rest }) => ({
    ...rest,
    paragraphs: paragraphs.map(({ paragraph, is }) => ({ features: featuresOf(paragraph), is })),
  }));

export const rowsMax = 29_000;
const settings = { paragraphsMin: 3, epochs: 12, cost: 1, costOfStance: 3, newtonSteps: 4 };
const kinds = stanceKinds.length;

/** Logistic regression with a squared penalty for each kind, by dual coordinate ascent; the order is fixed. */
export function train(examples: readonly Prepared[], allowed: ReadonlySet<Block>): Model {
  const paragraphs = examples.flatMap((example) => example.paragraphs);
  const { rows, idf } = countFeatures(paragraphs, allowed);
  const vectors = paragraphs.map(({ features }) => packed(vectorOf({ rows, idf }, features)));
  const weights = new Float64Array(rows.size * kinds);
  const bias = new Float64Array(kinds);
  for (let kind = 0; kind < kinds; kind++)
    climb({
      vectors,
      signs: paragraphs.map(({ is }) => (is[kind] ? 1 : -1)),
      kind,
      weights,
      bias,
    });
  return { rows, idf, weights, bias };
}

type Vector = ReturnType<typeof packed>;

interface Ascent {
  readonly vectors: readonly Vector[];
  readonly signs: readonly (1 | -1)[];
  readonly kind: number;
  readonly weights: Float64Array;
  readonly bias: Float64Array;
}

/** One dual variable for each paragraph, `cost * sigmoid(t)`; each step solves its equation, which grows with t, by Newton. */
function climb({ vectors, signs, kind, weights, bias }: Ascent): void {
  const logits = new Float64Array(vectors.length).fill(-4);
  const lengths = vectors.map(({ values }) => values.reduce((sum, value) => sum + value * value, 1));
  const costOf = (index: number): number => (signs[index] === 1 ? settings.costOfStance : settings.cost);
  const move = (index: number, by: number): void => {
    const { at, values } = vectors[index] as Vector;
    bias[kind]! += by * signs[index]!;
    for (let nth = 0; nth < at.length; nth++) weights[at[nth]! + kind]! += by * signs[index]! * values[nth]!;
  };
  for (const index of vectors.keys()) move(index, costOf(index) * sigmoid(-4));
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    for (const index of shuffled(vectors.length, epoch + 1)) {
      const { at, values } = vectors[index] as Vector;
      const [cost, length, before] = [costOf(index), lengths[index]!, logits[index]!];
      let score = bias[kind]!;
      for (let nth = 0; nth < at.length; nth++) score += values[nth]! * weights[at[nth]! + kind]!;
      const old = cost * sigmoid(before);
      let logit = before;
      for (let step = 0; step < settings.newtonSteps; step++) {
        const share = sigmoid(logit);
        const rest = length * (cost * share - old) + signs[index]! * score + logit;
        logit -= rest / (1 + length * cost * share * (1 - share));
      }
      logits[index] = logit;
      move(index, cost * sigmoid(logit) - old);
    }
  }
}

const sigmoid = (score: number): number => 1 / (1 + Math.exp(-score));

const packed = (vector: readonly ScaledFeature[]) => ({
  at: Int32Array.from(vector, ({ row }) => row * kinds),
  values: Float64Array.from(vector, ({ value }) => value),
});

/** Features unknown to the model, and so those not allowed in training, are left out. */
const vectorOf = ({ rows, idf }: Pick<Model, "rows" | "idf">, features: readonly Feature[]) =>
  scale(features, { rowOf: (key) => rows.get(key) ?? -1, idfOf: (row) => idf[row] as number });

/** The most frequent features, in the order of their keys, each with its inverse document frequency. */
function countFeatures(
  paragraphs: Prepared["paragraphs"],
  allowed: ReadonlySet<Block>,
): Pick<Model, "rows" | "idf"> {
  const counts = new Map<number, number>();
  for (const { features } of paragraphs)
    for (const feature of features)
      if (allowed.has(feature.block) && isOfStance(feature))
        counts.set(feature.key, (counts.get(feature.key) ?? 0) + 1);
  const kept = [...counts]
    .filter(([, count]) => count >= settings.paragraphsMin)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, rowsMax)
    .sort((a, b) => a[0] - b[0]);
  return {
    rows: new Map(kept.map(([key], row) => [key, row])),
    idf: kept.map(([, count]) => roundIdf(Math.log((1 + paragraphs.length) / (1 + count)) + 1)),
  };
}

/**
 * Only words of the rules: other words tell the topic, and an anonymous copy, which replaces other words, would be read
 * otherwise than the original.
 */
const isOfStance = ({ block, name }: Feature): boolean =>
  (block !== "words" && block !== "opening") || (name.match(/[a-z]+/g) ?? []).every(isKept);

/** A fixed permutation by a linear congruential generator. */
function shuffled(length: number, seed: number): readonly number[] {
  const order = Array.from({ length }, (_, index) => index);
  let state = seed >>> 0;
  for (let at = length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
  return order;
}

/** The probability of each kind in a message: of its best paragraph. */
export function predict(model: Model, { paragraphs }: Prepared): readonly number[] {
  const best = stanceKinds.map(() => 0);
  for (const { features } of paragraphs) {
    const { at, values } = packed(vectorOf(model, features));
    for (const kind of best.keys()) {
      let score = model.bias[kind] as number;
      for (const [nth, cell] of at.entries()) score += values[nth]! * model.weights[cell + kind]!;
      best[kind] = Math.max(best[kind]!, sigmoid(score));
    }
  }
  return best;
}
