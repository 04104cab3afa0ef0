import type { Expression } from "./lexicon.ts";

/** A change of mind, or a settled worry. */
export interface Turn extends Expression {
  /** "against" ends an objection, "for" ends support, "either" reverses the earlier stance. */
  readonly ends: "against" | "for" | "either";
  /** Also withdraws a vote of the same side. */
  readonly takesVote?: true;
}

const gripe =
  "(?:objections?|concerns?|veto|nacks?|naks?|discuss|block|reservations?|worry|worries|opposition|(?:vote of )?-1|-1 vote)";
const praise = "(?:support|acks?|endorsement|approval|(?:vote of )?\\+1|\\+1 vote)";
const few = "(?:[a-z-]+ ){0,2}";
const settled =
  "(?:resolved|addressed|withdrawn|satisfied|answered|alleviated|moot|gone|settled|met|cleared|dealt with|taken care of)";

export const turns: readonly Turn[] = [
  {
    pattern: `\\b(?:withdraw|withdrawing|withdrew|withdrawn|retract|retracting|rescind|drop|dropping|remove|removing|lift|lifting|revoke|revoking|cancel|clear|clearing|take back|taking back) (?:my|our) ${few}${gripe}`,
    lean: 1,
    strength: 0.6,
    because: "takes an objection back",
    negated: { lean: -1, strength: 0.8 },
    ends: "against",
    takesVote: true,
  },
  {
    pattern: `\\b(?:withdraw|withdrawing|withdrew|withdrawn|retract|retracting|rescind|drop|dropping|remove|removing|revoke|revoking|cancel|take back|taking back) (?:my|our) ${few}${praise}`,
    lean: 0,
    strength: 0.7,
    because: "takes support back",
    negated: "nothing",
    ends: "for",
    takesVote: true,
  },
  {
    pattern: `(?<!\\bto )\\b(?:addresse?[sd]?|addressing|resolve[sd]?|resolving|satisf(?:y|ies|ied)|fixe[sd]|answer(?:s|ed)|clear(?:s|ed)(?: up)?|handle[sd]|alleviate[sd]?|deals with|dealt with|takes care of|meets?) (?:all |all of |most of |every one of |each of )?(?:my|our) ${few}(?:${gripe}|comments?|issues?|points?|questions?)\\b`,
    lean: 1,
    strength: 0.55,
    because: "says that their concern is settled",
    negated: { lean: -1, strength: 0.7 },
    ends: "against",
  },
  {
    pattern: `\\b(?:my|our) ${few}(?:${gripe}|comments?|issues?|points?)(?: (?:is|are|was|were|has|have|been|now|all|fully|not|never|also|completely)){1,4} ${settled}\\b`,
    lean: 1,
    strength: 0.55,
    because: "says that their concern is settled",
    negated: { lean: -1, strength: 0.7 },
    ends: "against",
  },
  {
    pattern: `^(?:ok |okay |then |so |[,.-] ){0,3}(?:objections?|concerns?|veto|nack|nak) (?:is |are |now |all ){0,2}${settled}\\b`,
    lean: 1,
    strength: 0.55,
    because: "says that their concern is settled",
    ends: "against",
  },
  {
    pattern: `\\b(?:you|that|this|it|which|he|she|they|[a-z]+) (?:have |has |all |just |both )?(?:convinced|persuaded) me(?= [.,;!:()]|$| (?:that|and|now|too|here|with|so)\\b)|\\bi (?:am|have been|was) (?:now |just |fully )?(?:convinced|persuaded)${"(?= [.,;!]|$| by| now)"}|\\bwon me over\\b`,
    lean: 1,
    strength: 0.6,
    because: "was convinced",
    negated: { lean: -1, strength: 0.5 },
    ends: "either",
  },
  {
    pattern:
      "(?<!\\b(?:will|may|might|could|would|can|not|never|to) )\\b(?:change|changed|changing|reverse|reversing|switch|switching) my (?:mind|position|opinion|stance)\\b",
    lean: 1,
    strength: 0.6,
    because: "changed their mind",
    negated: "nothing",
    ends: "either",
  },
];
