/** Context of an expression, which makes it another person's, a question, a mere idea, or its opposite. */

const asksFirst =
  /^(?:(?:so|and|but|well|ok|also|or|hi|hello|hmm|then|wait|sorry|, |- )[ ,]{0,5}){0,3}(?:do|does|did|is|are|was|were|can|could|would|will|should|shall|has|have|why|what|who|how|when|where|which|whether|any|anyone|anybody|isn|am)\b/;

/** Whether the words at a position are part of a question. */
export function isAsked(words: string, index: number): boolean {
  const end = words.indexOf(" ?", index);
  if (end < 0) return false;
  if (asksFirst.test(words)) return true;
  const between = words.slice(index, end);
  return !/[.;!:] | (?:but|however|though|although|- ) ?|, (?:and|so|do|does|did|is|are|can|could|would|will|should|what|why|how|who|any|have|has|one)\b/.test(
    between,
  );
}

const others =
  "he|she|they|you|people|folks|some|someone|somebody|others|many|anyone|everyone|nobody|everybody|one|reviewers|authors|chairs|critics|opponents|proponents";
const says =
  "says|said|claims|claimed|argues|argued|thinks|thought|believes|believed|feels|felt|objects|objected|supports|" +
  "supported|suggests|suggested|wrote|writes|mentioned|mentions|told|asked|asks|reported|reports|stated|states|" +
  "considers|considered|insists|insisted|complained|complains|proposed|proposes|noted|notes|opined|hinted|expressed|" +
  "worried|worries|pointed out|points out";
const plainSays =
  "say|claim|argue|think|believe|feel|suggest|wish|want|propose|insist|complain|consider|find";
const reported = new RegExp(
  `\\b(?!i\\b|we\\b|and\\b|as\\b)[a-z]+ (?:has |have |also |already |just |recently |even |rightly ){0,2}(?:${says})\\b(?!.{0,300}\\b(?:but|and) i\\b)` +
    `|\\b(?:${others}) (?:might |may |will |would |could |also |who |still |do |does |not ){0,3}(?:${plainSays}|${says})\\b` +
    "|\\b(?:convinces?|tells?|telling|persuades?|explain to|convincing) (?:them|him|her|people|users|everyone|my [a-z]+|the [a-z]+) " +
    "|\\b(?:according to|in the (?:view|opinion) of|quoting|to quote|paraphrasing|his|her|their) (?:[a-z]+ ){0,3}(?:opinion|view|words|claim|argument|,)" +
    "|\\baccording to\\b|\\b(?:question|argument|claim|idea|suggestion|notion|view|assertion|consensus|comment|comments) (?:is |was )?(?:that|whether|if|of)\\b",
);

const denied =
  /\b(?:not|never) (?:really |necessarily |even )?(?:mean|imply|suggest|say|saying|claim|claiming|because|prove|to say)\b(?!.{0,300} (?:but|and|[.;]) )/;

/** "That does not mean that I support it". */
export const isDenied = (before: string): boolean => denied.test(before);

const disowned =
  /\bi (?:first |once |originally |always )?(?:felt|thought|feared|assumed|figured|used to think|had thought|worried)\b(?!.{0,300}\b(?:but|and|now) i\b)/;

/**
 * "That does not mean that it is a bad idea", "I thought it would be a mistake": not the writer's current opinion.
 */
export const isDisowned = (before: string): boolean => isDenied(before) || disowned.test(before);

/** Whether another person's words follow. */
export const isReported = (before: string): boolean => reported.test(before);

const supposed =
  /\b(?:if(?! (?:i may|you ask|anything|possible|nobody|no one|not already))|unless|whether(?! or not)|suppose|supposing|imagine|in case|so that|so it|so this|hope (?:that |it |this )|once|when|were i|had i|should (?:i|anyone|someone|anybody|you)|until|before|those who|anyone who|people who|everyone who|you (?:[a-z]+ ){0,2}(?:support|object|oppose|agree|disagree|approve|like)|(?:raise|state|indicate|say|speak|reply)(?: [a-z]+){0,4} (?:support|object))\b/g;
const settledBy = /(?:, (?:then )?|\bthen )(?:i|we|it|this|that|my|you have my)\b[^,]{0,300}$/;

/** Whether the end of this stretch is hypothetical ("if we adopted it …"). */
export function isSupposed(stretch: string): boolean {
  const clause = stretch.slice(lastBreak(stretch));
  const last = [...clause.matchAll(supposed)].at(-1);
  if (last === undefined) return false;
  const rest = clause.slice(last.index);
  return !settledBy.test(rest) || /\b(?:would|could|might)\b[^,]{0,300}$/.test(rest);
}

function lastBreak(stretch: string): number {
  return Math.max(
    0,
    ...[" . ", " ; ", " ! ", " : ", " but ", " however "].map((mark) => stretch.lastIndexOf(mark)),
  );
}

const opinion =
  /\b(i|we)((?: (?:do|does|did|am|are|have|would|could|can|will|must|really|still|also|just|strongly|fully|firmly|certainly|definitely|honestly|personally|not|never|no longer|hardly|quite|yet|at all|however|therefore|completely|totally|respectfully|,)){0,5}) (think|believe|feel|find|consider|agree|disagree|guess|suppose|reckon|say|said|suggest|see|sure|convinced|confident|doubt|know|buy|accept|understand|unsure|certain|persuaded|claim|see why|see any reason why)\b(?!.{0,300}\b(?:i|we) (?:[a-z]+ ){0,4}(?:think|believe|feel|agree|disagree|doubt)\b)/;

/** The writer's attitude to the following clause: said, denied or doubted. */
export function opinionBefore(before: string): "said" | "denied" | "doubted" {
  const match = opinion.exec(before);
  if (match === null)
    return /\b(?:not|never|hardly) (?:sure|certain)\b|\bunsure\b/.test(before) ? "doubted" : "said";
  const isNegated = /\b(?:not|never|no longer|hardly)\b/.test(match[2] ?? "");
  const verb = match[3] ?? "";
  // An opinion ended by its own clause says nothing about the next clause.
  if (/[.;]|\bbut\b|, (?:and|so|i)\b/.test(before.slice(match.index + match[0].length))) return "said";
  if (verb === "unsure" || verb === "doubt") return isNegated ? "said" : "doubted";
  if (["sure", "certain", "know", "understand"].includes(verb)) return isNegated ? "doubted" : "said";
  if (verb === "disagree") return isNegated ? "said" : "denied";
  return isNegated ? "denied" : "said";
}
