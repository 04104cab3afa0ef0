import type { DocumentOf, Engine } from "@headway/engine";
import { assessments, chunks, messages, positions, summaries, threads } from "../collections.ts";

type Reader = Pick<Engine, "documents" | "read">;

/** Exportable kinds: one plain object per line, always with the same fields in the same order. */
export const exportable = ["messages", "threads", "chunks", "summaries", "positions"] as const;
export type Exportable = (typeof exportable)[number];

/** All rows of a kind, by id, of one list or of all. */
export function exportRows(engine: Reader, kind: Exportable, list?: string): AsyncIterable<ExportRow> {
  return rowsOf[kind](engine, list);
}

export type ExportRow = Readonly<Record<string, unknown>>;

const rowsOf: Record<Exportable, (engine: Reader, list?: string) => AsyncIterable<ExportRow>> = {
  messages: exportMessages,
  threads: exportThreads,
  chunks: exportChunks,
  summaries: exportSummaries,
  positions: exportPositions,
};

async function* exportMessages(engine: Reader, list?: string): AsyncGenerator<ExportRow> {
  const places = await readPlaces(engine, list);
  for await (const message of ofList(engine.documents(messages), list)) {
    const place = places.get(message.id);
    yield {
      id: message.id,
      list: message.list,
      messageId: message.messageId,
      subject: message.subject,
      from: message.from,
      date: message.date,
      inReplyTo: message.inReplyTo,
      references: message.references,
      parent: place?.parent ?? null,
      thread: place?.thread ?? null,
      text: message.text,
      clean: message.clean,
      attachments: message.attachments,
      occurrences: message.occurrences,
      flags: message.flags,
      listId: message.listId,
      removed: message.removed,
    };
  }
}

/** The thread of each message: a message does not know its thread, the thread knows its messages. */
async function readPlaces(engine: Reader, list?: string) {
  const places = new Map<string, { thread: string; parent: string | null }>();
  for await (const thread of ofList(engine.documents(threads), list))
    for (const { message, parent } of thread.messages) places.set(message, { thread: thread.id, parent });
  return places;
}

async function* exportThreads(engine: Reader, list?: string): AsyncGenerator<ExportRow> {
  for await (const thread of ofList(engine.documents(threads), list)) {
    yield {
      id: thread.id,
      list: thread.list,
      subject: thread.subject,
      messages: thread.messages.map(({ message }) => message),
      roots: thread.roots,
      participants: thread.participants,
      firstDate: thread.firstDate,
      lastDate: thread.lastDate,
      parents: Object.fromEntries(thread.messages.map(({ message, parent }) => [message, parent])),
    };
  }
}

async function* exportChunks(engine: Reader, list?: string): AsyncGenerator<ExportRow> {
  for await (const { id, list: name, message, start, end, tokens, text, from, date, subject } of ofList(
    engine.documents(chunks),
    list,
  ))
    yield { id, list: name, message, start, end, tokens, text, from, date, subject };
}

async function* exportSummaries(engine: Reader, list?: string): AsyncGenerator<ExportRow> {
  for await (const summary of ofList(engine.documents(summaries), list))
    yield summaryRow(summary, await engine.read(assessments, summary.id));
}

export function summaryRow(
  summary: DocumentOf<typeof summaries>,
  assessment: DocumentOf<typeof assessments> | null,
): ExportRow {
  return {
    thread: summary.id,
    list: summary.list,
    level: assessment?.level ?? "undecided",
    confidence: assessment?.confidence ?? 0,
    reasons: assessment?.reasons ?? [],
    model: summary.model,
    sentences: summary.sentences,
    decisions: assessment?.decisions ?? [],
    votes: assessment?.votes ?? [],
    tally: assessment?.tally ?? null,
    calls: assessment?.calls ?? [],
    question: assessment?.question ?? null,
    otherQuestions: assessment?.otherQuestions ?? [],
    asides: assessment?.asides ?? [],
    commitments: assessment?.commitments ?? [],
    dropped: summary.dropped,
  };
}

async function* exportPositions(engine: Reader, list?: string): AsyncGenerator<ExportRow> {
  for await (const position of ofList(engine.documents(positions), list)) {
    const { id, thread, person, stance, message, start, end, quote, at, supersededBy, because } = position;
    const question = position.question ?? 1;
    yield { id, thread, person, stance, message, start, end, quote, at, supersededBy, because, question };
  }
}

async function* ofList<T extends { readonly list: string }>(
  documents: AsyncIterable<T>,
  list: string | undefined,
): AsyncGenerator<T> {
  for await (const document of documents) if (list === undefined || document.list === list) yield document;
}
