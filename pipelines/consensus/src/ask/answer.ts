import { type Database, readersOf } from "@headway/engine";
import { chunks, messages } from "../collections.ts";
import { countLexemes, readLexemes } from "../library/lexemes.ts";
import type { Hit, Query } from "../library/search.ts";
import { readThreadsOf } from "../library/threads-of.ts";
import type { Post, SummarySentence } from "../summary/post.ts";
import type { Answerer } from "./answer-model.ts";
import {
  type Evidence,
  findEvidence,
  type Passage,
  type ReadPassage,
  sentencesOf,
  weigh,
} from "./evidence.ts";

export interface AskOptions {
  readonly list?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** Number of quotes. */
  readonly limit?: number;
}

/** A person's words in answer, with thread and message. */
export interface AnswerQuote {
  readonly thread: string | null;
  readonly message: string;
  readonly list: string;
  readonly subject: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly date: string | null;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  readonly score: number;
}

/** An answer made of quotes; no quotes: the archive has no answer. */
export interface QuotedAnswer {
  readonly question: string;
  readonly quotes: readonly AnswerQuote[];
}

/** An answer with the sentences of a configured language model. */
export interface Answer extends QuotedAnswer {
  readonly model: string | null;
  readonly sentences: readonly SummarySentence[];
  /** Number of the model's sentences dropped for lack of support. */
  readonly dropped: number;
  /** Why the model gave no answer; null: no trouble, or no model. */
  readonly problem: string | null;
}

/** Where answers come from: search by words and by meaning, and the texts behind. */
export interface Archive {
  readonly database: Database;
  search(query: Omit<Query, "meaning">): Promise<Hit[]>;
}

export const askDefaults = { limit: 3, passages: 60 } as const;

/** Answers by quotes, and by verified sentences of a model; without the model, the quotes stand alone. */
export async function answerQuestion(
  archive: Archive,
  question: string,
  {
    model,
    signal,
    ...options
  }: AskOptions & { readonly model: Answerer | null; readonly signal: AbortSignal },
): Promise<Answer> {
  const quoted = await answerByQuotes(archive, question, options);
  const silent = { ...quoted, model: model?.model ?? null, sentences: [], dropped: 0, problem: null };
  if (!model) return silent;
  const passages = await readPosts(
    archive,
    (await readPassages(archive, question, options)).slice(0, shownMax),
  );
  if (passages.length === 0) return silent;
  try {
    return { ...silent, ...(await model.answer(question, passages, signal)) };
  } catch (error) {
    return { ...silent, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Passages for the model. */
const shownMax = 12;

async function readPosts({ database }: Archive, passages: readonly Passage[]) {
  const ids = [...new Set(passages.map(({ message }) => message))];
  const found = await readersOf(database).readAll(messages, ids);
  const posts = new Map(
    found.map(({ id, from, date, subject, clean }): [string, Post] => [
      id,
      { id, parent: null, from, date, subject, clean },
    ]),
  );
  return passages.flatMap(({ message, start, text }) => {
    const post = posts.get(message);
    return post ? [{ post, start, end: start + text.length }] : [];
  });
}

/** Finds the words in answer to a question; every word was written on the list. */
export async function answerByQuotes(
  archive: Archive,
  question: string,
  options: AskOptions = {},
): Promise<QuotedAnswer> {
  const read = await readEvidence(archive, question, options);
  const threads = await readThreadsOf(
    archive.database,
    read.map(({ passage }) => passage.message),
  );
  return {
    question,
    quotes: read.map(({ passage: { message, list, subject, from, date }, start, end, quote, score }) => ({
      thread: threads.get(message) ?? null,
      message,
      list,
      subject,
      from,
      date,
      start,
      end,
      quote,
      score,
    })),
  };
}

async function readEvidence(archive: Archive, question: string, options: AskOptions): Promise<Evidence[]> {
  const { database } = archive;
  const { list, limit = askDefaults.limit } = options;
  const [asked = new Set<string>()] = await readLexemes(database, [question]);
  if (asked.size === 0) return [];
  const terms = weigh(asked, await countLexemes(database, [...asked], list));
  const passages = await readPassages(archive, question, options);
  return findEvidence(await readWords(database, passages), {
    terms,
    asksWhy: /\bwhy\b/i.test(question),
    limit,
  });
}

/** Passages near the question. */
export async function readPassages(
  { database, search }: Archive,
  question: string,
  { list, since, until }: AskOptions,
): Promise<Passage[]> {
  const hits = await search({
    // Signs of search have no meaning in a question.
    words: question.replace(/["-]/g, " "),
    ...(list !== undefined && { list }),
    ...(since && { since }),
    ...(until && { until }),
    limit: askDefaults.passages,
  });
  const found = await readersOf(database).readAll(
    chunks,
    hits.map(({ chunk }) => chunk),
  );
  return found.map(({ message, list: from, subject, from: by, date, start, text }) => ({
    message,
    list: from,
    subject,
    from: by,
    date,
    start,
    text,
  }));
}

/** Stems of all sentences in one query. */
async function readWords(database: Database, passages: readonly Passage[]): Promise<ReadPassage[]> {
  const cut = passages.map((passage) => ({ passage, spans: sentencesOf(passage) }));
  const lexemes = await readLexemes(
    database,
    cut.flatMap(({ passage: { subject, from, text }, spans }) => [
      apart(subject),
      apart(from.name || from.address),
      ...spans.map(({ start, end }) => apart(text.slice(start, end))),
    ]),
  );
  let next = 0;
  const take = (): ReadonlySet<string> => lexemes[next++] ?? new Set();
  return cut.map(({ passage, spans }) => ({
    passage,
    subject: take(),
    author: take(),
    sentences: spans.map((span) => ({ ...span, lexemes: take() })),
  }));
}

/** `TOMOYO/AKARI` is two words for people, and a path for a stemmer. */
const apart = (text: string): string => `${text} ${text.replace(/[/_:()=-]+|\.(?=\D)/g, " ")}`;
