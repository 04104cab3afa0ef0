import { findAncestors } from "./find-ancestors.ts";
import type { Forest } from "./forest.ts";
import type { Message } from "./order-messages.ts";

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Time after the last message on a subject for an answer without a usable reference. Holidays and
 * release cycles delay answers by weeks; after two months a subject such as "Minutes" is more likely in use again.
 */
const answerWindowMs = 60 * dayMs;

/** The same for a message without signs of an answer: shorter than a week, because of "Weekly report". */
const bareWindowMs = 5 * dayMs;

/** The last message on a subject so far. */
interface Recent {
  /** The message that opened the subject in its tree. */
  readonly opener: Message;
  readonly at: number;
  /** The conversation has answers with "Re:" removed, as by Pipermail. */
  readonly isBare: boolean;
}

/**
 * A tree with an answer at the top joins the nearest earlier message on its subject, below the opener of the
 * subject there. A message without "Re:" and references joins only an ongoing conversation
 * with "Re:" removed as well; so each "Weekly report" is separate.
 */
export function joinBySubject(messages: readonly Message[], forest: Forest): void {
  const { nearest, tops } = findAncestors(messages.length, forest);
  const seen = new Set<number>();
  const recent = new Map<string, Recent>();
  const openers = new Map<string, Message>();
  for (const message of messages) {
    const { node, at, subject } = message;
    const top = tops[node] as number;
    const isFirstOfTree = nearest[node] === -1 && !seen.has(top);
    if (isFirstOfTree) seen.add(top);
    if (subject.base === "") continue;
    const base = isFirstOfTree ? voteOf(subject.base) : subject.base;
    const topic = `${top} ${base}`;
    const earlier = recent.get(base);
    const isResult = base !== subject.base;
    if (
      isFirstOfTree &&
      earlier !== undefined &&
      (belongs(message, earlier) || (isResult && isTimely(message, earlier)))
    ) {
      const { opener } = earlier;
      // Two answers to a missing message: neither answers the other.
      if (nearest[opener.node] === -1 && isAnswer(opener)) forest.join(top, opener.node);
      else forest.link(top, opener.node);
      if (tops[opener.node] !== top) openers.set(topic, opener);
    }
    const opener = openers.get(topic) ?? message;
    openers.set(topic, opener);
    const isSame = earlier?.opener === opener;
    const isBareAnswer = nearest[node] !== -1 && opener !== message && !subject.isReply;
    recent.set(base, { opener, at, isBare: isBareAnswer || (isSame && earlier.isBare) });
  }
}

const outcomeTag = /\[(?:results?|cancell?ed|closed|passed|failed|withdrawn)\] ?/;

/** "[RESULT] [VOTE] Release 3.1" and "[VOTE][RESULT] Release 3.1" belong to "[VOTE] Release 3.1", often sent anew. */
function voteOf(base: string): string {
  if (!outcomeTag.test(base.slice(0, 60))) return base;
  const rest = base.replace(outcomeTag, "").trim();
  const vote = rest.startsWith("[vote]") ? rest : `[vote] ${rest}`;
  return vote.replace(/^\[vote\] ?/, "[vote] ");
}

const isTimely = (message: Message, earlier: Recent): boolean => message.at - earlier.at <= answerWindowMs;

function belongs(message: Message, earlier: Recent): boolean {
  if (!isAnswer(message) && !earlier.isBare) return false;
  if (message.at === Number.POSITIVE_INFINITY) return isAnswer(message);
  return message.at - earlier.at <= (isAnswer(message) ? answerWindowMs : bareWindowMs);
}

const isAnswer = ({ header, subject }: Message): boolean =>
  subject.isReply || header.inReplyTo !== null || header.references.length > 0;
