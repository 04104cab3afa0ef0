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
const settings = { paragraphsMin: 3, epochs: 6, rate: 0.3, decay: 0.003, slopeMin: 0.01 };
const kinds = stanceKinds.length;

/** Logistic regression for each kind by stochastic gradients with AdaGrad; the order of examples is fixed. */
export function train(examples: readonly Prepared[], allowed: ReadonlySet<Block>): Model {
  const paragraphs = examples.flatMap((example) => example.paragraphs);
  const { rows, idf } = countFeatures(paragraphs, allowed);
  const vectors = paragraphs.map(({ features, is }) => ({
    ...packed(vectorOf({ rows, idf }, features)),
    is,
  }));
  const weights = new Float64Array(rows.size * kinds);
  const squares = new Float64Array(rows.size * kinds).fill(1e-2);
  const bias = new Float64Array(kinds).fill(-2);
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    for (const index of shuffled(vectors.length, epoch + 1)) {
      const { at, values, is } = vectors[index] as (typeof vectors)[number];
      for (let kind = 0; kind < kinds; kind++) {
        let score = bias[kind] as number;
        for (let nth = 0; nth < at.length; nth++) score += values[nth]! * weights[at[nth]! + kind]!;
        const slope = 1 / (1 + Math.exp(-score)) - (is[kind] ? 1 : 0);
        if (Math.abs(slope) < settings.slopeMin) continue;
        bias[kind]! -= 0.02 * slope;
        for (let nth = 0; nth < at.length; nth++) {
          const cell = at[nth]! + kind;
          const gradient = slope * values[nth]! + settings.decay * weights[cell]!;
          squares[cell]! += gradient * gradient;
          weights[cell]! -= (settings.rate * gradient) / Math.sqrt(squares[cell]!);
        }
      }
    }
  }
  return { rows, idf, weights, bias };
}

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
    for (const { key, block } of features)
      if (allowed.has(block)) counts.set(key, (counts.get(key) ?? 0) + 1);
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
      best[kind] = Math.max(best[kind]!, 1 / (1 + Math.exp(-score)));
    }
  }
  return best;
}
