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
  /** The same without messages of proposers, whose own side needs no reading. */
  readonly supportOfOthers: Score;
  readonly objectOfOthers: Score;
  /** Shown on one side and labelled on the other side only. */
  readonly inverted: number;
  readonly sameOutcome: number;
  /** Labelled support that is not shown, by the first gate that stops it. */
  readonly missedSupport: Readonly<Record<Gate, number>>;
}

export type Gate = "no question" | "different question" | "proposer" | "further down" | "answer";

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
    support: count(pairsOf(weighed, forIt)),
    object: count(pairsOf(weighed, againstIt)),
    supportOfOthers: count(pairsOf(weighed, forIt).filter(([, , isProposer]) => !isProposer)),
    objectOfOthers: count(pairsOf(weighed, againstIt).filter(([, , isProposer]) => !isProposer)),
    inverted: countInverted(weighed),
    sameOutcome: weighed.filter(({ label, outcome }) => sideOf(outcome) === sideOfLabel[label.outcome])
      .length,
    missedSupport: countGates(weighed),
  };
}

function countGates(weighed: readonly WeighedThread[]): Readonly<Record<Gate, number>> {
  const gates = { "no question": 0, "different question": 0, proposer: 0, "further down": 0, answer: 0 };
  for (const { label, posts, outcome } of weighed) {
    const shown = shownOf(outcome, forIt);
    const asking = new Set(label.questions.map(({ message }) => message));
    const proposers = new Set(posts.filter(({ id }) => asking.has(id)).map(({ from }) => from.address));
    for (const { id, parent, from } of posts.filter(({ id }) => label.messages.includes(id))) {
      if (shown.has(id) || !labelledSides.has(`for ${label.list} ${id}`)) continue;
      if (outcome.question === null) gates["no question"]++;
      else if (!asking.has(outcome.question.message)) gates["different question"]++;
      else if (proposers.has(from.address)) gates.proposer++;
      else gates[parent !== null && asking.has(parent) ? "answer" : "further down"]++;
    }
  }
  return gates;
}

type Pair = readonly [found: boolean, is: boolean, isProposer?: boolean];
type WeighedThread = LabelledThread & { readonly outcome: Weighed };

function count(pairs: readonly Pair[]): Score {
  return {
    right: pairs.filter(([found, is]) => found && is).length,
    wrong: pairs.filter(([found, is]) => found && !is).length,
    missed: pairs.filter(([found, is]) => !found && is).length,
  };
}

interface Shown {
  readonly stance: "support" | "object";
  readonly side: "for" | "against";
  readonly decisions: ReadonlySet<string>;
}

const forIt: Shown = {
  stance: "support",
  side: "for",
  decisions: new Set(["merged", "adopted", "consensus", "vote-passed"]),
};
const againstIt: Shown = {
  stance: "object",
  side: "against",
  decisions: new Set(["rejected", "vote-failed", "cancelled", "withdrawn"]),
};

const labelledSides: ReadonlySet<string> = new Set(
  readStanceLabels()
    .filter((label) => label.readers.includes("settled") && label.question && label.side !== null)
    .map(({ list, message, side }) => `${side} ${list} ${message}`),
);

/**
 * By message: a shown position or decision is right if the labels have the same side, on the question, in the same
 * message.
 */
const pairsOf = (weighed: readonly WeighedThread[], which: Shown): readonly Pair[] =>
  weighed.flatMap(({ label, posts, outcome }) => {
    const shown = shownOf(outcome, which);
    const asking = new Set(label.questions.map(({ message }) => message));
    const proposers = new Set(posts.filter(({ id }) => asking.has(id)).map(({ from }) => from.address));
    const authors = new Map(posts.map(({ id, from }) => [id, from.address]));
    return label.messages.map(
      (id): Pair => [
        shown.has(id),
        labelledSides.has(`${which.side} ${label.list} ${id}`),
        proposers.has(authors.get(id) ?? ""),
      ],
    );
  });

const shownOf = ({ positions, decisions }: Weighed, which: Shown): ReadonlySet<string> =>
  new Set([
    ...positions.filter(({ stance }) => stance === which.stance).map(({ message }) => message),
    ...decisions.filter(({ kind }) => which.decisions.has(kind)).map(({ message }) => message),
  ]);

function countInverted(weighed: readonly WeighedThread[]): number {
  const isOnly = (side: string, other: string, key: string): boolean =>
    labelledSides.has(`${side} ${key}`) && !labelledSides.has(`${other} ${key}`);
  return weighed
    .flatMap(({ label, outcome: { positions } }) =>
      positions.map(({ stance, message }) => ({ stance, key: `${label.list} ${message}` })),
    )
    .filter(({ stance, key }) =>
      stance === "support"
        ? isOnly("against", "for", key)
        : stance === "object" && isOnly("for", "against", key),
    ).length;
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
