import type { Question } from "./findings.ts";

/** Whether words for (1) or against (-1) something may mean the other side of the question. */
export type MayInvert = (sentence: string, lean: number) => boolean;

/**
 * Being for a thing is being against its removal, and liking what there is speaks against a change. Such words are nobody's
 * position: a missing position is better than the opposite one.
 */
export function makeDirection(question: Question, subject: string): MayInvert {
  const asked = `${subject.slice(0, 300)} ${question.quote.slice(0, 600)}`;
  const isRemoval = removes.test(asked);
  const isAskedBackwards = asksForObjections.test(question.quote);
  const nouns = new Set(nounsOf(asked));
  return (said, lean) => {
    const sentence = said.replace(/\s+/g, " ").replaceAll("’", "'").trim();
    if (ironic.test(sentence) || (lean < 0 && saysNotTo.test(sentence))) return true;
    if (lean > 0 && isUnreal.test(sentence)) return true;
    if (lean > 0 && keeps.test(sentence) && !keeps.test(asked) && !isRemoval) return true;
    if (lean < 0 && wantsNoDelay.test(sentence)) return true;
    if (isAskedBackwards && answersPlainly.test(sentence)) return true;
    return isRemoval && isOfThing(sentence, nouns);
  };
}

const removes =
  /\b(?:remov\w+|drop(?:ping|s)?|deprecat\w+|retir(?:e|es|ing)|revert(?:ing|s)?|stop(?:ping)?|phas(?:e|ing) out|obsolet\w+|delet(?:e|ing)|kill(?:ing)?|disabl\w+|get(?:ting)? rid|end of life|eol|no longer|abandon\w*|shut(?:ting)? down|discontinu\w+|unsupport\w+)\b/i;

/** "Any objections?", "would anybody mind?": yes and no stand for the opposite. */
const asksForObjections =
  /\b(?:any|no|some|anyone|anybody|someone|somebody|there|you|would|does|do)\b.{0,40}\b(?:objections?|objects?|oppos\w+|against|minds?|concerns?|disagrees?|complain\w*|reasons? (?:not|why)|problems?)\b/i;
const answersPlainly =
  /^(?:yes|yeah|yep|yup|no|nope|none|nay|absolutely|definitely|certainly|i do|i would|sure|of course)\b(?!,? (?:objections?|problems?|concerns?|issues?|(?:please )?go ahead|i (?:agree|support|think)|sounds|looks))/i;

const keeps =
  /(?<!\b(?:than|replac\w{1,4}|instead of|without|improve\w? on|beyond|not|never|n't|why|from|with|over|to|extend\w{0,3}) )(?:\b(?:keep(?:ing)?|stay(?:ing)?|remain(?:ing)?)\b(?! (?:up|in mind|informed|posted|going|an eye|tuned|it up|in touch|working|coming|the good|score|count|track))|\bstatus quo\b|\bas (?:it|things|they) (?:is|are|stands?)\b|\banything (?:else|but)\b|\bthe way (?:it|things|they) (?:is|are|was|were)\b)|(?<!\b(?:than|over) )\bwhat (?:we|i|there) (?:have|has|had|is|was)(?: (?:now|today|already))?[.!]?$|\bthe (?:current|existing|present|old) \w+(?: \w+)? (?:is|are|works?|was|has|seems?|looks?|does|did)\b|\b(?:like|prefer|love|support|favou?r|happy with|fine with|ok with) (?:the|our|my) (?:current|existing|present|old)\b/i;

const isUnreal =
  /\b(?:i wish (?:that )?(?:i|we) could|used to|in theory|in an ideal world|no way (?:i|we) (?:can|could|will|would)|until you|until one|would have been|if only|once upon a time|good luck (?:with|to)|(?:could|can)(?:n't| not) agree less|far from|neither|what (?:they|he|she) (?:call|calls))\b/i;
const ironic =
  /^(?:yeah|oh|sure|yes),? (?:right|great|sure)[.!]*$|^(?:great|wonderful|fantastic|lovely|brilliant|nice|just great),? (?:another|yet another|one more|just what)\b/i;
/** "It would be a mistake not to do this", "I fail to see why anyone would object". */
const saysNotTo =
  /\b(?:mistake|idea|shame|pity|foolish|silly|crazy|wrong|sad) not to\b|\bwhy (?:any ?(?:one|body)|some(?:one|body)|people|you|they|he|she|folks) (?:would|should|could|might)? ?(?:object|oppose|complain|mind|be against|disagree|not)\b/i;
const wantsNoDelay =
  /\bshould (?:\w+ )?(?:wait|delay|postpone|hesitate|keep waiting|hold (?:off|back|this|it)|stay|continue (?:as|to)|give up|abandon|stop)\b|\b(?:could|can)(?:n't| not) agree more\b|\b(?:could|can)(?:n't| not) be happier\b/i;

/** Speaks of the thing to be removed, and neither of removing it nor of "this" proposal. */
function isOfThing(sentence: string, nouns: ReadonlySet<string>): boolean {
  if (removes.test(sentence) || ofProposal.test(sentence)) return false;
  return nounsOf(sentence).some((word) => nouns.has(word));
}

const ofProposal =
  /\b(?:(?:this|your|the) (?:proposal|patch|series|idea|plan|approach|suggestion|removal|revert|deprecation)|proposed|doing (?:this|so|that)|do (?:this|it|so|that)|adopt\w*|go ahead|agree|agreed)\b/i;

const nounsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}{3,40}/gu) ?? [])
    .filter((word) => !common.has(word) && !removes.test(word))
    .map((word) => word.replace(/e?s$/, ""));

const common = new Set(
  (
    "the and for but not you are was has have had this that these those they them there then than with from what when who why how " +
    "should would could shall will can may might must does did done about into over our your his her its all any some " +
    "think like want need know good better well propose proposal suggest question anybody anyone somebody someone nobody " +
    "people just only also very more most such here still even same now yes please thanks idea bad"
  ).split(" "),
);
