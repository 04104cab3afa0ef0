import { openStaticModel } from "@headway/text";
import type { Settings } from "../settings.ts";
import { extractSummary } from "./extract.ts";
import { openLanguageModel } from "./llm.ts";
import type { Summarizer } from "./summarizer.ts";

/** Change it when sentences would be chosen differently. */
const extractiveVersion = "extractive-1";

/** A language model where one is configured, otherwise sentences are chosen offline. */
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
  // The built-in model whatever passages are embedded with: choosing sentences must not cost a call for each of them.
  const embedder = openStaticModel();
  return {
    model: `${extractiveVersion}+${embedder.model}`,
    summarize: (posts, { salient }) =>
      extractSummary(posts, { embed: (texts) => embedder.embed(texts), salient }),
  };
}
