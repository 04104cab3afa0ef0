import { isProse } from "@headway/text";
import type { Span } from "./findings.ts";
import type { Expression } from "./lexicon.ts";
import { answers } from "./lexicon-answers.ts";
import { avowals } from "./lexicon-avowals.ts";
import { judgments } from "./lexicon-judgments.ts";
import { article, matter } from "./lexicon-phrases.ts";
import { reserve } from "./lexicon-reserve.ts";
import { turns } from "./lexicon-turns.ts";
import { sentenceLengthMax, simplify } from "./plain-words.ts";
import { asksSomething, questionsAreSure } from "./questions.ts";
import { isAsked, isDenied, isDisowned, isReported, isSupposed, opinionBefore } from "./sentence-frame.ts";

/** Evidence of the author's stance in a stretch of a post. */
export interface Signal {
  readonly span: Span;
  /** 1 for, -1 against, 0 neither. */
  readonly lean: -1 | 0 | 1;
  readonly strength: number;
  readonly because: string;
  /** Leans like another person: the named person, or else the answered author. */
  readonly relation?: { readonly to: string | null };
  /** Withdraws the author's earlier objection, support, or either. */
  readonly ends?: "against" | "for" | "either";
  readonly takesVote?: true;
}

/** The question asked, for posts without any other signal. */
export interface Reading {
  readonly signals: readonly Signal[];
  readonly question: Span | null;
}

/** Reads the sentences of a text with blanked foreign words. */
export function readStances(text: string, sentences: readonly Span[]): Reading {
  const signals: Signal[] = [];
  const areSure = questionsAreSure(text);
  let question: Span | null = null;
  for (const span of sentences) {
    if (!isProse(text.slice(span.start, Math.min(span.end, span.start + proseLengthMax)))) continue;
    if (question === null && asksSomething(text.slice(span.start, span.end), areSure)) question = span;
    for (let start = span.start; start < span.end; start += sentenceLengthMax) {
      const part = { start, end: Math.min(span.end, start + sentenceLengthMax) };
      signals.push(...readSentence(text, part));
    }
  }
  return { signals, question };
}

/** Enough of a stretch to recognise prose. */
const proseLengthMax = 4_000;

function readSentence(text: string, span: Span): Signal[] {
  const words = simplify(text.slice(span.start, span.end));
  if (agreesWithDenial.test(words)) return [{ ...agreedDenial, span }];
  // Most rules find nothing in most sentences, and a search is cheaper than a list of matches.
  const finds = ({ regex }: Rule): boolean => words.search(regex) >= 0;
  const found = [
    ...avowalRules.filter(finds).flatMap((rule) => readAvowal(words, rule)),
    ...judgmentRules.filter(finds).flatMap((rule) => readJudgment(words, rule)),
  ];
  // Readers understand a sentence without the rules, so the whole sentence is quoted.
  return found.map((heard) => ({ ...heard, span }));
}

/** "I agree that X is a bad idea" agrees with the one who said so, whatever X is. */
const agreesWithDenial =
  /^(?:[a-z]+ , |(?:yes|yeah|so|and|but|well|ok|indeed|right) (?:, )?){0,2}i (?:[a-z]+ly |also |do |would |tend to ){0,2}agree (?:that )?[^.;!?]{3,200}\b(?:is|are|was|would be|be|seems|looks) (?:a |an |really |such |very |not |probably ){0,4}(?:bad|terrible|horrible|awful|poor|mistake|wrong|harmful|good idea|great idea|worth|ideal|acceptable)\b/;
const agreedDenial = {
  lean: 1,
  strength: 0.5,
  because: "agrees that something is so",
  relation: { to: null },
} as const;

/** A signal before its position is known. */
type Heard = Omit<Signal, "span">;

interface Rule {
  readonly expression: Expression & {
    readonly ends?: "against" | "for" | "either";
    readonly takesVote?: true;
  };
  readonly regex: RegExp;
}

const adverbs =
  "strongly|fully|also|still|really|very|much|quite|totally|completely|certainly|definitely|absolutely|" +
  "wholeheartedly|enthusiastically|cautiously|generally|broadly|mostly|largely|partly|partially|somewhat|just|simply|" +
  "personally|therefore|thus|hence|too|again|now|however|then|both|only|firmly|respectfully|vehemently|slightly|" +
  "mildly|tentatively|actually|honestly|frankly|kind|sort|of|rather|highly|deeply|happily|gladly|all|entirely|" +
  "more|than|hereby|regretfully|reluctantly|sadly|unfortunately|whole-heartedly|particularly|at|this|time|" +
  "currently|already|always|continue|to|wish|want|like|love|have|must|need|going|will|shall|do|can|could|would|" +
  "should|may|might|am|are|be|been|feel|remain|stand|tend|inclined|leaning|towards|compelled|in|principle|" +
  "not|never|no|longer|hardly|barely|scarcely|neither|nor|used|did|was|were|had|originally|initially|previously|" +
  "[a-z]{3,12}ly|any|even|necessarily|yet|overall|as|well|myself|ourselves|100";
