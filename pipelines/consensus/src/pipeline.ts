import { type Duration, pipeline } from "@headway/engine";
import { consensusFixes } from "./fixes.ts";
import { passages, passageVectors } from "./projections.ts";
import { makeChunking } from "./stages/chunking.ts";
import { makeEmbedding } from "./stages/embedding.ts";
import { merging } from "./stages/merging.ts";
import { parsing } from "./stages/parsing.ts";
import { splitting } from "./stages/splitting.ts";
import { makeSummarizing } from "./stages/summarizing.ts";
import { makeThreading } from "./stages/threading.ts";
import { makeWeighing } from "./stages/weighing.ts";

export interface PipelineSettings {
  readonly embedder: { readonly model: string; readonly tokensMax: number };
  readonly summarizer: { readonly model: string };
  /** Quiet time of a list before threading. */
  readonly listQuiet?: Duration;
  /** Quiet time of a thread before weighing and summarizing: a model costs money, and discussions go on. */
  readonly threadQuiet?: Duration;
}

export const consensusMigrations = new URL("../migrations/", import.meta.url);

export const pipelineDefaults = { listQuiet: "300ms", threadQuiet: "1s" } as const;

/**
 *   archives ─splitting─► mails ─parsing─► readings ─merging─► messages ─chunking─► chunks ─embedding─► vectors
 *                                                       └────► headers ─threading─► threads ─weighing─► positions, assessments
 *                                                                                    summaries ◄─summarizing─┘
 */
export function makeConsensus(settings: PipelineSettings) {
  const { embedder, summarizer, listQuiet, threadQuiet } = { ...pipelineDefaults, ...settings };
  return pipeline("consensus", {
    stages: [
      splitting,
      parsing,
      merging,
      makeThreading(listQuiet),
      makeChunking(embedder.model, embedder.tokensMax),
      makeEmbedding(embedder.model),
      makeWeighing(threadQuiet),
      makeSummarizing(summarizer.model),
    ],
    projections: [passages, passageVectors],
    migrations: consensusMigrations,
    fixes: consensusFixes,
  });
}
