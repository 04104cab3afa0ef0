import type { Settings } from "../settings.ts";
import { openChat } from "../summary/chat.ts";
import { ask, cite, languageModelDefaults } from "../summary/llm.ts";
import type { Post, SummarySentence } from "../summary/post.ts";
import { answerPromptVersion, askForAnswer, plainText, readSentences } from "../summary/prompt.ts";
import { verifySummary } from "../summary/verify.ts";
import type { Piece } from "../summary/windows.ts";
import { countTokens } from "../summary/windows.ts";

/** Sentences of a language model about a question, each checked against the cited mails. */
export interface ModelAnswer {
  readonly sentences: readonly SummarySentence[];
  /** Number of sentences without support, never shown. */
  readonly dropped: number;
}

/** Writes answers out of passages. */
export interface Answerer {
  readonly model: string;
  answer(
    question: string,
    passages: readonly { readonly post: Post; readonly start: number; readonly end: number }[],
    signal: AbortSignal,
  ): Promise<ModelAnswer>;
}

/** The configured language model; null: answers are quotes alone. */
export function openAnswerer(settings: Settings): Answerer | null {
  const { llmUrl, llmModel, llmKey, llmContextTokens: contextTokens } = settings;
  if (!llmUrl || !llmModel) return null;
  const answerTokensMax = Math.min(1_500, Math.floor(contextTokens / 3));
  const chat = openChat({
    baseUrl: llmUrl,
    model: llmModel,
    timeoutMs: languageModelDefaults.timeoutMs,
    contextTokens,
    answerTokensMax,
    ...(llmKey && { apiKey: llmKey }),
  });
  const roomTokens = contextTokens - answerTokensMax - instructionTokens;
  return {
    model: `${llmModel}+${answerPromptVersion}`,
    async answer(question, passages, signal) {
      const posts = [...new Map(passages.map(({ post }) => [post.id, post])).values()];
      const numberOf = new Map(posts.map((post, at) => [post.id, at + 1]));
      const pieces = passages.map((one): Piece => ({ ...one, number: numberOf.get(one.post.id) ?? 0 }));
      const given = { signal, idempotencyKey: `ask.${question.slice(0, 200)}` };
      const prompt = askForAnswer(question, fitting(pieces, roomTokens));
      const read = await ask({ chat, given }, prompt, (value) => readSentences(value));
      if (read.kind !== "read") return { sentences: [], dropped: 0 };
      const written = read.sentences.map(({ text, citations }) => ({
        text: plainText(text),
        citations: citations.map(({ message, quote }) => cite(posts, message, quote)),
      }));
      const { kept, dropped } = verifySummary(written, posts);
      return { sentences: kept, dropped: dropped.length };
    },
  };
}

/** Rules, schema and the server's own frame of messages. */
const instructionTokens = 700;
const frameTokens = 80;

/** The first passages, as many as the model can read at once. */
function fitting(pieces: readonly Piece[], roomTokens: number): Piece[] {
  let room = roomTokens;
  return pieces.filter(({ post, start, end }) => {
    const tokens = frameTokens + countTokens(JSON.stringify(post.clean.slice(start, end)));
    if (tokens > room) return false;
    room -= tokens;
    return true;
  });
}
