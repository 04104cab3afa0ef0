import { callRules, subjectIsReply } from "./calls.ts";
import { type Call, type Person, type Question, quoteFrom, type Span } from "./findings.ts";
import type { PostReading } from "./read-post.ts";

/**
 * The question of a thread: a call comes first, then a tag in the subject, then a first message that proposes
 * something or asks the group. Without a question there is nothing to decide, whatever people agree about.
 */
export function findQuestion(readings: readonly PostReading[], calls: readonly Call[]): Question | null {
  const call = calls.find(({ kind }) => kind !== "proposal") ?? calls[0];
  if (call !== undefined) return call;
  const [first] = readings;
  if (first === undefined) return null;
  const opening = { message: first.post.id, by: first.author };
  const asked = openingWords(first);
  if (asked !== null) return { ...quoteFrom(first.post, asked.span), by: first.author, kind: asked.kind };
  if (first.post.parent === null && putsChoice.test(first.post.subject.slice(0, 300))) {
    const span = first.sentences.find(({ end }) => first.ownWords[end - 1] === "?") ?? { start: 0, end: 0 };
    return { ...quoteFrom(first.post, span), by: first.author, kind: "question" };
  }
  const kind = kindOfSubject(first.post.subject);
  // The message that asked is not here: the subject of its answers still says what they are about.
  return kind === null ? null : { ...opening, kind, start: 0, end: 0, quote: "" };
}

function kindOfSubject(subject: string): Question["kind"] | null {
  const line = subject.slice(0, 300);
  const plain = line.replace(/^(?:\s{0,4}(?:re|aw|sv|fwd?)\s?:){1,5}\s{0,4}/i, "");
  if (!subjectIsReply(line) && plain === line) return null;
  return callRules.find(({ subject: named }) => named?.test(plain))?.kind ?? null;
}

/** "Per reading or per batch?", "Drop the old format?" */
const putsChoice =
  /^(?:\[[^\]]{1,40}\] ?){0,3}(?:(?:should|shall|drop|remove|deprecate|keep|allow|merge|adopt|rename|move|retire)\b[^?]{1,200}|[^?]{1,150}\bor\b[^?]{1,150})\?$/i;

const sentencesMax = 60;

function openingWords({
  post,
  sentences,
  ownWords,
}: PostReading): { span: Span; kind: Question["kind"] } | null {
  if (post.parent !== null || subjectIsReply(post.subject)) return null;
  for (const span of sentences.slice(0, sentencesMax)) {
    const sentence = ownWords
      .slice(span.start, Math.min(span.end, span.start + 600))
      .replace(/\s+/g, " ")
      .trim();
    if (proposes.test(sentence)) return { span, kind: "proposal" };
    if (sentence.endsWith("?") && asksGroup.test(sentence)) return { span, kind: "question" };
  }
  return null;
}

const proposes =
  /\b(?:i (?:would |'d )?(?:like to )?(?:propose|suggest|recommend)|my (?:proposal|suggestion)|i (?:really |also |just )?(?:think|believe|feel)(?: that)? (?:we|the (?:group|project|wg|list)) (?:should|need to|ought to|could)|(?:i|we) (?:plan|intend|want|would like|'d like) to (?:add|remove|drop|change|move|rename|replace|merge|switch|deprecate|release|introduce|convert|rewrite|make)|(?:here is|here's|this is|attached is|i have attached|please find attached|please review)\b.{0,60}\b(?:patch|proposal|draft|change|series|pull request|merge request)|(?:please|kindly) (?:review|merge|pull|apply|comment on)|review (?:is )?(?:welcome|appreciated))\b/i;

const asksGroup =
  /\b(?:what (?:do|does|would) (?:people|everyone|everybody|others|folks|you(?: all| guys| folks)?|the (?:group|list|wg)) (?:think|say|prefer)|(?:any|your) (?:thoughts|opinions?|comments|objections?|feedback|preferences?)|thoughts|opinions|wdyt|(?:should|shall) (?:we|the (?:group|project))|does any(?:one|body) (?:object|mind|agree|disagree|oppose)|(?:would|does|is) (?:it|this|that) (?:be |make )?(?:ok|okay|fine|acceptable|good|sense|reasonable) (?:to|if|for)|how about|(?:can|could) we|why (?:not|don't we)|do (?:people|others|we|you all) (?:agree|think|want|prefer))\b/i;

/** Words of a question by which another sentence can be seen to speak of the same thing. */
export function wordsOfQuestion(question: Question, subject: string): ReadonlySet<string> {
  return new Set(contentWords(`${subject.slice(0, 300)} ${question.kind} ${question.quote.slice(0, 600)}`));
}

export const contentWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}{4,40}/gu) ?? []).map((word) => word.slice(0, 6));

const judged =
  /^(.{0,200}?)\b(?:is|are|was|were|seems|would be|sounds like|looks like) (?:[a-z]+ ){0,3}(?:bad|terrible|horrible|good|great|awful|wrong|mistake|nice|poor)\b/i;
const meansProposal =
  /\b(?:this|that|it|these|those|they|you|your|proposal|proposed|patch|patches|series|idea|change|changes|draft|document|approach|text|plan|suggestion|doing so|to do so|which|here|i|adoption|adopting|merging|publication)\b/i;

/** "Goto is a bad idea" is about goto: a judgment counts when its subject is the proposal, or a thing named in it. */
export function speaksOfIt(
  sentence: string,
  question: ReadonlySet<string>,
  by: Person,
  author: Person,
): boolean {
  if (by === author) return true;
  const subject = judged.exec(sentence.replace(/\s+/g, " "))?.[1];
  if (subject === undefined) return true;
  const named = subject.replace(
    /^.{0,120}\b(?:i (?:also |really |still |just )?(?:think|believe|feel|agree|say)|agree)(?: that)?\b/i,
    "",
  );
  if (named.trim() === "" || meansProposal.test(named)) return true;
  return contentWords(named).some((word) => question.has(word));
}
