import { weigh } from "../../../pipelines/consensus/src/weigh/weigh.ts";
import { foldersLike } from "../corpora.ts";
import { threadsOf } from "../stances/labelled-mail.ts";

/** The outcome of a thread without its texts, enough to compare two trees or weights. */
export interface ThreadOutcome {
  readonly list: string;
  /** The thread's first message. */
  readonly thread: string;
  readonly subject: string;
  readonly level: string;
  /** Kind and message of the question. */
  readonly question: string | null;
  /** Stances by message; a question is no stance. */
  readonly stances: Readonly<Record<string, string>>;
  readonly decisions: readonly string[];
}

/** Weighs every thread of the given lists, without the engine. */
export async function outcomesOf(): Promise<readonly ThreadOutcome[]> {
  const found: ThreadOutcome[] = [];
  for (const list of foldersLike(/^list-(?!twisted-threads)/)) {
    for (const posts of await threadsOf(list)) {
      const [first] = posts;
      if (first === undefined) continue;
      const { level, question, positions, decisions } = weigh(posts);
      const taken = positions.filter(({ stance }) => stance !== "question");
      found.push({
        list,
        thread: first.id,
        subject: first.subject.slice(0, 100),
        level,
        question: question === null ? null : `${question.kind} ${question.message}`,
        stances: Object.fromEntries(taken.map(({ message, stance }) => [message, stance])),
        decisions: decisions.map(({ kind, message }) => `${kind} ${message}`),
      });
    }
  }
  return found;
}
