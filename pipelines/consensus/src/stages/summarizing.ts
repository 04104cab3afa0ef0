import { type DocumentOf, stage } from "@headway/engine";
import { assessments, summaries } from "../collections.ts";
import type { Library, Post } from "../library/library.ts";
import { library, summarizer } from "../services.ts";
import { builtInSummarizer, openBuiltIn } from "../summary/choose.ts";
import { verifySummary } from "../summary/verify.ts";

type Weighed = Pick<DocumentOf<typeof assessments>, "id" | "digest">;

/**
 * A weighed thread becomes a summary. From any summarizer, only sentences supported by messages are kept. The built-in
 * summarizer runs on any core; a language model is asked from the engine's process, which may use the network.
 */
export const makeSummarizing = (model: string) =>
  stage("summarizing", {
    reads: assessments,
    writes: [summaries],
    needs: [library, summarizer],
    model,
    ...(model === builtInSummarizer && { isolate: apart }),
    announces: { done: "SummaryComplete", failed: "SummarizationFailed" },
    retry: { attempts: 5 },
    timeout: "15m",
    async *run({ id, list, subject, digest, salient }, context) {
      const { library, lent, summarizer, signal, idempotencyKey } = context;
      const posts: readonly Post[] = lent ?? (await library.postsOf(id, digest));
      const written = await summarizer.summarize(posts, { subject, salient, signal, idempotencyKey });
      const { kept, dropped } = verifySummary(written, posts);
      yield summaries.document(id, {
        list,
        model: summarizer.model,
        sentences: kept.map(({ text, citations }) => ({ text, citations })),
        dropped: dropped.length,
      });
    },
  });

const apart = {
  module: import.meta.url,
  lend: ({ id, digest }: Weighed, { library }: { readonly library: Library }) => library.postsOf(id, digest),
  makes: ["summarizer"],
} as const;

/** For the isolated process. */
export const summarizing = makeSummarizing(builtInSummarizer);
export const services = () => ({ summarizer: openBuiltIn() });
