import { type CallKind, type Post, type Quoted, quoteFrom, type Span } from "./findings.ts";
import { anyOf } from "./lexicon-phrases.ts";

/** A post's request to the list. */
export interface Asked extends Quoted {
  readonly kind: CallKind;
}

interface CallRule {
  readonly kind: CallKind;
  readonly subject: RegExp | null;
  readonly body: RegExp;
}

/** Subjects count only in the first mail of a subject; answers inherit them. The first matching rule wins. */
export const callRules: readonly CallRule[] = [
  {
    kind: "vote",
    subject:
      /\[\s?(?:call(?:ing)? (?:for|to) )?(?:re-?)?vote\b|\bcall (?:for|to a) votes?\b|\bcfv\b|\bformal vote\b|^vote\s?:|\bvote on\b|\bballot\b|^(?:\[[^\]]{1,40}\]\s?)?motion\b/i,
    body: /\b(?:please (?:cast your )?vote\b|(?:i(?:'d| would)? (?:like to )?|let'?s |i am |i'm )(?:call(?:ing)? (?:for )?(?:a |the )?vote|start(?:ing)? (?:a|the) vote|put(?:ting)? (?:this|it) to a vote)|(?:the )?vote (?:is |will be |will remain |remains )?open (?:for|until)|cast your votes?)/i,
  },
  {
    kind: "last-call",
    subject: /\bw\.?g\.?l\.?c\.?\b|\blast[ -]?call\b|\bfinal comment period\b|\bfcp\b/i,
    body: anyOf(
      String.raw`(?:this (?:message|mail|email|e-mail|note) )?(?:starts?|begins?|initiates?|announces|issu(?:es|ing)|starting|beginning|is to start|marks the (?:start|beginning) of) (?:a |an |the )?(?:[\w-]{1,40}[ -]){0,4}(?:wglc|last[ -]call)`,
      String.raw`(?:this is|we are issuing|we'd like to (?:start|issue)) (?:a |an |the )?(?:[\w-]{1,40}[ -]){0,4}(?:wglc|last[ -]call)`,
    ),
  },
  {
    kind: "adoption",
    subject:
      /\b(?:call|request|poll|asking) (?:for|on) (?:[\w-]+ ){0,4}adoption\b|\badoption (?:call|poll|request)\b|\bcfa\b|\badopt(?:ion)? of\b|\badoption\b.{0,200}\bdraft-/i,
    body: anyOf(
      String.raw`call for (?:[\w-]+ ){0,4}adoption`,
      "adoption (?:call|poll)",
      "(?:should|would|do) (?:we|the (?:wg|working group|group)) (?:like to |want to )?adopt",
      String.raw`(?:request|ask|seek)\w* (?:[\w-]+ ){0,4}adoption`,
    ),
  },
  {
    kind: "lazy-consensus",
    subject: /\blazy[ -]consensus\b/i,
    body: /\blazy[ -]consensus\b(?! (?:is|means|rule|model|document))|\b(?:if|unless) (?:no ?one|nobody|there are no|i (?:hear|see|get|receive) no|anyone|any ?body|i don'?t hear|somebody|someone) ?(?:objections?|objects?|any objections?|has (?:any )?objections?|complains|screams|disagrees)\b[^.]{0,80}\b(?:i(?:'ll| will| am going| plan| intend)|we(?:'ll| will)|go(?:ing)? ahead|commit|merge|proceed|push|in \d+ (?:hours|days))|\b(?:i(?:'ll| will)|we(?:'ll| will))\b[^.]{0,100}\b(?:unless (?:anyone|someone|there (?:is|are)|i hear)|if (?:no ?one|nobody) (?:else )?(?:objects?|complains?|minds?|disagrees?|screams?|has (?:any )?(?:objections?|concerns?)|speaks? up|stops me)|if (?:there are no|i hear no))\b/i,
  },
  {
    kind: "consensus",
    subject:
      /\bconsensus (?:call|check|poll)\b|\bcall (?:for|of) consensus\b|\bcfc\b|\bhum\b|\b(?:straw )?poll\b|\[\s?call\s?\]/i,
    body: /\b(?:consensus call|call(?:ing)? (?:for|the) consensus|confirm(?:ing)? (?:the |this |that )?(?:[\w-]+ ){0,2}consensus|straw poll|(?:please )?hum (?:now|if|for)|do we have (?:rough )?consensus|(?:any|are there(?: any)?) objections(?: to [^?.]{1,120})?\?)/i,
  },
  {
    kind: "proposal",
    subject:
      /\bpropos(?:al|e|ed|ing)\b|^\s?(?:\[[^\]]{1,40}\]\s?){0,3}(?:(?:fyi\s?(?:&|and|\/|\+)\s?)?rfc\b(?! ?\d)|pep\b[: ]|pre-?pep)|\[[^\]]{0,30}\b(?:patch|rfc|itp|summary|maint(?:ainers?)? summit|tech topic|core topic|topic)\b[^\]]{0,20}\]|\bmotion\b/i,
    body: anyOf(
      "i(?:'d| would)? (?:like to |want to |wish to |hereby |therefore |now )?(?:propose|move that|move to)",
      "we (?:hereby |would like to )?propose",
      "my proposal is",
      "(?:i|we) (?:therefore )?(?:suggest|recommend) (?:that )?we",
      "(?:the|here is a|this is a) proposal (?:is|to|for)",
      "how about (?:we|if we)",
      "what (?:if|about) we",
      "shall we",
      "should we (?:not )?(?:adopt|accept|merge|drop|move|switch|remove|release|add|use|make|change|go|rename|replace|keep|deprecate|allow|require)",
    ),
  },
];

const isReply =
  /^\s{0,4}(?:(?:re|aw|antw|sv|vs|rv|odp|fwd?|wg|tr|回复|答复)\s?(?:\[\d+\])?\s?[:：]\s{0,4}|\[[^\]]{1,40}\]\s{0,2}(?:re|aw|sv)\s?:)/i;
