import type { Hear } from "../../../pipelines/consensus/src/weigh/reader/hear-post.ts";
import { type Weighed, weigh } from "../../../pipelines/consensus/src/weigh/weigh.ts";
import { f1, precision, recall, type Score } from "./folds.ts";
import type { LabelledThread } from "./labelled-mail.ts";
import { type Outcome, readStanceLabels } from "./labels.ts";

/** What weighing says of the labelled threads, beside the labels. */
export interface WeighedScores {
  readonly threads: number;
  readonly question: Score;
  readonly nothingToDecide: Score;
  readonly support: Score;
  readonly object: Score;
  readonly sameOutcome: number;
}

export function scoreWeighing(
  threads: readonly LabelledThread[],
  hearOf: (list: string) => Hear | undefined = () => undefined,
): WeighedScores {
  const weighed = threads.map(({ label, posts }) => ({
    label,
    posts,
    outcome: weigh(posts, hearOf(label.list)),
  }));
  const asked = weighed.map(({ label, outcome }) => [outcome.question !== null, label.questions.length > 0]);
  return {
    threads: threads.length,
    question: count(asked.map(([found, is]) => [found === true, is === true])),
    nothingToDecide: count(asked.map(([found, is]) => [found === false, is === false])),
    support: scoreSide(weighed, "support", "for"),
    object: scoreSide(weighed, "object", "against"),
    sameOutcome: weighed.filter(({ label, outcome }) => sideOf(outcome) === sideOfLabel[label.outcome])
      .length,
  };
}

function count(pairs: readonly (readonly [found: boolean, is: boolean])[]): Score {
  return {
    right: pairs.filter(([found, is]) => found && is).length,
    wrong: pairs.filter(([found, is]) => found && !is).length,
    missed: pairs.filter(([found, is]) => !found && is).length,
  };
}

/** By message: a shown position is right if the labels have the same side, on the question, in the same message. */
function scoreSide(
  weighed: readonly (LabelledThread & { readonly outcome: Weighed })[],
  stance: "support" | "object",
  side: "for" | "against",
): Score {
  const labelled = new Set(
    readStanceLabels()
      .filter((label) => label.readers.includes("settled") && label.question && label.side === side)
      .map(({ list, message }) => `${list} ${message}`),
  );
  return count(
    weighed.flatMap(({ label, outcome }) => {
      const shown = new Set(
        outcome.positions.filter((position) => position.stance === stance).map(({ message }) => message),
      );
      return label.messages.map((id) => [shown.has(id), labelled.has(`${label.list} ${id}`)] as const);
    }),
  );
}

type Side = "nothing" | "for" | "divided" | "against" | "open";

const sideOfLabel: Readonly<Record<Outcome, Side>> = {
  nothing: "nothing",
  agreed: "for",
  "leaning-for": "for",
  divided: "divided",
  "leaning-against": "against",
  rejected: "against",
  open: "open",
};

function sideOf({ question, level, decisions }: Weighed): Side {
  if (question === null) return "nothing";
  if (level === "contested") return "divided";
  if (level === "none" || level === "undecided") return "open";
  const last = decisions.at(-1)?.kind;
  return last === "rejected" || last === "vote-failed" ? "against" : "for";
}

/** `P 0.84 R 0.40 F1 0.54 (40 of 48 right, 60 missed)`. */
export const told = (score: Score): string =>
  `P ${precision(score).toFixed(2)} R ${recall(score).toFixed(2)} F1 ${f1(score).toFixed(2)} ` +
  `(${score.right} of ${score.right + score.wrong} right, ${score.missed} missed)`;
