import {
  answerByQuotes,
  type Consensus,
  fallbackWords,
  feed,
  findThread,
  listDigest,
  listThreads,
  readKnown,
  readLists,
  readStory,
  summaryNotes,
  type ThreadStory,
} from "@headway/consensus";
import type { Library, ThreadMessage, ThreadPage, Uploaded } from "@headway/console";

/** Pages for readers of the console, filled by the consensus pipeline. */
export function makeConsensusLibrary(consensus: Consensus): Library {
  const { search, meaning, engine } = consensus;
  const { database } = engine;
  return {
    lists: () => readLists(database),
    async digest(list, limit) {
      const lines = await listThreads(database, { list, limit, order: "newest" });
      if (lines.length === 0) return null;
      const stories = await Promise.all(lines.map(({ id }) => readStory(database, id)));
      return listDigest({ list, threads: stories.filter((one) => one !== null) });
    },
    threads: (filter) => listThreads(database, filter),
    async thread(id) {
      const story = (await readStory(database, id)) ?? (await storyWith(id));
      return story && toPage(story);
    },
    async search(query) {
      const hits = await search(query);
      return { hits, wordsOnly: meaning.kind === "missing" ? meaning.because : null };
    },
    ask: async (question, filter) => (await answerByQuotes({ database, search }, question, filter)).quotes,
  };

  async function storyWith(message: string): Promise<ThreadStory | null> {
    const [found] = await findThread(database, message);
    return found === undefined ? null : await readStory(database, found);
  }
}

/** Reads an uploaded archive of mail. */
export async function takeArchive(
  consensus: Consensus,
  path: string,
  options: { readonly list?: string },
): Promise<Uploaded> {
  const { accepted, unchanged, lists, refused } = await feed(consensus, [path], options);
  const { byId } = await readKnown(consensus.engine.database);
  const made = [...byId].filter(([, { place }]) => place.startsWith(path));
  return {
    accepted,
    unchanged,
    lists,
    refused: refused.map(({ because }) => because),
    documents: made.slice(0, documentsMax).map(([id]) => ({ collection: "archives", id })),
  };
}

const documentsMax = 20;

function toPage({ thread, messages, assessment, summary, positions }: ThreadStory): ThreadPage {
  const parents = new Map(thread.messages.map(({ message, parent }) => [message, parent]));
  const depthOf = (message: string, seen = 0): number => {
    const parent = parents.get(message);
    return parent && seen < messages.length && parents.has(parent) ? 1 + depthOf(parent, seen + 1) : 0;
  };
  return {
    id: thread.id,
    list: thread.list,
    subject: thread.subject,
    firstDate: thread.firstDate,
    lastDate: thread.lastDate,
    participants: thread.participants,
    messages: messages.map(
      ({ id, subject, from, date, clean, text, attachments, flags }): ThreadMessage => ({
        id,
        depth: depthOf(id),
        subject,
        from,
        date,
        clean,
        text,
        attachments: attachments.map(({ filename, size }) => ({ filename, size })),
        flags,
      }),
    ),
    outcome: assessment && {
      level: assessment.level,
      confidence: assessment.confidence,
      reasons: assessment.reasons,
      tally: assessment.tally,
      question: assessment.question ?? null,
    },
    summary: summary && {
      model: summary.model,
      sentences: summary.sentences,
      notes: [...fallbackWords({ summary }), ...summaryNotes({ id: thread.id, summary })],
    },
    positions: positions.map(
      ({ id, person, stance, message, start, end, quote, at, because, supersededBy }) => ({
        id,
        person,
        stance,
        message,
        start,
        end,
        quote,
        at,
        because,
        supersededBy,
      }),
    ),
  };
}
