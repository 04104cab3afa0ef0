import type { Expression } from "./lexicon.ts";
import { act, after, article, done, matter, stop, undo, undone } from "./lexicon-phrases.ts";

/** "A recipe that works for me" is about the recipe; only a separate clause is about the matter. */
const ownThat =
  "(?<=^|[.,;:!()-] |\\b(?:and|but|so|think|believe|feel|find|guess|suppose|because|as|yes|no|ok|then) )that";
const thing = `(?:this|it|${ownThat}|they|these|draft|document|proposal|patch|patches|series|change|changes|idea|spec|specification|text|version|code|release|rc|plan|approach|pr|[a-z]*[0-9]+)`;
/** A proposal, not anything "it" may be. */
const piece =
  "(?:draft|document|proposal|patch|patches|series|change|changes|spec|specification|release|rc|plan|pr|work)";

/** "Release" and "drop" are said of everything; here only of the matter. */
const onTheMatter = `(?: (?:now|yet|soon|as (?:is|it)|in its|before|at (?:this|the)|again|asap)\\b| (?:with )?(?:it|this|that|these|both)${after}| (?:for |with |to )?${article}(?!(?:it|this|that|these|both)\\b)${matter}\\b|${stop})`;

const ought =
  "(?:really |certainly |definitely |probably |absolutely |therefore |also )?(?:should|must|ought to)";
const must =
  "(?:really |certainly |definitely |probably |absolutely |therefore )?(?:should|must|ought to|needs? to)";
const passive = `(?: (?:really|certainly|definitely|probably|absolutely|just|now|also|simply|then|not|never|still|even|ever|yet|have been|go|be|get)){0,4} ${done}`;

