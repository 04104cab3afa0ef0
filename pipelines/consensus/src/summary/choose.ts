import { openStaticModel, staticModelName } from "@headway/text";
import type { Settings } from "../settings.ts";
import { extractSummary } from "./extract.ts";
import { openLanguageModel } from "./llm.ts";
import type { Summarizer } from "./summarizer.ts";

/** Change this when the choice of sentences changes. */
const extractiveVersion = "extractive-2";

/** A language model if configured, otherwise sentences chosen offline. */
export function openSummarizer(settings: Settings): Summarizer {
  const { llmUrl, llmModel, llmKey, llmContextTokens } = settings;
  if (llmUrl && llmModel) {
    return openLanguageModel({
      baseUrl: llmUrl,
      model: llmModel,
      contextTokens: llmContextTokens,
      ...(llmKey && { apiKey: llmKey }),
    });
  }
  return openBuiltIn();
}

export const builtInSummarizer = `${extractiveVersion}+${staticModelName}`;

/** Always with the built-in model, for any embedder of passages: choosing sentences must not cost a call each. */
export function openBuiltIn(): Summarizer {
  const embedder = openStaticModel();
  return {
    model: builtInSummarizer,
    summarize: (posts, { salient }) =>
      extractSummary(posts, { embed: (texts) => embedder.embed(texts), salient }),
  };
}