const openers =
  "yes|yeah|yep|no|ok|okay|sure|well|hi|hello|hey|dear|all|folks|chairs|everyone|everybody|thanks|thank|you|so|and|" +
  "but|also|fwiw|imo|imho|personally|again|agreed|great|excellent|right|indeed|then|me|too|authors|still|although|" +
  "overall|hmm|ah|oh|on|balance|summary|short|tl|dr|from|my|side|wg|team|colleagues|cheers|regards|\\+1|-1";
/** Speaker of the following words: me after reading, me, us, or a bare start; and the words in between. */
const subject = new RegExp(
  "(?:(\\b(?:i|we) (?:[a-z]+ ){0,2}(?:read|reviewed|looked|gone|went|studied|implemented|tested|checked|followed|seen|" +
    "skimmed|deployed|used|using|run|running|shipped|built)(?: [^ ]+){0,18} and (?:i )?|\\b(?:i|me and my team|my team and i)(?: ,)? )" +
    "|(\\b(?:we|my (?:team|company|employer|colleagues))(?: ,)? (?:\\( [^()]{1,60} \\) )?)" +
    `|(?:^|[.!?:;] |- |, (?:and|but|so|hence|thus) )(?:(?:${openers})(?: [,!.-])? |[a-z]+ , ){0,5})` +
    `((?:(?:${adverbs}) ){0,8})$`,
);

const avowalRules: readonly Rule[] = [...avowals, ...reserve].map((expression) => ({
  expression,
  regex: new RegExp(`\\b(?:${expression.pattern})`, "g"),
}));
const judgmentRules: readonly Rule[] = [...judgments, ...answers, ...turns].map((expression) => ({
  expression,
  regex: new RegExp(expression.pattern, "g"),
}));

const negations = /\b(?:not(?! only\b)|never|no longer|hardly|barely|scarcely|neither|nor)\b/g;
const past = /\b(?:used to|did|was|were|had|originally|initially|previously)\b/;
/** "I need to be comfortable with it first". */
const owed = /\b(?:need|have|wish|want|going) to be\b/;
const modal = /\b(?:would|could|might|may|should)\b/;
const leaning = /\b(?:tend|inclined|leaning|mildly|slightly|tentatively|somewhat|cautiously)\b/;

/** Partial agreement takes no side yet. */
function weaken(said: Said, mid: string): Said {
  if (
    /\b(?:partly|partially|only (?:somewhat|sort of|kind of)|not (?:fully|entirely|completely|totally|wholly))\b/.test(
      mid,
    )
  )
    return { lean: 0, strength: 0.5, note: "agrees in part" };
  return leaning.test(mid) ? { ...said, strength: said.strength * 0.7 } : said;
}

function readAvowal(words: string, { expression, regex }: Rule): Heard[] {
  const signals: Heard[] = [];
  for (const match of words.matchAll(regex)) {
    const led = subject.exec(words.slice(0, match.index));
    if (led === null || !isSaidBy(expression, led)) continue;
    const mid = led[3] ?? "";
    const before = words.slice(0, led.index);
    const end = match.index + match[0].length;
    if (past.test(mid) || owed.test(mid) || isFeature(words, match, led)) continue;
    if (isAsked(words, led.index) || isSupposed(words.slice(0, end)) || isDenied(before)) continue;
    const ownNegations = [...(mid + inverted(before)).matchAll(negations)].length;
    const said = settle(expression, ownNegations % 2 === 1, opinionBefore(before));
    if (said === undefined) continue;
    const conditional = underCondition(said, words.slice(end), modal.test(mid) || /\bonly\b/.test(mid));
    if (conditional === undefined) continue;
    signals.push(asSignal(words, match, expression, weaken(conditional, mid)));
  }
  return signals;
}

/** A product's feature: "we now support both", "the platforms we support", "I need to support TLS". */
function isFeature(words: string, match: RegExpExecArray, led: RegExpExecArray): boolean {
  const [, , us, mid = ""] = led;
  if (!match[0].startsWith("support")) return false;
  if (
    /\b(?:need|have|able|going) to\b/.test(mid) &&
    /^support (?:it|this|that|them|these)\b/.test(words.slice(match.index))
  )
    return true;
  if (/\b(?:need|have|want|able|going) to\b/.test(mid)) return !aboutMatter.test(words.slice(match.index));
  if (us === undefined) return false;
  const isRelative =
    led.index > 0 &&
    !/(?:[.,;:!()-]|\b(?:and|but|so|that|then|because|as|also|since|yes)) $/.test(words.slice(0, led.index));
  if (match[0] === "support" && isRelative) return true;
  return (
    /\b(?:now|already|currently|officially|only)\b/.test(mid) &&
    /^support (?:both|it|this|that|these)$/.test(match[0])
  );
}

const aboutMatter = new RegExp(`^support ${article}${matter}\\b`);

function isSaidBy({ said }: Expression, [, me, us]: RegExpExecArray): boolean {
  if (me !== undefined || said === undefined) return true;
  return us === undefined && said === "by me or bare";
}