/** Judgements about the matter. */
export const judgments: readonly Expression[] = [
  {
    pattern:
      "\\b(?:harder to (?:understand|read|follow|maintain|use)|(?:unnecessarily|needlessly|overly) (?:risky|complex|complicated|dangerous|verbose|restrictive)|add(?:s|ing)? (?:[a-z]+ ){0,2}complexity)\\b",
    lean: -1,
    strength: 0.55,
    because: "finds that it makes things worse",
    negated: "nothing",
  },
  {
    pattern:
      "\\b(?:neither|not|nor) (?:[a-z]+ ){0,4}(?:for|support|favou?r|supporting)\\b.{0,40}\\b(?:nor|or|neither) (?:[a-z]+ ){0,3}(?:against|oppose|opposed|object|opposing)\\b",
    lean: 0,
    strength: 0.98,
    because: "is neither for nor against it",
    negated: { lean: 0, strength: 0.98 },
  },
  {
    pattern:
      "\\b(?:you have|has|gets?|have) (?:my|our) (?:full |strong |complete )?(?:support|vote|backing|blessing)\\b",
    lean: 1,
    strength: 0.9,
    because: "gives support",
  },
  {
    pattern: `\\bmy vote (?:is|goes|would be|would go) (?:to|for) (?:${act}|yes|it|this|that|option)\\b`,
    lean: 1,
    strength: 0.8,
    because: "would vote for it",
    negated: "nothing",
  },
  { pattern: "\\blgtm\\b", lean: 1, strength: 0.9, because: "says that it looks good" },
  {
    pattern:
      "\\b(?:looks?|looking|sounds?|seems?) (?:very |really |pretty |perfectly |quite |all )?(?:good|great|fine|ok|okay|reasonable|right|sensible|excellent|nice|correct|sane|sound|solid)(?: enough)? to (?:me|us)\\b",
    lean: 1,
    strength: 0.7,
    because: "says that it looks good to them",
    negated: { lean: -1, strength: 0.55 },
  },
  {
    pattern: `(?:^|[.,;:!-] |\\b${thing} (?:all |now |also )?)(?:looks?|sounds?|seems?) (?:very |really |pretty |perfectly |quite |all )?(?:good|great|fine|ok|reasonable|right|sensible|excellent|sane)${stop}`,
    lean: 1,
    strength: 0.5,
    because: "says that it looks good",
  },
  {
    pattern:
      "\\b(?=fine|ok|cool|alright|acceptable)(?<!\\b(?:work|works|working|worked|run|runs|running|builds?) (?:just |all )?)(?<!\\bwhatever .{0,40})\\b(?:fine|ok|okay|cool|alright|acceptable) (?:with|by|for) (?:me|us)\\b(?! because)|\\b(?:would|will) (?:also |not |all ){0,2}work (?:well |fine |better |best )?for (?:me|us)\\b",
    lean: 1,
    strength: 0.65,
    because: "says that it is fine with them",
  },
  {
    pattern: `(?:^|[.,;:!()-] |\\b(?:but|and|so|also|(?:it|this|that|either|both|all|which|proposal|plan|change) (?:is |are |would be |sounds |seems |'s )(?:[a-z]+ )?) ?)(?:fine|ok|okay|good|acceptable) to me\\b`,
    lean: 1,
    strength: 0.55,
    because: "says that it is fine with them",
  },
  // "It works for me" is mostly a report on a program: valid only after a call, and only by itself.
  {
    pattern: `^(?:(?:yes|ok|okay|sure|great|cool|yep|yeah|hi|hello|binding|non-binding|all|too|and|but|so|tested|built|checked|[,.!:;()-]) ){0,4}(?:(?:this|that|it|either|both|either one|the (?:plan|proposal|change|idea|date|name|new name)) )?(?:also |all |would |will |does |do |not ){0,3}works? (?:well |fine |great |perfectly |too )?(?:for (?:me|us)|here)${stop}|binding (?:but |and |, ){0,2}(?:it |this )?works? (?:well |fine )?(?:for me|here)\\b|^(?:[a-z]+ , )?wfm\\b`,
    lean: 1,
    strength: 0.5,
    because: "says that it works for them",
  },
  {
    pattern: `(?:^|[.,;:!-] |\\b(?:this|it|that|which|proposal|idea|change|approach|plan|adoption|publication|adopting|publishing|merging) (?:all |also |really )?)(?:does |do )?(?:not )?makes? (?:perfect |total |complete |a lot of |good |much |any )?sense\\b`,
    lean: 1,
    strength: 0.45,
    because: "says that it makes sense",
  },
  {
    pattern: "\\bmakes? (?:no|little|zero) sense\\b",
    lean: -1,
    strength: 0.55,
    because: "says that it makes no sense",
  },
  {
    pattern:
      "(?<!\\b(?:getting|get|got|make|making|made|you are|i am|be) )(?<!\\byou )\\bready (?:yet )?(?:for|to) (?:be |go |the |a |an |ietf |move |wg |working |group ){0,4}(?:wglc|last|call|publication|publish|published|adopt|adopted|adoption|ship|shipped|go|forward|merge|merged|iesg|release|released|proceed|advance|prime|rfc|submission|ahead|land)\\b",
    lean: 1,
    strength: 0.85,
    because: "says that it is ready",
  },
  {
    pattern: `\\b${thing} (?:is|are|looks?|seems?|be|was)(?: (?:now|yet|quite|really|fully|pretty|much|not|hardly|still|simply|just|never|nearly|far|from|almost|anywhere|near)){0,4} ready(?: yet)?${stop}`,
    lean: 1,
    strength: 0.7,
    because: "says that it is ready",
  },
  {
    pattern:
      "(?:^|[.!] )(?:(?:it|this|looks|is|seems) ){0,2}ready from my (?:point of view|side|end|perspective)\\b",
    lean: 1,
    strength: 0.8,
    because: "says that it is ready",
  },
  {
    pattern: `(?:^|[.!] )(?:our|my|the) (?:[a-z]+ ){0,3}(?:company|organi[sz]ation|team|group|department|office|agency|authority|institute|university|laborator(?:y|ies)|lab|ministry|foundation|consortium|employer|operators?) (?:also |fully |strongly ){0,2}(?:supports|endorses|backs|is in favou?r of) ${article}${matter}\\b`,
    lean: 1,
    strength: 0.8,
    because: "says that those they speak for support it",
  },
  { pattern: `(?:^|[,;] )not (?:yet )?ready\\b`, lean: 1, strength: 0.7, because: "says that it is ready" },
  {
    pattern: "\\bdeserves? (?:to (?:be|become|go|get|move)|adoption|publication)\\b",
    lean: 1,
    strength: 0.6,
    because: "says that it deserves it",
  },
  {
    pattern:
      "\\b(?:count|consider|take|treat) (?:this|me|it|us) (?:as |among |down )?(?:a |an |my |those )?(?:strong |vote |of |statement ){0,3}(?:support\\w*|in favou?r|in support|yes|endorsement|approval)\\b",
    lean: 1,
    strength: 0.9,
    because: "asks to be counted as a supporter",
  },
  {
    pattern:
      "\\b(?:count|consider|take|treat) (?:this|me|it|us) (?:as |among |down )?(?:a |an |my |those )?(?:strong |formal |vote |of |statement ){0,3}(?:against|opposed|objecti\\w+|opposition|no\\b|opposing)",
    lean: -1,
    strength: 0.9,
    because: "asks to be counted as an objector",
    negated: "nothing",
  },
  {
    pattern: `(?:^|[.,;:!-] )(?:so |yes |then )?please (?:do )?(?:go ahead and |just )?${act}${onTheMatter}`,
    lean: 1,
    strength: 0.65,
    because: "asks to do it",
    negated: "nothing",
  },
  {
    pattern:
      "^(?:yes |ok |, |- ){0,3}(?:adopt|publish|approve|accept|approved|accepted|merge)(?: it| this)?(?: [.!]+)?$",
    lean: 1,
    strength: 0.7,
    because: "says to do it",
  },
  {
    pattern:
      "\\b(?:this|it|that|draft|proposal|feature|change) (?:really |certainly |definitely |clearly )?(?:do |does )?(?:not |hardly )?(?:really )?belongs? (?:in|here|to)\\b",
    lean: 1,
    strength: 0.5,
    because: "says that it belongs there",
    negated: { lean: -1, strength: 0.6 },
  },
  { pattern: "\\bover my dead body\\b", lean: -1, strength: 0.8, because: "says over my dead body" },
  {
    pattern:
      "\\b(?:my|our) (?:[a-z-]+ )?(?:objections?|concerns?|opposition|veto|nack|nak|-1) (?:still |therefore |thus ){0,2}(?:stands?|remains?|holds|persists?)\\b",
    lean: -1,
    strength: 0.9,
    because: "says that their objection stands",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:it is|is|high) (?:about )?time (?:to|that we|we) ${act}\\b`,
    lean: 1,
    strength: 0.65,
    because: "says that it is time to do it",
  },
  {
    pattern: `\\b(?:would like|want|urge|encourage|ask|request|like) (?:the |this )?(?:wg|working group|group|chairs?|project|community|list|iesg|maintainers?|board) to (?:please |not )?${act}\\b`,
    lean: 1,
    strength: 0.75,
    because: "asks to do it",
  },
  {
    pattern:
      "(?:^|[.,;!-] )(?:so |a |an |big |strong |clear |definite |it is ){0,3}yes (?:from|for) (?:me|us|my|our)\\b",
    lean: 1,
    strength: 0.8,
    because: "says yes",
  },
  {
    pattern:
      "(?:^|[.,;!-] )(?:so |a |an |big |strong |clear |definite |it is ){0,3}no (?:from|for) (?:me|us)\\b",
    lean: -1,
    strength: 0.8,
    because: "says no",
  },
  {
    pattern:
      "\\b(?:we|wg|group) (?:really |simply |just )?(?:can|could) (?:not|never) (?:really |possibly |just )?(?:adopt|publish|accept|approve|merge|ship) (?:this|it|the (?:draft|document|proposal|patch))\\b",
    lean: -1,
    strength: 0.65,
    because: "says that it cannot go ahead",
    negated: { lean: -1, strength: 0.65 },
  },
  {
    pattern: `\\b(?:is|be|was|seems|'s) (?:not )?(?:clearly |definitely |probably |really )?the right thing(?: to do\\b|${stop})`,
    lean: 1,
    strength: 0.55,
    because: "calls it the right thing",
  },
  {
    pattern:
      "\\bmy (?:[a-z]+ )?(?:objection|concern|worry) (?:here |with (?:this|it) |to (?:this|it) )?(?:is|are)\\b(?! (?:now|resolved|addressed|gone|settled|withdrawn|met|answered|all|fully|satisfied))",
    lean: -1,
    strength: 0.6,
    because: "names an objection",
    negated: "nothing",
  },
  {
    pattern: "(?<!\\byou (?:[a-z]+ ){0,3})\\bgood to go\\b",
    lean: 1,
    strength: 0.8,
    because: "says that it is good to go",
  },
  { pattern: `(?:^|[.,;:!-] |\\blet us )ship it\\b`, lean: 1, strength: 0.85, because: "says to ship it" },
  {
    pattern: `(?:^|[.,;:!-] )(?:please )?(?:go ahead|go for it|yes please)(?: with (?:this|it))?${stop}`,
    lean: 1,
    strength: 0.55,
    because: "says to go ahead",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:good|great|excellent|sensible|fantastic|wonderful|brilliant|fine|nice|solid|reasonable|useful|worthwhile|sound|right|correct|proper|best) (?:idea|proposal|plan|approach|starting point|basis|compromise|move|improvement|direction|addition|solution|suggestion|initiative)\\b(?! (?:of (?:the|what|how)|what|how|where)\\b)`,
    lean: 1,
    strength: 0.45,
    because: "calls it a good idea",
    negated: { lean: -1, strength: 0.65 },
  },
  {
    pattern:
      "\\bworth (?:adopting|publishing|doing|pursuing|merging|having|standardi[sz]ing|working on)\\b(?! an?\\b)",
    lean: 1,
    strength: 0.6,
    because: "says that it is worth doing",
  },
  {
    pattern: `\\b(?:(?:bad|terrible|awful|horrible|poor|dangerous|stupid|wrong|dreadful|horrid) (?:idea|proposal|plan|approach|move|solution|precedent|trade ?off|mistake|choice)|(?:is|are|be|seems|'s|like|as) (?:simply |just |clearly |still |not )?(?:a |an |the )?(?:bad|wrong|poor) (?:direction|layer|place|tool)|step in (?:a|the) wrong direction)\\b`,
    lean: -1,
    strength: 0.65,
    because: "calls it a bad idea",
    negated: { lean: 1, strength: 0.4 },
  },
  {
    pattern:
      "\\b(?:be|is|was|makes?|be making|making) a (?:huge |big |serious |terrible |grave |big )?mistake\\b",
    lean: -1,
    strength: 0.65,
    because: "calls it a mistake",
  },
  {
    pattern: `\\bpremature(?: (?:to|for|at|now|as)\\b| (?:adoption|publication|release|standardi\\w+)\\b|${stop})|\\btoo (?:early|soon) (?:to|for)\\b`,
    lean: -1,
    strength: 0.7,
    because: "says that it is too early",
  },
  {
    pattern: "\\b(?:unacceptable|a non-?starter)\\b",
    lean: -1,
    strength: 0.75,
    because: "finds it unacceptable",
  },
  {
    pattern: `\\ba show-? ?stopper${stop}`,
    lean: -1,
    strength: 0.55,
    because: "finds it unacceptable",
    negated: "nothing",
  },
  {
    pattern: `\\b${thing} (?:is|are) (?:fully |entirely |quite |perfectly )?acceptable\\b`,
    lean: 1,
    strength: 0.5,
    because: "finds it acceptable",
  },
  {
    pattern: `\\b(?:^|this|${ownThat}|proposal|draft|patch|approach|change|plan|text) (?:is|are) (?:simply |just )?(?:not|hardly) (?:at all )?acceptable\\b`,
    lean: -1,
    strength: 0.75,
    because: "finds it unacceptable",
    negated: { lean: -1, strength: 0.75 },
  },
  {
    pattern:
      "\\bneeds? (?:much |a lot |some |significantly |quite a bit |considerably )?(?:more|further|additional|of) (?:work|time|discussion before)\\b",
    lean: -1,
    strength: 0.4,
    because: "says that it needs more work",
    negated: "nothing",
  },
  {
    pattern: `\\b(?:we|wg|group|chairs?|authors?|list|community|project|maintainers?|council|board) ${ought}(?: (?:really|certainly|definitely|probably|absolutely|just|now|also|all|simply|then|not|never|instead|still|rather|even|ever|yet|go|have)){0,4} ${act}${onTheMatter}`,
    lean: 1,
    strength: 0.75,
    because: "says that it should go ahead",
  },
  {
    pattern: `\\b(?:${piece}|and) ${ought}${passive}${onTheMatter}`,
    lean: 1,
    strength: 0.75,
    because: "says that it should go ahead",
  },
  // Statements about what "it" should do are mostly about a program.
  {
    pattern: `\\b${thing} ${ought}${passive}${onTheMatter}`,
    lean: 1,
    strength: 0.55,
    because: "says that it should go ahead",
  },
  {
    pattern: `\\b(?:we|wg|group|chairs?|authors?|community|project|maintainers?|council|board) ${must}(?: (?:really|certainly|definitely|probably|just|now|also|not|never|instead|still|rather|simply)){0,3} ${undo}${onTheMatter}`,
    lean: -1,
    strength: 0.7,
    because: "says that it should not go ahead",
    negated: { lean: 1, strength: 0.6 },
  },
  {
    pattern: `\\b(?:it|this|${ownThat}|they|idea|${piece}) ${must}(?: (?:really|certainly|definitely|probably|just|now|also|not|never|instead|still|rather|simply)){0,3} be ${undone}${onTheMatter}`,
    lean: -1,
    strength: 0.7,
    because: "says that it should not go ahead",
    negated: { lean: 1, strength: 0.6 },
  },
  {
    pattern: `\\b(?:let us|suggest (?:we|to)|propose (?:we|to)) (?:just )?(?:not )?${act}\\b`,
    lean: 1,
    strength: 0.6,
    because: "says that it should go ahead",
  },
  {
    pattern: `\\blet us (?:just |please )?${undo}\\b`,
    lean: -1,
    strength: 0.55,
    because: "says that it should not go ahead",
    negated: { lean: 1, strength: 0.4 },
  },
  {
    pattern: `(?:^|[.,;:!-] )please (?:do not|don ' t) (?:go ahead and )?${act}\\b`,
    lean: -1,
    strength: 0.8,
    because: "asks not to do it",
    negated: { lean: -1, strength: 0.8 },
  },
];
