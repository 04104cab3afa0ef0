import { type Block, blocks } from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { type Hear, hearPost } from "../../../pipelines/consensus/src/weigh/reader/hear-post.ts";
import { stanceKinds, unpackWeights } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import { plainTable } from "../figures.ts";
import { examplesOf } from "./examples.ts";
import { bestThreshold, leaveOneListOut, type Score, scoreAt, scoreOthers, scoreWith } from "./folds.ts";
import { readLabelledThreads } from "./labelled-mail.ts";
import { heldBack } from "./labels.ts";
import { type Prepared, prepare } from "./logistic.ts";
import { makeWeights } from "./make-weights.ts";
import { scoreWeighing, told } from "./outcomes-by-labels.ts";

const readers: Readonly<Record<string, ReadonlySet<Block>>> = {
  "rules' signals": new Set(["rules"]),
  "n-grams": new Set(["words", "opening"]),
  "n-grams, rules and place": new Set(blocks),
};

const sizes = [168, 400, 800, Number.POSITIVE_INFINITY];

/** Prints how well stances, positions, questions and outcomes follow the labels. */
export async function printStanceFigures(asJson: boolean): Promise<void> {
  const threads = await readLabelledThreads(() => true);
  const isHeldBack = ({ list }: { readonly list: string }): boolean => heldBack.includes(list);
  const examples = prepare(examplesOf(threads));
  const known = examples.filter((example) => !isHeldBack(example));
  const all = new Set(blocks);
  const rows = [
    ...Object.entries(readers).flatMap(([reader, allowed]) =>
      rowsOf(`leave one list out: ${reader}`, leaveOneListOut(known, allowed)),
    ),
    ...sizes.flatMap((size) => rowsOf(`learning curve: ${curveName(size)}`, learnFrom(known, size, all))),
    ...rowsOf("held-back lists", scoreHeldBack(known, examples.filter(isHeldBack), all)),
    ...weighingRows(
      "weighing, leave one list out",
      threads.filter(({ label }) => !isHeldBack(label)),
      hearOthers(known),
    ),
    ...weighingRows(
      "weighing, held-back lists",
      threads.filter(({ label }) => isHeldBack(label)),
    ),
  ];
  process.stdout.write(asJson ? `${JSON.stringify(rows)}\n` : `${plainTable(rows)}\n`);
}

type Row = Readonly<Record<"measured" | "of" | "figure", string>>;

const rowsOf = (measured: string, scores: readonly Score[]): readonly Row[] =>
  stanceKinds.map((kind, at) => ({ measured, of: kind, figure: told(scores[at] as Score) }));

const curveName = (size: number): string =>
  Number.isFinite(size) ? `${size} messages` : "all of the other lists";

/** Every list by a reader that learned from the first messages of other lists; the best threshold, as only growth is shown. */
function learnFrom(
  examples: readonly Prepared[],
  size: number,
  allowed: ReadonlySet<Block>,
): readonly Score[] {
  const lists = [...new Set(examples.map(({ list }) => list))];
  const folds = lists.map((left) => {
    const rest = examples.filter(({ list }) => list !== left);
    const tested = examples.filter(({ list }) => list === left);
    return scoreWith(rest.slice(0, size), tested, allowed);
  });
  return stanceKinds.map((_, at) => {
    const scored = folds.flatMap((fold) => fold[at]!);
    return scoreAt(scored, bestThreshold(scored));
  });
}

function scoreHeldBack(
  known: readonly Prepared[],
  unseen: readonly Prepared[],
  allowed: ReadonlySet<Block>,
): readonly Score[] {
  const chosen = scoreOthers(known, allowed).map(bestThreshold);
  return scoreWith(known, unseen, allowed).map((scored, at) => scoreAt(scored, chosen[at] as number));
}

/** For each list, the reader that never saw it. */
function hearOthers(known: readonly Prepared[]): (list: string) => Hear {
  const readers = new Map(
    [...new Set(known.map(({ list }) => list))].map((left) => {
      const { bytes } = makeWeights(known.filter(({ list }) => list !== left));
      const weights = unpackWeights(bytes);
      return [left, (reading: Parameters<Hear>[0]) => hearPost(reading, weights)];
    }),
  );
  return (list) => readers.get(list) as Hear;
}

function weighingRows(measured: string, ...read: Parameters<typeof scoreWeighing>): readonly Row[] {
  const scores = scoreWeighing(...read);
  const row = (of: string, figure: string): Row => ({ measured, of, figure });
  return [
    row("question found", told(scores.question)),
    row("nothing to decide", told(scores.nothingToDecide)),
    row("support shown", told(scores.support)),
    row("objections shown", told(scores.object)),
    row("support shown, without proposers", told(scores.supportOfOthers)),
    row("objections shown, without proposers", told(scores.objectOfOthers)),
    ...Object.entries(scores.missedSupport).map(([gate, missed]) =>
      row(`support missed: ${gate}`, `${missed}`),
    ),
    row("inverted positions", `${scores.inverted}`),
    row("outcome as labelled", `${scores.sameOutcome} of ${scores.threads}`),
  ];
}
