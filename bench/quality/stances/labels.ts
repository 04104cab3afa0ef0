import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export type StanceKind = "agrees" | "disagrees" | "will-change" | "decides" | "asks";

/** A stretch of an author's own words, known again by its hash. */
export interface LabelledSpan {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hash: string;
}

export interface StanceLabel extends LabelledSpan {
  readonly list: string;
  readonly kind: StanceKind;
  /** Message-ID of the statement. */
  readonly towards: string | null;
  /** Whether the statement is the thread's question. */
  readonly question: boolean;
  readonly side: "for" | "against" | "conditional" | null;
  readonly readers: readonly ("A" | "B" | "settled")[];
}

export interface ThreadVerdict {
  readonly questions: readonly (LabelledSpan & { readonly kind: string })[];
  readonly outcome: Outcome;
}

export type Outcome =
  | "nothing"
  | "agreed"
  | "leaning-for"
  | "divided"
  | "leaning-against"
  | "rejected"
  | "open";

export interface ThreadLabel extends ThreadVerdict {
  readonly list: string;
  readonly messages: readonly string[];
  /** Absent where both readers said the same. */
  readonly readers?: { readonly A: ThreadVerdict; readonly B: ThreadVerdict };
}

const readLines = <Row>(name: string): readonly Row[] =>
  readFileSync(new URL(`../labels/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

export const readStanceLabels = (): readonly StanceLabel[] => readLines("stances.jsonl");
export const readThreadLabels = (): readonly ThreadLabel[] => readLines("threads.jsonl");

export const hashOf = (words: string): string =>
  createHash("sha256").update(words).digest("hex").slice(0, 12);

/** Lists never trained on nor looked at; their figure is taken once. */
export const heldBack: readonly string[] = ["imagej", "tomoyo"];
