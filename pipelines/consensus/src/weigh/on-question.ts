import { type MayInvert, makeDirection } from "./direction.ts";
import type { Person, Question } from "./findings.ts";
import type { PostReading } from "./read-post.ts";
import type { Signal } from "./stances.ts";

/** Whether a stance answers the question, and not something said on the way. */
export interface OnQuestion {
  readonly isMeant: (reading: PostReading, signal: Signal, taken: ReadonlySet<string>) => boolean;
  /** Whether the post answers the message with the question itself. */
  readonly answers: (reading: PostReading) => boolean;
  readonly mayInvert: MayInvert;
  /** Whether disagreement with the asking message is an objection: not for a choice or an open question. */
  readonly mayObject: boolean;
  /** Whether a bare +1 in this post is a vote on the question. */
  readonly mayVote: (reading: PostReading, taken: ReadonlySet<string>) => boolean;
}

/**
 * An answer to the asking message answers the question. Further down a thread agreement is mostly about a detail: of
 * 43 messages in the labelled lists 8 take a side in the question. Further down only words naming the matter count,
 * and in a call also answers to posts with a position; `taken` has the posts with a position.
 */
export function makeOnQuestion(readings: readonly PostReading[], question: Question | null): OnQuestion {
  if (question === null)
    return {
      isMeant: () => true,
      mayVote: () => true,
      answers: () => false,
      mayInvert: () => false,
      mayObject: false,
    };
  const authors = new Map(readings.map(({ post, author }) => [post.id, author]));
  const words = wordsOfQuestion(question, readings[0]?.post.subject ?? "");
  const asking = readings.find(({ post }) => post.id === question.message)?.ownWords ?? "";
  const isChoice = offersChoice(asking);
  // A plain no may answer any other question of the same mail.
  const mayRefuse = question.kind !== "question" && !asking.replace(question.quote, "").includes("?");
  const isCall = question.kind !== "proposal" && question.kind !== "question";
  const answers = ({ post }: PostReading): boolean =>
    post.parent === null || post.parent === question.message || !authors.has(post.parent);
  const isNear = (reading: PostReading, taken: ReadonlySet<string>): boolean => {
    const { parent } = reading.post;
    if (answers(reading)) return true;
    return parent !== null && (taken.has(parent) || authors.get(parent) === question.by);
  };
  const mayInvert = makeDirection(question, readings[0]?.post.subject ?? "");
  const answersProposer = ({ post }: PostReading): boolean =>
    post.parent !== null && authors.get(post.parent) === question.by;
  const followsSide = ({ post }: PostReading, taken: ReadonlySet<string>): boolean =>
    post.parent !== null && taken.has(post.parent);
  return {
    answers,
    mayInvert,
    mayObject: !isChoice && question.kind !== "question",
    mayVote: (reading, taken) => isCall || answers(reading) || taken.has(reading.post.parent ?? ""),
    isMeant(reading, signal, taken) {
      // Against one of several options is no objection to the question: "I support B. I am against A."
      if (isChoice && signal.lean < 0) return false;
      const { ownWords, author } = reading;
      if (ofOpenings.test(signal.because) && !(answers(reading) && signal.span.start < nearTop)) return false;
      if (signal.because === "answers a plain no" && !mayRefuse) return false;
      const sentence = ownWords.slice(signal.span.start, signal.span.end);
      const agreesThat = /^agrees that/.test(signal.because);
      if (agreesThat && answersProposer(reading) && !deniesOther.test(sentence)) return false;
      if (!agreesThat && !isTrailer.test(signal.because) && mayInvert(sentence, signal.lean)) return false;
      if (/^calls it a/.test(signal.because) && !speaksOfIt(sentence, words, question.by, author))
        return false;
      if (signal.ends !== undefined) return true;
      if (/on a condition$/.test(signal.because) && signal.strength < told) return false;
      if (supportsThing.test(sentence) && !namesMatter(sentence, words)) return false;
      const isOutspoken = signal.relation === undefined && signal.strength >= outspoken;
      if (isTrailer.test(signal.because)) return true;
      if (isCall) return isNear(reading, taken) || isOutspoken;
      if (agreesThat && !namesMatter(sentence, words)) return false;
      // Without the asking message only outspoken words are known to be an answer.
      if (question.quote === "") return isOutspoken;
      if (ofAnswers.test(signal.because) && !answers(reading)) return false;
      if (answers(reading)) return !ofDetails.test(signal.because) || isOnMatter(sentence, words);
      if (signal.relation !== undefined && signal.span.start < nearTop && followsSide(reading, taken))
        return true;
      const isTold = signal.relation === undefined && signal.strength >= told && answersProposer(reading);
      if (isTold && !isOutspoken) return namesMatter(sentence, words, 2);
      // Further down an objection is mostly to somebody else's remark.
      if (signal.lean < 0 && signal.relation === undefined && !answersProposer(reading)) return false;
      return (isOutspoken || signal.relation?.to != null) && namesMatter(sentence, words, 2);
    },
  };
}

