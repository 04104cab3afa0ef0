import type { Expression } from "./lexicon.ts";
import { stop } from "./lexicon-phrases.ts";

const opener =
  "^(?:(?:yes|yeah|yep|ok|okay|oh|well|hi|hello|hey|all|folks|thanks|thank you|cool|great|wow|hmm|sorry|no|nope|[,.!:;-]) ){0,4}";
const whole = "(?: (?:please|thanks|thank you|from me|here|indeed|too|[,.!]+)){0,4}$";
const it = "(?:this|that|it|something like (?:this|that)|such an? [a-z]+|this [a-z]+|the [a-z]+)";
const very =
  "(?:so|very|really|incredibly|extremely|super|quite|certainly|definitely|clearly|also|most|hugely|a|an|absolutely|totally|completely|rather|simply|just|bit|little|like)";
const toSee = "(?:see|try|use|have|get|read|test)";

/**
 * Short answers, and words of welcome or refusal: they speak of the question in a direct answer to it, and of anything
 * elsewhere.
 */
export const answers: readonly Expression[] = [
  {
    pattern: `${opener}(?:absolutely|definitely|certainly|of course|by all means|please do|count me in|long overdue|why not|i think so|i do|me too|sounds like a plan|thumbs up|(?:a )?(?:big|two|huge) thumbs up|about time)${whole}`,
    lean: 1,
    strength: 0.45,
    because: "answers yes",
    negated: "nothing",
  },
  {
    pattern: `${opener}(?:no way|please no|hell no|no thanks|let us not|please do not|absolutely not|definitely not|certainly not|not a chance|rather not|vetoed|veto)${whole}`,
    lean: -1,
    strength: 0.65,
    because: "answers no",
    negated: { lean: -1, strength: 0.65 },
  },
  {
    pattern: "^(?:(?:hi|hello|hey|all|folks|sorry|[,.!:-]) ){0,3}no(?: [.!]+)?$",
    lean: -1,
    strength: 0.6,
    because: "answers a plain no",
    negated: { lean: -1, strength: 0.6 },
  },
  {
    pattern: `(?:^|[.,;:!-] |\\b(?:and|but|so|think|believe|yes|as) )${it} (?:would|will) be (?:${very} ){0,3}(?:useful|helpful|handy|valuable|awesome|great|amazing|fantastic|excellent|welcome|lovely|wonderful|cool|nice|(?:big|huge|great) (?:help|improvement|win))(?: (?:for|to) (?:us|me|our|my|many|all|everybody|everyone|users)\\b|${stop})`,
    lean: 1,
    strength: 0.5,
    because: "welcomes it",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:i|we) would (?:${very} )?find ${it} (?:to be )?(?:${very} ){0,2}(?:useful|helpful|handy|valuable|interesting)\\b|\\b(?:i|we) (?:at [a-z]+ )?would (?:(?:definitely|certainly|also|probably|happily|gladly|immediately|love to|like to|be happy to|be glad to|very much) ){0,3}(?:use|switch to|consider switching to|be using|make use of) (?:this|it|that|such|something like)\\b|\\bsomething i would (?:love|like) to ${toSee}\\b|\\bi would (?:love|be (?:very |super |really |more than )?(?:happy|glad|pleased|delighted)) to ${toSee} (?:this|it|that|something like this)\\b`,
    lean: 1,
    strength: 0.5,
    because: "welcomes it",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:this|it|that) (?:has been|is|was) (?:long|badly|sorely|much|really|very much|definitely|certainly) (?:needed|overdue|missed)\\b|\\b(?:this|it|that) has been needed\\b|\\bi have (?:been (?:wanting|waiting for|hoping for|missing)|(?:always |often |long )?(?:wanted|wished for)) (?:this|that|it|something like|exactly this)\\b|\\b(?:i )?can not wait (?:for (?:this|it)|to ${toSee})\\b|(?:^|[.,!-] |\\bi am |\\bvery much )looking forward to (?:this|it|seeing (?:this|it)|trying (?:this|it)|using (?:this|it))\\b`,
    lean: 1,
    strength: 0.5,
    because: "welcomes it",
    negated: "nothing",
  },
  {
    pattern: `(?:^|[.,!-] |\\b(?:yeah|yes) |\\bi am )(?:also |very |really |definitely |certainly |quite |highly |extremely ){1,3}interested(?: in (?:this|that|it|such)|${stop})`,
    lean: 1,
    strength: 0.45,
    because: "is interested in it",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:this|it|that) (?:is|would be|looks like|seems like) (?:a )?(?:big|clear|huge|major|nice|definite|great|real|significant|vast|much needed|useful|welcome|good) (?:improvement|step forward|win|cleanup|simplification)\\b|(?:^|[.,!-] |\\b(?:is|looks|seems|be) )(?:much|far|way|a lot|so much) (?:better|cleaner|nicer|simpler) than (?:what we (?:have|had)|the (?:current|old|existing|present)|today|now|before|what is there)\\b`,
    lean: 1,
    strength: 0.5,
    because: "finds it better",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:do not|can not|fail to|not really) see (?:the |any |much |a )?(?:point|need|value|benefit|use|reason|advantage|gain)(?: (?:here|either|at all|in (?:this|it|that)|of (?:this|it|that)))?${stop}|\\bnot (?:really |quite |yet |entirely )?sold on (?:this|it|that|the)\\b`,
    lean: -1,
    strength: 0.55,
    because: "sees no use in it",
    negated: { lean: -1, strength: 0.55 },
  },
  {
    pattern: `(?:^|[.,;!-] |\\b(?:think|believe|and|but|because) )(?:(?:this|it|that|the (?:proposal|idea|change)|all this) )?(?:is|seems|looks|feels|sounds) (?:${very} ){0,3}(?:unnecessary|overkill|over-?engineered|pointless|superfluous|gratuitous|a waste of time|asking for trouble|a solution in search of a problem|a step back(?:wards?)?)\\b`,
    lean: -1,
    strength: 0.55,
    because: "finds it needless",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:leave|keep) (?:it|this|that|things|everything) (?:alone|as (?:it is|is|they are)|the way (?:it is|they are))\\b|\\bsad to see (?:this|it) (?:happen|go|land|merged|removed)\\b|\\bcure is worse than the disease\\b|\\bwrong (?:way|thing) to (?:do|go|go about)\\b`,
    lean: -1,
    strength: 0.55,
    because: "would leave it as it is",
    negated: "nothing",
  },
];