const isOutcome =
  /\[\s?(?:result|results|cancel\w*|passed|failed|withdrawn|closed)\b|\bresults?\b.{0,200}\bvote\b|\b(?:vote|call|wglc) (?:result|closed|concluded|cancel\w*)|\bvote (?:for|on) .{1,120} (?:has |was |is )?(?:concluded|passed|failed|succeeded|approved|closed)\b|\b(?:cfc|motion) (?:passed|failed|result)/i;

export const subjectIsReply = (subject: string): boolean => isReply.test(subject.slice(0, 60));
export const subjectIsOutcome = (subject: string): boolean => isOutcome.test(subject.slice(0, 300));

/** A post with its own words and sentence positions. */
export interface Readable {
  readonly post: Post;
  readonly ownWords: string;
  readonly sentences: readonly Span[];
}

interface ReadableCall extends Readable {
  readonly isFirst: boolean;
}

/** The call made by a post, if any. */
export function readCall({ post, ownWords, sentences, isFirst }: ReadableCall): Asked | null {
  const subject = post.subject.slice(0, 300);
  if (subjectIsOutcome(subject)) return null;
  const isAnswer = subjectIsReply(subject) || (!isFirst && post.parent !== null);
  for (const { kind, subject: inSubject, body } of callRules) {
    const said = findSentence(ownWords, sentences, body, kind);
    const named = !isAnswer && !/^\s?\[discuss\]/i.test(subject) && inSubject?.test(subject) === true;
    // An answer that only proposes something takes part in the discussion; it does not open a new question.
    const isTalk = isAnswer && (kind === "proposal" || (kind === "adoption" && asks(ownWords, said)));
    if (!named && (said === undefined || isTalk)) continue;
    return { kind, ...quoteFrom(post, said ?? sentences.find(isSentence(ownWords)) ?? { start: 0, end: 0 }) };
  }
  return null;
}

const asks = (text: string, span: Span | undefined): boolean =>
  span !== undefined && text[span.end - 1] === "?";

/** A call is near the top; a long mail is not searched to its end. */
const sentencesMax = 200;

function findSentence(
  text: string,
  spans: readonly Span[],
  pattern: RegExp,
  kind: CallKind,
): Span | undefined {
  return spans.slice(0, sentencesMax).find(({ start, end }) => {
    const sentence = text.slice(start, Math.min(end, start + 1_200)).replace(/\s+/g, " ");
    return pattern.test(sentence) && (kind === "proposal" || !aboutCalls.test(sentence));
  });
}

/** Talk about calls in general, past or to come. */
const aboutCalls =
  /\b(?:remember|remind(?:er|ed)?|recall|note|reminds me) that\b|\b(?:objections?|concerns?|comments?|discussion) (?:from|in|during|at|to) the (?:adoption|last|consensus) call\b|\bwe (?:always|usually|normally|only|still have to|have to|need to) confirm\b|\b(?:before|after|during|until) (?:the )?(?:wglc|last call|adoption call|vote)\b|\b(?:would|should|could|might) (?:we )?(?:call|have|start) (?:for )?an? (?:adoption call|vote|last call)\b|\b(?:i (?:support|oppose|object)|in response to|regarding|about) (?:the |this )?(?:[\w-]+ ){0,3}(?:call|poll)\b/i;

const isSentence =
  (text: string) =>
  (span: Span): boolean =>
    hasTwoWords(text.slice(span.start, Math.min(span.end, span.start + 400))) &&
    !/^(?:(?:hi|hello|dear|hey)\b[^.!?]{0,40}$|(?:From|To|Cc|Date|Subject|[\w-]{3,20}-by): |\[)/i.test(
      text.slice(span.start, span.end).slice(0, 60),
    );

const hasTwoWords = (text: string): boolean =>
  text.split(/\s/).filter((word) => /\p{L}{2}/u.test(word)).length > 1;
