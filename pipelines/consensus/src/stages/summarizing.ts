import { notFoundYet, permanent, stage } from "@headway/engine";
import { assessments, summaries } from "../collections.ts";
import { summarizer } from "../services.ts";
import { builtInSummarizer, openBuiltIn } from "../summary/choose.ts";
import { writeSummary } from "../summary/fall-back.ts";
import type { Cited } from "../summary/summarizer.ts";
import { type Post, postFields, postsAt } from "../threads/posts.ts";

/** Quick attempts; the last falls back to the offline summary. */
const attempts = 5;

/**
 * A weighed thread becomes a summary. From any summarizer, only sentences supported by messages are kept. The built-in
 * summarizer runs on any core; a language model is asked from the engine's process, which may use the network.
 */
export const makeSummarizing = (model: string) =>
  stage("summarizing", {
    reads: assessments,
    writes: [summaries],
    needs: [summarizer],
    looks: {
      found: { of: postFields, ids: ({ messages }) => messages?.map(({ message }) => message) ?? [] },
    },
    model,
    ...(model === builtInSummarizer && { isolate: apart }),
    announces: { done: "SummaryComplete", failed: "SummarizationFailed" },
    retry: { attempts },
    timeout: "15m",
    async *run(
      { id, list, subject, messages, salient },
      { found, summarizer, signal, idempotencyKey, attempt },
    ) {
      if (!messages) throw weighedBefore(id);
      const posts = postsAt(messages, found);
      if (!salient.every((one) => stands(one, posts))) throw changedSince(id);
      const given = { subject, salient, signal, idempotencyKey };
      const trying = { summarizer, openOffline: openBuiltIn, isLast: attempt >= attempts };
      yield summaries.document(id, { list, ...(await writeSummary(posts, given, trying)) });
    },
  });

const weighedBefore = (thread: string) =>
  permanent(
    "assessment.old",
    `The thread ${thread} was weighed by an older version; run "headway reprocess --stage weighing --stale".`,
  );

/** A changed message owes the thread's weighing too, so a new assessment is on its way: no model is asked about the old. */
const changedSince = (thread: string) =>
  notFoundYet("thread.changed", `A message of ${thread} has changed; the thread is being weighed again.`);

const stands = ({ message, start, end, quote }: Cited, posts: readonly Post[]): boolean =>
  posts.find((post) => post.id === message)?.clean.slice(start, end) === quote;

const apart = { module: import.meta.url, makes: ["summarizer"] } as const;

/** For the isolated process. */
export const summarizing = makeSummarizing(builtInSummarizer);
export const services = () => ({ summarizer: openBuiltIn() });
