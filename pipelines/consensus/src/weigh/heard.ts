import type { Span } from "./findings.ts";
import type { PostReading } from "./read-post.ts";
import type { HeardSpan } from "./reader/hear-post.ts";
import type { Signal } from "./stances.ts";

/** The rules' view of a stance of the trained reader. */
interface Hearing {
  readonly lean: 1 | -1;
  readonly isMeant: (signal: Signal) => boolean;
}

/**
 * Rules come first: for votes, trailers, negations and doubts, for asking, supposing and reporting sentences, and for
 * words about other matters. A trained stance also needs a word of approval or refusal.
 */
export function mayHear(reading: PostReading, heard: HeardSpan, { lean, isMeant }: Hearing): boolean {
  const { signals, votes, ownWords } = reading;
  const isInside = ({ start }: Span): boolean =>
    start >= heard.paragraph.start && start < heard.paragraph.end;
  if (votes.some((vote) => isInside(vote.span))) return false;
  const inside = signals.filter(({ span }) => isInside(span));
  if (inside.some((signal) => signal.lean !== lean || signal.relation?.to != null || !isMeant(signal)))
    return false;
  const sentence = ownWords.slice(heard.span.start, heard.span.end).replace(/\s+/g, " ");
  if (ofRules.test(sentence)) return false;
  if (lean < 0) return refuses.test(sentence) && !modest.test(sentence);
  if (withReserve.test(sentence)) return false;
  // "Yep, that is right, the files live in src" confirms a fact.
  return approves.test(sentence) || (confirms.test(sentence) && sentence.trim().length <= confirmLength);
}

const ofRules =
  /[+-]1\b|\b[\w-]{3,20}-by:|\?\s{0,5}$|\b(?:(?:those|people|anyone|everyone) who|hear from|whether|suppose|imagine|if you|would be interested|not mean|disagree|\w{1,40} (?:said|says|wrote|thinks?|agrees))\b|n['’]t (?:mean|be (?:at|there|able))\b|["“][^"”]{1,300}["”]/i;
/** Half of an agreement is no support. */
const withReserve =
  /\b(?:but|however|although|though|except|unless|partially|partly|some of|most of|in principle|in theory|not|never|no|nothing|bad|wrong|either|needs? (?:more|further|some)|more discussion|old|current|existing|status quo|as is|as it is|(?:network|other|known|different|same) (?:problem|issue)|bug|error|problem with)\b|n['’]t\b/i;
const approves =
  /\b(?:agreed?|good|great|nice|cool|excellent|awesome|perfect|sense|like|love|support|favou?r|fine|ok|okay|lgtm|happy|glad|welcome|useful|helpful|interested|needed|second|works|please do|go ahead|all for|approve|worth\w*|better|sounds|looks|me too|same here|hope to|volunteer)\b/i;
const confirms =
  /\b(?:yes|yep|yeah|yup|right|correct|exactly|indeed|absolutely|definitely|certainly|totally|interesting|thanks?)\b/i;
const confirmLength = 60;
/** First persons who refuse, judgments of the matter, and words that leave no other reading. */
const refuses =
  /^(?:no|nope|nah|nack)\b|\b(?:i|we) (?:(?:really|just|still|also|personally|simply) ){0,2}(?:do not|don['’]t|can['’]t|cannot|would not|wouldn['’]t|fail to|see no|am not|will not|won['’]t)\b|\bi['’]m (?:really |still )?not\b|\b(?:this|that|it|which|patch|proposal|idea|approach|change|there)(?:['’]s|\b)[^.;]{0,40}?\b(?:not|is no|(?:is|does|wo|should|ca|would|are)n['’]t|cannot|never)\b|\b(?:bad|wrong|against|oppose|object|nack|pointless|useless|unnecessary|mistake|unconvinced|worse)\b/i;

/** "I'm not an expert, but", "I don't know": no refusal of anything. */
const modest =
  /\b(?:not (?:an? |really |much of |too |very |all that ){0,3}(?:\w+ ){0,4}(?:expert|familiar|sure|aware|certain)|(?:do not|don['’]t|didn['’]t|did not|doesn['’]t) (?:know|remember|recall|understand|have (?:an?|the|any)|mind|care|disagree|object)|no (?:idea|objections?|problem|opinion|doubt|need to (?:apologi|worry)\w*)|(?:wo|ca)n['’]t (?:be (?:at|there)|attend|test)|why (?:not|don['’]t))\b/i;

/** "reads as agreement: “makes sense”, “me”". */
export function toldBy({ why }: HeardSpan, lean: 1 | -1): string {
  const words = why.map((each) => `“${each.replace(/^\^ ?/, "")}”`).filter((each) => each !== "“”");
  const reading = lean > 0 ? "reads as agreement" : "reads as disagreement";
  return words.length === 0 ? reading : `${reading}: ${words.join(", ")}`;
}
