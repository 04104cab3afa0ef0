import { stage } from "@headway/engine";
import { assessments, summaries } from "../collections.ts";
import { library, summarizer } from "../services.ts";
import { verifySummary } from "../summary/verify.ts";

/** A weighed thread becomes a summary. From any summarizer, only sentences supported by messages are kept. */
export const makeSummarizing = (model: string) =>
  stage("summarizing", {
    reads: assessments,
    writes: [summaries],
    needs: [library, summarizer],
    model,
    announces: { done: "SummaryComplete", failed: "SummarizationFailed" },
    retry: { attempts: 5 },
    timeout: "15m",
    async *run({ id, list, subject, digest, salient }, { library, summarizer, signal, idempotencyKey }) {
      const posts = await library.postsOf(id, digest);
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
