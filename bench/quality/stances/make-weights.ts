import { blocks } from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { packWeights, stanceKinds } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import {
  bestThreshold,
  precision,
  recall,
  type Scored,
  scoreAnswers,
  scoreAt,
  scoreOthers,
  sureThreshold,
  trainOnce,
} from "./folds.ts";
import type { Prepared } from "./logistic.ts";

const precisionAsked = 0.85;

/** Weights learnt from some messages, with thresholds from folds by list inside them, as bytes. */
export function makeWeights(examples: readonly Prepared[]): {
  readonly bytes: Uint8Array;
  readonly thresholds: readonly string[];
} {
  const allowed = new Set(blocks);
  const others = scoreOthers(examples, allowed);
  const answers = scoreAnswers(examples);
  const model = trainOnce(examples, allowed);
  const sure = others.map((scored) => sureThreshold(scored, precisionAsked));
  const answer = answers.map((scored) => sureThreshold(scored, precisionAsked));
  const rows = [...model.rows.keys()];
  const bytes = packWeights({
    keys: rows,
    idf: model.idf,
    weights: rows.map((_, row) =>
      stanceKinds.map((_kind, at) => model.weights[row * stanceKinds.length + at]!),
    ),
    bias: [...model.bias],
    threshold: others.map(bestThreshold),
    sure,
    answer,
  });
  const thresholds = stanceKinds.map(
    (kind, at) =>
      `${kind}: sure from ${told(others[at]!, sure[at]!)}, in answers from ${told(answers[at]!, answer[at]!)}`,
  );
  return { bytes, thresholds };
}

function told(scored: readonly Scored[], threshold: number): string {
  const score = scoreAt(scored, threshold);
  return `${threshold} (precision ${precision(score).toFixed(2)}, recall ${recall(score).toFixed(2)})`;
}
