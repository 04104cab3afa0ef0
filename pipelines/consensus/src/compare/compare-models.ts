import type { Post, SummarySentence } from "../summary/post.ts";
import type { Cited, Summarizer } from "../summary/summarizer.ts";
import { verifySummary } from "../summary/verify.ts";

/** A model to compare: a summarizer, with its tokens. */
export interface ComparedModel {
  readonly name: string;
  readonly summarizer: Summarizer;
  /** Tokens so far; estimated where the server does not tell. */
  readonly used: () => Usage;
  /** Money for a million tokens in and out; null: unknown. */
  readonly price: { readonly in: number; readonly out: number } | null;
}

export interface Usage {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** A thread as input of models. */
export interface ComparedThread {
  readonly thread: string;
  readonly subject: string;
  readonly posts: readonly Post[];
  readonly salient: readonly Cited[];
}

/** The summary of one model, verified. */
export interface ComparedSummary extends Usage {
  readonly model: string;
  readonly sentences: readonly SummarySentence[];
  /** Sentences without support, with the reason. */
  readonly dropped: readonly { readonly text: string; readonly problem: string }[];
  readonly tookMs: number;
  readonly cost: number | null;
  /** Why there is none; null: there is. */
  readonly fault: string | null;
}

export interface Comparison {
  readonly thread: string;
  readonly subject: string;
  readonly summaries: readonly ComparedSummary[];
}

/** Every model on a single thread, in order; a failing model leaves an empty column. */
export async function compareOn(
  { thread, subject, posts, salient }: ComparedThread,
  models: readonly ComparedModel[],
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<Comparison> {
  const summaries: ComparedSummary[] = [];
  for (const model of models) {
    const [before, began] = [model.used(), now()];
    const written = await model.summarizer
      .summarize(posts, { subject, salient, signal, idempotencyKey: `compare.${model.name}.${thread}` })
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const used = lessen(model.used(), before);
    const { kept, dropped } =
      typeof written === "string" ? { kept: [], dropped: [] } : verifySummary(written, posts);
    summaries.push({
      model: model.summarizer.model,
      sentences: kept,
      dropped: dropped.map(({ sentence, problem }) => ({ text: sentence.text, problem })),
      tookMs: now() - began,
      ...used,
      cost: costOf(used, model.price),
      fault: typeof written === "string" ? written : null,
    });
  }
  return { thread, subject, summaries };
}

const lessen = (after: Usage, before: Usage): Usage => ({
  calls: after.calls - before.calls,
  tokensIn: after.tokensIn - before.tokensIn,
  tokensOut: after.tokensOut - before.tokensOut,
});

const costOf = ({ tokensIn, tokensOut }: Usage, price: ComparedModel["price"]): number | null =>
  price && (tokensIn * price.in + tokensOut * price.out) / 1_000_000;

/** A line for each model over all threads. */
export interface ModelTotal extends Usage {
  readonly model: string;
  readonly threads: number;
  readonly sentences: number;
  readonly dropped: number;
  readonly faults: number;
  readonly tookMs: number;
  readonly cost: number | null;
}

export function totalsOf(comparisons: readonly Comparison[]): ModelTotal[] {
  const models = comparisons[0]?.summaries.map(({ model }) => model) ?? [];
  return models.map((model, at) => {
    const all = comparisons.flatMap(({ summaries }) => summaries[at] ?? []);
    const sum = (of: (one: ComparedSummary) => number) => all.reduce((total, one) => total + of(one), 0);
    const isPriced = all.every(({ cost }) => cost !== null);
    return {
      model,
      threads: all.length,
      sentences: sum(({ sentences }) => sentences.length),
      dropped: sum(({ dropped }) => dropped.length),
      faults: all.filter(({ fault }) => fault !== null).length,
      calls: sum(({ calls }) => calls),
      tokensIn: sum(({ tokensIn }) => tokensIn),
      tokensOut: sum(({ tokensOut }) => tokensOut),
      tookMs: sum(({ tookMs }) => tookMs),
      cost: isPriced ? sum(({ cost }) => cost ?? 0) : null,
    };
  });
}
