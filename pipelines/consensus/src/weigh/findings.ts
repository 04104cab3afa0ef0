/** The fields of a message needed for weighing; posts come in tree order. */
export interface Post {
  readonly id: string;
  readonly parent: string | null;
  readonly from: Person;
  /** ISO 8601. */
  readonly date: string | null;
  readonly subject: string;
  /** The author's own words: quotes and signatures are removed. */
  readonly clean: string;
}

export interface Person {
  readonly name: string;
  readonly address: string;
}

/** Exact words of a message: `clean.slice(start, end) === quote`. */
export interface Quoted {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

export type Stance = "support" | "object" | "neutral" | "question";

/** A person's stance, with the words that show it. */
export interface Position extends Quoted {
  readonly person: Person;
  readonly stance: Stance;
  readonly at: string | null;
  /** From 0 (a hint) to 1 (explicit). */
  readonly strength: number;
  /** Index of the person's later position, which replaces this; null for the current position. */
  readonly supersededBy: number | null;
  /** The matching rule, in words. */
  readonly because: string;
  /** Number of the question, from 2 on; missing for the first. */
  readonly question?: number;
}

/** Agreement or disagreement with another person about something else than the question; moves no level. */
export interface Aside extends Quoted {
  readonly by: Person;
  readonly with: Person;
  readonly agrees: boolean;
}

/** A change promised or reported by its author. */
export interface Commitment extends Quoted {
  readonly by: Person;
}

export interface Vote extends Quoted {
  readonly by: Person;
  /** From -1 to 1; fractions and the sign of a zero are kept. */
  readonly value: number;
  /** As stated by the voter; null if not stated. */
  readonly binding: boolean | null;
  /** False if replaced by a later vote of the same person. */
  readonly counts: boolean;
}

export type DecisionKind =
  | "adopted"
  | "rejected"
  | "consensus"
  | "no-consensus"
  | "vote-passed"
  | "vote-failed"
  | "withdrawn"
  | "postponed"
  | "merged"
  | "cancelled";

/** A declared outcome of the thread. */
export interface Decision extends Quoted {
  readonly kind: DecisionKind;
  readonly by: Person;
  /** 1 if declared by the caller, a chair, a maintainer or a result mail; less otherwise. */
  readonly weight: number;
}

export type CallKind = "adoption" | "last-call" | "vote" | "consensus" | "proposal" | "lazy-consensus";

/** A request to the list. */
export interface Call extends Quoted {
  readonly kind: CallKind;
  readonly by: Person;
}

/** What a thread asks; its quote is empty where only the subject of answers tells. */
export interface Question extends Quoted {
  readonly kind: CallKind | "question";
  readonly by: Person;
}

export interface Tally {
  readonly for: number;
  readonly against: number;
  readonly abstain: number;
}

export type Level = "strong" | "rough" | "contested" | "none" | "undecided";

/** Stances in a thread, and its outcome. */
export interface Weighed {
  readonly level: Level;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Plain sentences with counts and names. */
  readonly reasons: readonly string[];
  readonly positions: readonly Position[];
  readonly votes: readonly Vote[];
  readonly decisions: readonly Decision[];
  /** Null: nothing to decide. */
  readonly question: Question | null;
  /** Questions of later messages, each with its own outcome from the answers below that message. */
  readonly otherQuestions: readonly (Question &
    Pick<Weighed, "level" | "confidence" | "reasons" | "tally">)[];
  readonly asides: readonly Aside[];
  readonly commitments: readonly Commitment[];
  readonly calls: readonly Call[];
  /** Counting votes; as declared if the votes are elsewhere; null without votes. */
  readonly tally: Tally | null;
}

/** A stretch of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The words of a post at a span, without surrounding white space. */
export function quoteFrom(post: Post, span: Span): Quoted {
  let start = Math.max(0, Math.min(span.start, post.clean.length));
  let end = Math.max(start, Math.min(span.end, post.clean.length));
  while (start < end && /\s/.test(post.clean[start]!)) start++;
  while (end > start && /\s/.test(post.clean[end - 1]!)) end--;
  return { message: post.id, start, end, quote: post.clean.slice(start, end) };
}
