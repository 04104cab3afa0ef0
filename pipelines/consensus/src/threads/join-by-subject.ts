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
    const topic = `${top} ${subject.base}`;
    const earlier = recent.get(subject.base);
    if (isFirstOfTree && earlier !== undefined && belongs(message, earlier)) {
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
    recent.set(subject.base, { opener, at, isBare: isBareAnswer || (isSame && earlier.isBare) });
  }
}

function belongs(message: Message, earlier: Recent): boolean {
  if (!isAnswer(message) && !earlier.isBare) return false;
  if (message.at === Number.POSITIVE_INFINITY) return isAnswer(message);
  return message.at - earlier.at <= (isAnswer(message) ? answerWindowMs : bareWindowMs);
}

const isAnswer = ({ header, subject }: Message): boolean =>
  subject.isReply || header.inReplyTo !== null || header.references.length > 0;
