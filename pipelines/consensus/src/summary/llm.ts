import { transient } from "@headway/engine";
import { type Answer, type Chat, type ChatSettings, openChat } from "./chat.ts";
import type { Citation, Post, SummarySentence } from "./post.ts";
import {
  askForChoice,
  askForSentences,
  type Prompt,
  plainText,
  promptVersion,
  readChoice,
  readSentences,
} from "./prompt.ts";
import type { SummarizerGiven } from "./summarizer.ts";
import { verifySummary } from "./verify.ts";
import { countTokens, halve, layWindows, type Window } from "./windows.ts";

export interface LanguageModelSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly timeoutMs?: number;
  readonly contextTokens?: number;
  /** Told after each answer. */
  readonly onUsed?: ChatSettings["onUsed"];
}

export const languageModelDefaults = { timeoutMs: 120_000, contextTokens: 8_000 } as const;

export interface LanguageModel {
  readonly model: string;
  /** The model's sentences about a thread; verify before storing (`verifySummary`). */
  summarize(posts: readonly Post[], given: SummarizerGiven): Promise<readonly SummarySentence[]>;
}

/**
 * Summaries by a language model with OpenAI's or Ollama's protocol. A thread larger than the context is read in
 * windows; the sentences about each window are verified, and in the end the model only chooses among verified
 * sentences.
 */
export function openLanguageModel(settings: LanguageModelSettings): LanguageModel {
  const { timeoutMs, contextTokens } = { ...languageModelDefaults, ...settings };
  const answerTokensMax = Math.min(2_000, Math.floor(contextTokens / 3));
  const chat = openChat({ ...settings, timeoutMs, contextTokens, answerTokensMax });
  const roomTokens = contextTokens - answerTokensMax - instructionTokens;
  return {
    model: `${settings.model}+${promptVersion}`,
    async summarize(posts, given) {
      const windows = layWindows(posts, roomTokens);
      if (windows.length === 0) return [];
      const reader = { chat, posts, given };
      if (windows.length === 1) {
        const [read, ...more] = await readWindow(reader, windows[0]!);
        if (more.length === 0) return read!;
        return await reduce(
          reader,
          [read!, ...more].flatMap((each) => verifySummary(each, posts).kept),
          roomTokens,
        );
      }
      const verified: SummarySentence[] = [];
      for (const window of windows) {
        for (const sentences of await readWindow(reader, window)) {
          verified.push(...verifySummary(sentences, posts).kept);
        }
      }
      return await reduce(reader, verified, roomTokens);
    },
  };
}

/** Rules, schema and the server's own frame of messages. */
const instructionTokens = 700;

interface Reader {
  readonly chat: Chat;
  readonly posts: readonly Post[];
  readonly given: SummarizerGiven;
}

/** The sentences about a window; about its halves, if the whole was too much for the model. */
async function readWindow(reader: Reader, window: Window): Promise<readonly (readonly SummarySentence[])[]> {
  const answer = await ask(reader, askForSentences(window, reader.given), (value) => readSentences(value));
  if (answer.kind === "read") {
    return [
      answer.sentences.map(({ text, citations }) => ({
        text: plainText(text),
        citations: citations.map(({ message, quote }) => cite(reader.posts, message, quote)),
      })),
    ];
  }
  const halves = halve(window);
  if (halves === undefined) throw tooMuch(answer.kind);
  return [...(await readWindow(reader, halves[0])), ...(await readWindow(reader, halves[1]))];
}

/** `verifySummary` finds the quote's position; an invalid mail number becomes a missing message. */
export function cite(posts: readonly Post[], number: number, quote: string): Citation {
  return { message: posts[number - 1]?.id ?? "", start: 0, end: 0, quote };
}

const tooMuch = (kind: "cut" | "too-long") =>
  transient(`llm.${kind}`, "The language model cannot finish with even a small part of the thread.");

const sentencesMax = 12;

/** Chooses among verified sentences, in rounds if too many for one question. */
async function reduce(
  reader: Reader,
  verified: readonly SummarySentence[],
  roomTokens: number,
): Promise<readonly SummarySentence[]> {
  let sentences = verified;
  for (let round = 0; round < roundsMax && sentences.length > sentencesMax; round++) {
    const chosen: SummarySentence[] = [];
    for (const group of layGroups(sentences, roomTokens)) chosen.push(...(await choose(reader, group)));
    if (chosen.length >= sentences.length) break;
    sentences = chosen;
  }
  return spread(sentences, sentencesMax);
}

const roundsMax = 6;
const groupMax = 60;

function layGroups(sentences: readonly SummarySentence[], roomTokens: number): readonly SummarySentence[][] {
  const groups: SummarySentence[][] = [];
  let room = 0;
  for (const sentence of sentences) {
    const tokens = countTokens(JSON.stringify(sentence.text)) + 12;
    if (groups.length === 0 || tokens > room || groups.at(-1)!.length >= groupMax) {
      groups.push([]);
      room = roomTokens;
    }
    groups.at(-1)!.push(sentence);
    room -= tokens;
  }
  return groups;
}

/** A merged sentence keeps the citations of its sources; if nothing of the answer holds, the sources stand. */
async function choose(
  reader: Reader,
  group: readonly SummarySentence[],
): Promise<readonly SummarySentence[]> {
  if (group.length <= 2) return group;
  const answer = await ask(reader, askForChoice(group, reader.given.subject), (value) => readChoice(value));
  if (answer.kind !== "read") return spread(group, sentencesMax);
  const merged = answer.sentences.map(({ text, sources }) => ({
    text: plainText(text),
    citations: uniqueCitations([...new Set(sources)].flatMap((number) => group[number - 1]?.citations ?? [])),
  }));
  const { kept } = verifySummary(merged.slice(0, sentencesMax), reader.posts);
  return kept.length > 0 ? kept : spread(group, sentencesMax);
}

function uniqueCitations(citations: readonly Citation[]): readonly Citation[] {
  return [
    ...new Map(citations.map((each) => [`${each.message}\n${each.start}\n${each.end}`, each])).values(),
  ];
}

/** At most `countMax`, evenly spaced. */
function spread(sentences: readonly SummarySentence[], countMax: number): readonly SummarySentence[] {
  if (sentences.length <= countMax) return sentences;
  return Array.from(
    { length: countMax },
    (_, at) => sentences[Math.floor((at * sentences.length) / countMax)]!,
  );
}

const triesMax = 2;
type Asking = Pick<SummarizerGiven, "signal" | "idempotencyKey" | "onUsed">;

/** Asks again once after an unreadable answer; the engine retries later if needed. */
export async function ask<Sentence>(
  { chat, given }: { readonly chat: Chat; readonly given: Asking },
  prompt: Prompt,
  read: (value: unknown) => readonly Sentence[] | undefined,
): Promise<
  | { readonly kind: "read"; readonly sentences: readonly Sentence[] }
  | Exclude<Answer, { kind: "answered" | "garbled" }>
> {
  let problem = "";
  for (let tried = 0; tried < triesMax; tried++) {
    const answer = await chat.ask(prompt, {
      signal: given.signal,
      idempotencyKey: `${given.idempotencyKey}.${tried}`,
      onUsed: given.onUsed,
    });
    if (answer.kind === "cut" || answer.kind === "too-long") return answer;
    const sentences = answer.kind === "answered" ? read(answer.value) : undefined;
    if (sentences !== undefined) return { kind: "read", sentences };
    problem = answer.kind === "garbled" ? answer.problem : "JSON of another shape";
  }
  throw transient("llm.garbled", `The language model gave ${problem} instead of a summary.`);
}
