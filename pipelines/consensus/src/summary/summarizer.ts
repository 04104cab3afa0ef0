import type { Post } from "./post.ts";

/** Exact words of a message: `clean.slice(start, end) === quote`. */
export interface Cited {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

/** Writes summaries: offline by choosing sentences, or with a language model. The result is verified afterwards. */
export interface Summarizer {
  readonly model: string;
  summarize(
    posts: readonly Post[],
    given: SummarizerGiven,
  ): Promise<readonly { readonly text: string; readonly citations: readonly Cited[] }[]>;
}

export interface SummarizerGiven {
  readonly subject: string;
  /** Words important for the outcome: positions, decisions, calls. */
  readonly salient: readonly Cited[];
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  /** Told the tokens of each answer of a language model. */
  readonly onUsed?: ((used: { readonly tokensIn: number; readonly tokensOut: number }) => void) | undefined;
}
