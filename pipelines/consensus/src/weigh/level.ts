import { isFewOf } from "./crowd.ts";
import type {
  Call,
  Decision,
  DecisionKind,
  Level,
  Person,
  Position,
  Post,
  Question,
  Tally,
  Vote,
} from "./findings.ts";
import { explain } from "./reasons.ts";

/** All findings of a thread. */
export interface Findings {
  readonly posts: readonly Post[];
  readonly people: readonly Person[];
  readonly positions: readonly Position[];
  readonly votes: readonly Vote[];
  readonly calls: readonly Call[];
  readonly question: Question | null;
  readonly declared: readonly {
    readonly decision: Decision;
    readonly isRough: boolean;
    readonly tally: Tally | null;
    readonly names: readonly string[];
  }[];
}

/** Heads, not mails: every person counts once, with the final stance. */
export interface Heads {
  readonly for: readonly Person[];
  readonly against: readonly Person[];
  readonly neutral: readonly Person[];
  readonly asking: readonly Person[];
  /** Sums of strengths. */
  readonly weightFor: number;
  readonly weightAgainst: number;
  /** Objections without an answer by another person. */
  readonly unanswered: readonly Person[];
}

export interface Judged {
  readonly level: Level;
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly tally: Tally | null;
}

/**
 * The level, from heads and declarations; "for" and "against" are people.
 *
 * | officially declared                | for and against             | level     |
 * |------------------------------------|-----------------------------|-----------|
 * | passed, adopted or merged          | none against                | strong    |
 * |   – "rough consensus" in its words |                             | rough     |
 * |   – taken in by a maintainer       | less than 3 for             | rough     |
 * |                                    | more for than against       | rough     |
 * |                                    | at least as many against    | contested |
 * | failed or rejected                 | 3 against and none for      | strong    |
 * |                                    | 3 times as many against     | rough     |
 * |                                    | some on either side         | contested |
 * |                                    | none                        | undecided |
 * | there is no consensus              | some                        | contested |
 * | cancelled, withdrawn, postponed    |                             | undecided |
 * | nothing                            | nothing was asked           | none      |
 * |                                    | less than a fifth of 8 or   | undecided |
 * |                                    | more took a side            |           |
 * |                                    | asked, at most one voice    | undecided |
 * |                                    | 3 for, none against         | strong    |
 * |                                    | 2 for, none against         | rough     |
 * |                                    | 3 times as many for         | rough     |
 * |                                    | 1 against 1                 | undecided |
 * |                                    | any other split             | contested |
 */
export function judge(findings: Findings): Judged {
  const heads = countHeads(findings);
  const official = findings.declared.filter(({ decision }) => decision.weight === 1).at(-1);
  const tally = countVotes(findings.votes) ?? official?.tally ?? null;
  const voted = withDeclaredVotes(heads, findings.votes, tally);
  const level = official
    ? levelDeclared(official.decision.kind, official.isRough, voted)
    : levelCounted(voted, findings);
  const confidence = trust(level, voted, { official, tally, isAsked: findings.question !== null });
  return { level, confidence, tally, reasons: explain(findings, { heads, official, tally, level }) };
}

/** If the votes are in another thread, the declared numbers stand for heads. */
function withDeclaredVotes(heads: Heads, votes: readonly Vote[], tally: Tally | null): Numbers {
  const counted = {
    for: heads.for.length,
    against: heads.against.length,
    weightFor: heads.weightFor,
    weightAgainst: heads.weightAgainst,
    unanswered: heads.unanswered.length,
  };
  if (votes.length > 0 || tally === null) return counted;
  return {
    ...counted,
    for: tally.for,
    against: tally.against,
    weightFor: tally.for,
    weightAgainst: tally.against,
  };
}

interface Numbers {
  readonly for: number;
  readonly against: number;
  readonly weightFor: number;
  readonly weightAgainst: number;
  readonly unanswered: number;
}

export function countVotes(votes: readonly Vote[]): Tally | null {
  if (votes.length === 0) return null;
  const counting = votes.filter(({ counts }) => counts);
  return {
    for: counting.filter(({ value }) => value > 0).length,
    against: counting.filter(({ value }) => value < 0).length,
    abstain: counting.filter(({ value }) => value === 0).length,
  };
}