/** Whether a message lists options A, B, … or 1, 2, … at the beginning of lines. */
function offersChoice(text: string): boolean {
  const marks = [...text.slice(0, 20_000).matchAll(optionMark)].map(([, mark]) => mark);
  return (
    (marks.includes("A") && marks.includes("B")) ||
    (marks.includes("1") && marks.includes("2") && asksWhich.test(text))
  );
}
const optionMark = /^[ \t]{0,8}(?:option |alternative )?([A-Z]|\d)[.):][ \t]{1,4}\S/gim;
const asksWhich = /\b(?:which (?:one|option|of)|option|alternative|prefer|I see (?:two|three|four) ways)\b/i;

/** Acked-by and NAK speak of the patch, wherever in the thread. */
const isTrailer = /^writes (?:[\w-]+-by|NAK|ACK)/;
/** "I will support the participation of Ann": not every thing supported is the question. */
const supportsThing =
  /\bsupport(?:ing)? (?:(?:the|an?|his|her|their)\b(?! (?:\w+ )?(?:proposal|draft|document|change|patch|idea|call|adoption|publication|move|plan|release))|\w{3,20}ing\b(?! (?:it|this|that|these|the|on|forward|ahead|with|to)\b))/i;
/** Agreement with a post that took a side opens an answer, in so many characters. */
const nearTop = 80;
const outspoken = 0.8;
/** Enough in an answer to the proposer. */
const told = 0.45;
/** Worries and advice are mostly about a detail. */
const ofDetails = /^(?:is worried|names an objection)/;
/** Doubts that mean the proposal only in a direct answer to the question. */
const ofAnswers =
  /^(?:does not think so|finds that it makes things worse|is wary of it|suggests not to|welcomes it|is interested in it|finds it better|sees no use in it|would leave it as it is)/;
/** A short answer opens a direct answer; further down it answers a quoted sentence. */
const ofOpenings = /^(?:answers |finds it needless)/;
/** "I agree that keeping X is a bad idea" is for the change; "I agree that X is a bad idea" may be against it. */
const deniesOther =
  /\b(?:keep\w*|stay\w*|remain\w*|leav(?:e|ing)|old|current\w*|existing|present|status quo|without|lack(?:ing)?|today|now|continu\w+|waiting|instead)\b/i;
/** A short sentence has no room for a detail: "I see no need for this." */
const shortLength = 60;

const matter =
  /\b(?:(?:this|the|your|that|these) (?:proposal|proposed|patch|patches|series|idea|change|changes|draft|document|approach|plan|suggestion|topic)|adopt|adoption|adopting|merging|publication|doing this|do this)\b/i;

const isOnMatter = (sentence: string, words: ReadonlySet<string>): boolean =>
  sentence.length <= shortLength || namesMatter(sentence, words);

const namesMatter = (sentence: string, words: ReadonlySet<string>, wordsMin = 1): boolean =>
  matter.test(sentence) || contentWords(sentence).filter((word) => words.has(word)).length >= wordsMin;

/** Words of a question by which another sentence can be seen to speak of the same thing. */
function wordsOfQuestion(question: Question, subject: string): ReadonlySet<string> {
  return new Set(contentWords(`${subject.slice(0, 300)} ${question.kind} ${question.quote.slice(0, 600)}`));
}

const contentWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}{4,40}/gu) ?? [])
    .map((word) => word.slice(0, 6))
    .filter((word) => !common.has(word));

/** The first six letters of words that say nothing about the matter. */
const common = new Set(
  (
    "that this with from have will would should could there their they them then than what when where which while " +
    "been were more most some many much such very just only also about into over your ours does doing done make makes " +
    "think like want need know good better well propos sugges questi thing things people anyone anybod someone really " +
    "maybe perhap please thanks because before after other these those same here even still"
  )
    .split(" ")
    .map((word) => word.slice(0, 6)),
);

const judged =
  /^(.{0,200}?)\b(?:is|are|was|were|seems|would be|sounds like|looks like) (?:[a-z]+ ){0,3}(?:bad|terrible|horrible|good|great|awful|wrong|mistake|nice|poor)\b/i;
/** "It is a bad idea to use tabs": the deed is judged. */
const judgedDeed =
  /\bit(?:['’]s| is| was| would be| seems| sounds)(?: like)? (?:[a-z]+ ){0,3}(?:idea|mistake|plan|approach|move) (?:to|for) (.{3,300})$/i;
const meansProposal =
  /\b(?:this|that|it|these|those|they|you|your|proposal|proposed|patch|patches|series|idea|change|changes|draft|document|approach|text|plan|suggestion|doing so|to do so|which|here|i|adoption|adopting|merging|publication)\b/i;

/** "Goto is a bad idea" is about goto: a judgment counts when its subject is the proposal, or a thing named in it. */
function speaksOfIt(sentence: string, question: ReadonlySet<string>, by: Person, author: Person): boolean {
  if (by === author) return true;
  const line = sentence.replace(/\s+/g, " ");
  const deed = judgedDeed.exec(line)?.[1];
  if (deed !== undefined) return namesMatter(deed, question) || meansProposal.test(deed.slice(0, 40));
  const subject = judged.exec(line)?.[1];
  if (subject === undefined) return true;
  const named = subject.replace(
    /^.{0,120}\b(?:i (?:also |really |still |just )?(?:think|believe|feel|agree|say)|agree)(?: that)?\b/i,
    "",
  );
  if (named.trim() === "" || meansProposal.test(named)) return true;
  return contentWords(named).some((word) => question.has(word));
}
