import { type Block, blocks } from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { stanceKinds } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import { type Model, type Prepared, predict, train } from "./logistic.ts";

/** The probability of a kind, and whether the labels have it. */
export type Scored = readonly [probability: number, is: boolean];

export interface Score {
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
}

export function scoreAt(scored: readonly Scored[], threshold: number): Score {
  let [right, wrong, missed] = [0, 0, 0];
  for (const [probability, is] of scored) {
    if (probability < threshold) missed += is ? 1 : 0;
    else if (is) right++;
    else wrong++;
  }
  return { right, wrong, missed };
}

export const precision = ({ right, wrong }: Score): number => right / Math.max(1, right + wrong);
export const recall = ({ right, missed }: Score): number => right / Math.max(1, right + missed);
export const f1 = ({ right, wrong, missed }: Score): number =>
  (2 * right) / Math.max(1, 2 * right + wrong + missed);
export const sumOf = (scores: readonly Score[]): Score => ({
  right: scores.reduce((sum, { right }) => sum + right, 0),
  wrong: scores.reduce((sum, { wrong }) => sum + wrong, 0),
  missed: scores.reduce((sum, { missed }) => sum + missed, 0),
});

const thresholds = Array.from({ length: 97 }, (_, at) => (at + 2) / 100);

/** The threshold with the best F1. */
export function bestThreshold(scored: readonly Scored[]): number {
  const scores = thresholds.map((threshold) => f1(scoreAt(scored, threshold)));
  return thresholds[scores.indexOf(Math.max(...scores))] as number;
}

const foundMin = 7;

/** The lowest threshold from which on precision stays at the asked share; 1 if no threshold has it. */
export function sureThreshold(scored: readonly Scored[], asked: number): number {
  let sure = 1;
  for (const threshold of [...thresholds].reverse()) {
    const score = scoreAt(scored, threshold);
    if (score.right + score.wrong < foundMin) continue;
    if (precision(score) < asked) break;
    sure = threshold;
  }
  return sure;
}

/** Scores by kind of every message of a list by a reader trained on other lists only. */
export function scoreOthers(
  examples: readonly Prepared[],
  allowed: ReadonlySet<Block>,
): readonly (readonly Scored[])[] {
  const lists = [...new Set(examples.map(({ list }) => list))];
  const folds = lists.map((left) =>
    scoreWith(
      examples.filter(({ list }) => list !== left),
      examples.filter(({ list }) => list === left),
      allowed,
    ),
  );
  return stanceKinds.map((_, at) => folds.flatMap((fold) => fold[at] as readonly Scored[]));
}

/**
 * The likelier of agreement and disagreement in each answer to a question, by a reader trained on other lists, and
 * whether the answer takes that side: for; against, or only on a condition.
 */
export function scoreAnswers(examples: readonly Prepared[]): readonly (readonly Scored[])[] {
  const others = scoreOthers(examples, new Set(blocks));
  const lists = [...new Set(examples.map(({ list }) => list))];
  const inOrder = lists.flatMap((left) => examples.filter(({ list }) => list === left));
  return stanceKinds.map((kind, at) =>
    inOrder.flatMap(({ answers }, index): readonly Scored[] => {
      if (answers === null || (kind !== "agrees" && kind !== "disagrees")) return [];
      const [own, other] = [at, stanceKinds.indexOf(kind === "agrees" ? "disagrees" : "agrees")].map(
        (each) => others[each]![index]![0],
      ) as [number, number];
      const is =
        kind === "agrees" ? answers.has("for") : answers.has("against") || answers.has("conditional");
      return own < other ? [] : [[own, is]];
    }),
  );
}

/** Scores by kind of some messages by a reader trained on others. */
export function scoreWith(
  trained: readonly Prepared[],
  tested: readonly Prepared[],
  allowed: ReadonlySet<Block>,
): readonly (readonly Scored[])[] {
  const model = trainOnce(trained, allowed);
  const predictions = tested.map((example) => ({ example, found: predict(model, example) }));
  return stanceKinds.map((kind, at) =>
    predictions.map(({ example, found }): Scored => [found[at] as number, example.kinds.has(kind)]),
  );
}

const trainedBefore = new Map<string, Model>();

/** Folds inside folds leave out the same two lists in either order: one training serves both. */
export function trainOnce(examples: readonly Prepared[], allowed: ReadonlySet<Block>): Model {
  const lists = [...new Set(examples.map(({ list }) => list))].sort();
  const key = JSON.stringify([[...allowed], lists, examples.length]);
  const model = trainedBefore.get(key) ?? train(examples, allowed);
  trainedBefore.set(key, model);
  return model;
}

/** Leave one list out: thresholds from folds inside the other lists, so nothing of the left list is used. */
export function leaveOneListOut(
  examples: readonly Prepared[],
  allowed: ReadonlySet<Block>,
): readonly Score[] {
  const lists = [...new Set(examples.map(({ list }) => list))];
  const folds = lists.map((left) => {
    const rest = examples.filter(({ list }) => list !== left);
    const inner = scoreOthers(rest, allowed).map(bestThreshold);
    const tested = examples.filter(({ list }) => list === left);
    const outer = scoreWith(rest, tested, allowed);
    return outer.map((scored, at) => scoreAt(scored, inner[at] as number));
  });
  return stanceKinds.map((_, at) => sumOf(folds.map((fold) => fold[at] as Score)));
}