function countHeads({ posts, positions }: Findings): Heads {
  const standing = positions.filter(({ supersededBy }) => supersededBy === null);
  const of = (stance: Position["stance"]): readonly Position[] =>
    standing.filter((each) => each.stance === stance);
  const people = (found: readonly Position[]): readonly Person[] => found.map(({ person }) => person);
  const sum = (found: readonly Position[]): number =>
    found.reduce((total, { strength }) => total + strength, 0);
  const answered = new Set(posts.flatMap(({ parent }) => (parent === null ? [] : [parent])));
  const objections = of("object");
  return {
    for: people(of("support")),
    against: people(objections),
    neutral: people(of("neutral")),
    asking: people(of("question")),
    weightFor: sum(of("support")),
    weightAgainst: sum(objections),
    unanswered: people(objections.filter(({ message }) => !answered.has(message))),
  };
}

/** Majority needed for consensus in spite of objections. */
const roughRatio = 3;

function levelDeclared(kind: DecisionKind, isRough: boolean, heads: Numbers): Level {
  switch (kind) {
    case "adopted":
    case "consensus":
    case "merged":
    case "vote-passed":
      // One maintainer and one friend are no strong consensus.
      if (heads.against === 0) return isRough || (kind === "merged" && heads.for < 3) ? "rough" : "strong";
      return heads.for > heads.against || heads.for === 0 ? "rough" : "contested";
    case "rejected":
    case "vote-failed":
      if (heads.for + heads.against === 0) return "undecided";
      if (heads.for === 0) return heads.against >= 3 ? "strong" : "rough";
      return heads.against >= heads.for * roughRatio ? "rough" : "contested";
    case "no-consensus":
      return heads.for + heads.against > 0 ? "contested" : "undecided";
    case "cancelled":
    case "withdrawn":
    case "postponed":
      return "undecided";
  }
}

function levelCounted(heads: Numbers, findings: Findings): Level {
  if (findings.question === null) return "none";
  const voices = heads.for + heads.against;
  if (voices < 2 || isFewOf(voices, findings)) return "undecided";
  if (heads.against === 0) {
    // Polite hints do not add up to strong consensus.
    return heads.for >= 3 && heads.weightFor >= 1.8 ? "strong" : "rough";
  }
  if (heads.for >= heads.against * roughRatio) return "rough";
  return heads.for === 1 && heads.against === 1 ? "undecided" : "contested";
}

interface Ground {
  readonly official: Findings["declared"][number] | undefined;
  readonly tally: Tally | null;
  readonly isAsked: boolean;
}

/** More heads, a clearer majority and a declaration consistent with the count increase the confidence. */
function trust(level: Level, heads: Numbers, { official, tally, isAsked }: Ground): number {
  const weight = heads.weightFor + heads.weightAgainst;
  const evidence = weight / (weight + 1.5);
  const margin = weight === 0 ? 0 : Math.abs(heads.weightFor - heads.weightAgainst) / weight;
  const worry = heads.unanswered > 0 && level !== "contested" ? 0.1 : 0;
  if (official) {
    const declared = official.tally;
    const agrees =
      declared === null || tally === null
        ? 0.5
        : declared.for === tally.for && declared.against === tally.against
          ? 1
          : 0;
    const expected = level === "contested" ? 0.6 : weight === 0 ? 0.65 : 0.75;
    return limit(expected + 0.1 * evidence + 0.1 * agrees - worry);
  }
  if (level === "none") return limit(weight === 0 ? 0.8 : 0.55);
  if (level === "undecided") return limit(isAsked ? 0.6 - 0.2 * evidence : 0.5);
  if (level === "contested") return limit(0.4 + 0.5 * evidence - 0.2 * margin);
  return limit((isAsked ? 0.35 : 0.25) + 0.55 * evidence * (0.5 + margin / 2) - worry);
}

const limit = (value: number): number => Math.round(Math.max(0.05, Math.min(0.98, value)) * 100) / 100;