/** "Nor do I": the "not" comes before the subject. */
const inverted = (before: string): string =>
  /\b(?:neither|nor|never|no way|hardly|by no means) (?:do|am|can|would|will|could) $/.test(before)
    ? " not"
    : "";

function readJudgment(words: string, { expression, regex }: Rule): Heard[] {
  const signals: Heard[] = [];
  for (const match of words.matchAll(regex)) {
    const before = clauseBefore(words, match.index);
    const after = words.slice(match.index + match[0].length);
    if (isAsked(words, match.index) || isReported(before) || isDisowned(before)) continue;
    if (isSupposed(before + match[0])) continue;
    const close = before.split(" ").slice(-5).join(" ");
    // A former bad idea says nothing about the current proposal.
    if (expression.ends === undefined && /\b(?:was|were)\b/.test(close)) continue;
    const count = [...`${afterLastSubject(close)} ${match[0]}`.matchAll(negations)].length;
    const said = settle(expression, count % 2 === 1, opinionBefore(before));
    if (said === undefined) continue;
    const conditional = underCondition(said, after, /\b(?:would|could|might)\b/.test(close));
    if (conditional === undefined) continue;
    const weight = /\b(?:might|may|perhaps|maybe|possibly)\b/.test(close) ? 0.7 : 1;
    signals.push(
      asSignal(words, match, expression, { ...conditional, strength: conditional.strength * weight }),
    );
  }
  return signals;
}

/** A "not" of an opinion ("I do not think this is ready") is counted there. */
const afterLastSubject = (close: string): string =>
  close.replace(/^.*\b(?:think|believe|feel|sure|convinced|see|agree|disagree|say|said|know|find)\b/, "");

/** The words before a position since the last "but" or semicolon. */
function clauseBefore(words: string, index: number): string {
  const before = words.slice(0, index);
  const cut = Math.max(
    before.lastIndexOf(" but "),
    before.lastIndexOf(" ; "),
    before.lastIndexOf(" however "),
  );
  return cut < 0 ? before : before.slice(cut);
}

interface Said {
  readonly lean: -1 | 0 | 1;
  readonly strength: number;
  readonly note?: string;
}

/** An expression with the preceding "not" and the surrounding opinion ("I don't think …", "I doubt …"). */
function settle(
  expression: Expression,
  isNegated: boolean,
  opinion: ReturnType<typeof opinionBefore>,
): Said | undefined {
  if (opinion === "doubted")
    return expression.strength === 0 ? undefined : { lean: 0, strength: 0.45, note: "has doubts" };
  const turned = isNegated !== (opinion === "denied");
  if (!turned) return expression.strength === 0 ? undefined : expression;
  if (expression.negated === "nothing") return undefined;
  if (expression.negated !== undefined) return expression.negated;
  if (expression.lean === 0) return undefined;
  if (expression.lean === 1)
    return { lean: -1, strength: expression.strength, note: `${expression.because}, negated` };
  return { lean: 1, strength: 0.5, note: "has no objection" };
}

const condition =
  /^(?:[^ ]+ ){0,14}?(?:if|unless|provided|providing|as long as|once|assuming|on (?:the )?condition|only (?:if|when|after)|until|subject to|modulo|contingent)\b(?! (?:anything|possible|necessary|needed|i may|you ask|nobody|no one|and only))/;

/** "I would support it if" is not support yet; "I support it provided that" is, less firmly; "I would object if" is nothing. */
function underCondition(said: Said, after: string, isModal: boolean): Said | undefined {
  const stretch = after.trimStart().split(/ (?:[.;!?]|but) /)[0] ?? "";
  if (!condition.test(`${stretch} `)) return said;
  if (said.lean < 0) return isModal ? undefined : { ...said, strength: said.strength * 0.9 };
  if (isModal) return { lean: 0, strength: 0.5, note: "would support it on a condition" };
  return { ...said, strength: said.strength * 0.7, note: "supports it on a condition" };
}

function asSignal(words: string, match: RegExpExecArray, rule: Rule["expression"], said: Said): Heard {
  const because = said.note ?? rule.because;
  const signal = { lean: said.lean, strength: said.strength, because };
  if (rule.ends !== undefined && said.lean === rule.lean) {
    return { ...signal, ends: rule.ends, ...(rule.takesVote && { takesVote: rule.takesVote }) };
  }
  if (rule.relation === undefined) return signal;
  const after = words.slice(match.index);
  const weight =
    /^[^.;]{0,80}\bbut\b|^.{0,30}\bwith (?:most|some|many|parts?|several|much|the (?:comments?|points?|editorial|first|second|last))\b/.test(
      after,
    )
      ? 0.5
      : 1;
  const to =
    /\bwith (?:what |something |everything )?([a-z]+)\b/.exec(after)?.[1] ??
    /\bwhat ([a-z]+) said/.exec(after)?.[1] ??
    null;
  return { ...signal, strength: signal.strength * weight, relation: { to } };
}
