import { isProse, splitSentences } from "@headway/text";
import type { ThreadStory } from "../library/reading.ts";
import { isProposal } from "../summary/cues.ts";
import { normaliseSubject } from "../threads/subject.ts";
import { isByRobot } from "../weigh/robots.ts";
import { openQuestions, type Person } from "./thread-report.ts";

/** Words of a person with their place. */
export interface OutlineQuote {
  readonly by: Person;
  readonly date: string | null;
  readonly message: string;
  readonly quote: string;
}

/** A thread in order of what readers ask first; every line is a quote. */
export interface Outline {
  readonly kind: "outline";
  readonly thread: string;
  readonly list: string;
  /** One line. */
  readonly topic: string;
  /** Only words from then on; null: all. */
  readonly since: string | null;
  /** Messages from then on, and before. */
  readonly messages: number;
  readonly earlier: number;
  readonly proposed: readonly OutlineQuote[];
  readonly decided: readonly OutlineQuote[];
  readonly promised: readonly OutlineQuote[];
  readonly open: readonly OutlineQuote[];
  /** Replaced stances, from then on. */
  readonly turned: readonly (OutlineQuote & { readonly from: string; readonly to: string })[];
}

const topicLengthMax = 140;
const proposalsMax = 6;

/** The outline of a thread, or of what came since a day: "since the last one …". */
export function outlineOf(story: ThreadStory, since: Date | null = null): Outline {
  const { thread, assessment, positions } = story;
  const dates = new Map(story.messages.map(({ id, date }) => [id, date]));
  const isNew = (date: string | null): boolean =>
    since === null || (date !== null && date >= since.toISOString());
  const quote = (said: { by: Person; message: string; quote: string }): OutlineQuote => ({
    by: said.by,
    date: dates.get(said.message) ?? null,
    message: said.message,
    quote: said.quote,
  });
  const asOf = (all: readonly OutlineQuote[]) => unique(all).filter(({ date }) => isNew(date));
  const questions = [
    ...(assessment?.question ? [assessment.question] : []),
    ...(assessment?.otherQuestions ?? []),
  ];
  const fresh = story.messages.filter(({ date }) => isNew(date)).length;
  return {
    kind: "outline",
    thread: thread.id,
    list: thread.list,
    topic: topicOf(thread.subject, questions[0]?.quote ?? ""),
    since: since?.toISOString() ?? null,
    messages: fresh,
    earlier: story.messages.length - fresh,
    proposed: asOf([...questions.map(quote), ...proposalsOf(story)]),
    decided: asOf((assessment?.decisions ?? []).map(quote)),
    promised: asOf((assessment?.commitments ?? []).map(quote)),
    open: asOf(openQuestions(thread, positions).map((one) => quote({ ...one, by: one.person }))),
    turned: turnsOf(positions).filter(({ date }) => isNew(date)),
  };
}

/** The subject without prefixes and tags, with the question where the subject says little. */
function topicOf(subject: string, question: string): string {
  const plain = normaliseSubject(subject).text.replace(/^(?:\[[^[\]]{0,80}\]\s*)+/, "");
  const asked = question.replace(/\s+/g, " ").trim();
  const line = asked !== "" && plain.split(" ").length < 4 ? `${plain}: ${asked}` : plain || asked;
  return line.length > topicLengthMax ? `${line.slice(0, topicLengthMax - 1)}…` : line;
}

/** Sentences that propose something, the first of each message. */
function proposalsOf({ messages }: ThreadStory): OutlineQuote[] {
  return messages
    .flatMap((message): OutlineQuote[] => {
      const { id, from, date, clean } = message;
      if (isByRobot({ ...message, parent: null })) return [];
      const words = splitSentences(clean)
        .map(({ start, end }) => clean.slice(start, end))
        .find((sentence) => isProse(sentence) && isProposal(sentence));
      return words === undefined ? [] : [{ by: from, date, message: id, quote: words }];
    })
    .slice(0, proposalsMax);
}

function turnsOf(positions: ThreadStory["positions"]): Outline["turned"] {
  return positions.flatMap((before) => {
    const later = positions.find(({ id }) => id === before.supersededBy);
    if (!later || later.stance === before.stance) return [];
    const { person: by, at: date, message, quote } = later;
    return [{ by, date, message, quote, from: before.stance, to: later.stance }];
  });
}

const unique = (all: readonly OutlineQuote[]): readonly OutlineQuote[] => [
  ...new Map(all.map((one) => [`${one.message} ${one.quote}`, one])).values(),
];
