import { type Database, readersOf } from "@headway/engine";
import { assessments, messages } from "../collections.ts";
import type { Settings } from "../settings.ts";
import { openBuiltIn } from "../summary/choose.ts";
import { openLanguageModel } from "../summary/llm.ts";
import type { ComparedModel, ComparedThread, Usage } from "./compare-models.ts";

/** `extractive`, `NAME` at the configured server, or `NAME@URL`; null: no server is known. */
export function openComparedModel(
  given: string,
  price: ComparedModel["price"],
  settings: Settings,
): ComparedModel | null {
  if (given === "extractive")
    return { name: given, summarizer: openBuiltIn(), used: () => nothing, price: price ?? { in: 0, out: 0 } };
  const [, named, address] = /^([^@\s]{1,200})@(https?:\/\/\S+)$/.exec(given) ?? [];
  const [name, baseUrl] = [named ?? given, address ?? settings.llmUrl];
  if (!baseUrl || name.trim() === "") return null;
  let used = nothing;
  const summarizer = openLanguageModel({
    baseUrl,
    model: name,
    contextTokens: settings.llmContextTokens,
    ...(settings.llmKey && { apiKey: settings.llmKey }),
    onUsed({ tokensIn, tokensOut }) {
      used = {
        calls: used.calls + 1,
        tokensIn: used.tokensIn + tokensIn,
        tokensOut: used.tokensOut + tokensOut,
      };
    },
  });
  return { name, summarizer, used: () => used, price };
}

const nothing: Usage = { calls: 0, tokensIn: 0, tokensOut: 0 };

/** A weighed thread, as in the stage of summaries; null: not weighed yet. */
export async function readComparedThread(db: Database, id: string): Promise<ComparedThread | null> {
  const { read, readAll } = readersOf(db);
  const assessment = await read(assessments, id);
  if (!assessment?.messages) return null;
  const parents = new Map(assessment.messages.map(({ message, parent }) => [message, parent]));
  const found = await readAll(messages, [...parents.keys()]);
  return {
    thread: id,
    subject: assessment.subject,
    posts: found.map(({ id: message, from, date, subject, clean }) => ({
      id: message,
      parent: parents.get(message) ?? null,
      from,
      date,
      subject,
      clean,
    })),
    salient: assessment.salient,
  };
}
