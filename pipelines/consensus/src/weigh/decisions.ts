import { type Readable, subjectIsOutcome, subjectIsReply } from "./calls.ts";
import { declaredNames, declaredTally } from "./declared-tally.ts";
import { type DecisionKind, type Quoted, quoteFrom, type Span, type Tally } from "./findings.ts";
import { anyOf } from "./lexicon-phrases.ts";

/** A declaration in a post, before checking its author's right to declare. */
export interface Declared extends Quoted {
  readonly kind: DecisionKind;
  /** By its subject, or in official words: the author's role need not be checked. */
  readonly isOfficial: boolean;
  /** Called rough by the author. */
  readonly isRough: boolean;
  /** The declared numbers. */
  readonly tally: Tally | null;
  /** Names of the declared voters, as far as listed. */
  readonly names: readonly string[];
}

interface DecisionRule {
  readonly kind: DecisionKind;
  readonly pattern: RegExp;
}

const matter = "(?:(?:this|the|that|our) )?(?:[\\w.'-]+ ){0,6}";
/** In order of trial: cancelling kinds come before deciding kinds. */
export const decisionRules: readonly DecisionRule[] = [
  {
    kind: "cancelled",
    pattern: anyOf(
      String.raw`(?:i(?:'m| am| will|'ll| hereby)?|we(?:'re| are| will|'ll)?|am) (?:going to |hereby |have to |now )?(?:cancel(?:l?ing)?|abort(?:ing)?|call(?:ing)? off|stop(?:ping)?|close|closing|clos(?:e|ing) down) (?:this|the) (?:[\w-]+ )?(?:vote|rc|release vote|call|ballot)(?! (?:as|with|now as) (?:passed|successful))`,
      String.raw`(?:this|the) (?:[\w.-]+ )?(?:vote|rc|ballot|call for adoption|last call) (?:is|has been|was|is hereby) (?:hereby |now )?(?:cancell?ed|aborted|called off)`,
      "consider (?:this|the) vote (?:cancell?ed|withdrawn)",
      String.raw`(?:vote|rc\d*|call) cancell?ed`,
    ),
  },
  {
    kind: "withdrawn",
    pattern: anyOf(
      String.raw`i(?:'m| am|'d like to| hereby| will|'ll| would like to| have)? ?(?:withdraw(?:ing|n)?|retract(?:ing|ed)?|pull(?:ing)?|drop(?:ping)?) (?:this |the |my |our )(?:[\w-]+ ){0,2}(?:proposal|draft|patch|patches|series|pep|motion|request|vote|rfc|pr|idea|nomination)`,
      "(?:this|the|my) (?:proposal|draft|pep|motion|patch|series|request|nomination) (?:is|has been|was) (?:hereby |now )?(?:withdrawn|retracted)",
      "(?:closing|i(?:'ll| will) close) (?:this|the) (?:pr|pull request|merge request)",
      "closing (?:this|it) (?:in favou?r of|as (?:won'?t ?fix|obsolete|superseded|duplicate))",
      "^\\W{0,3}(?:not merged|closed without merging)",
    ),
  },
  {
    kind: "vote-failed",
    pattern:
      /\b(?:vote|motion|ballot|resolution|release) (?:has |is |have |therefore |thus |unfortunately |did |does ){0,3}(?:failed|fails|fail|defeated|not pass(?:ed|es)?|not (?:been )?(?:carried|approved|successful)|unsuccessful|rejected|lost)\b/i,
  },
  {
    kind: "vote-passed",
    pattern: anyOf(
      String.raw`(?:vote|motion|ballot|resolution|cfc|call for consensus|release candidate|rc\d*) (?:has |is |have |therefore |thus |hereby |now |been |was |unanimously |clearly ){0,4}(?:passed|passes|pass|successful|succeeded|succeeds|carried|carries|approved|accepted|closed (?:as|and) (?:passed|successful|approved))`,
      "closing (?:the|this) vote as (?:passed|successful)",
      String.raw`(?:with|received|have|got) (?:the required |at least )?(?:\d+|three|four|five|six|seven|eight) (?:binding )?\+1s?(?: votes?)?[^.]{0,80}\bpass(?:es|ed)`,
      "vote (?:result|results) ?: ?(?:passed|approved)",
    ),
  },
  {
    kind: "no-consensus",
    pattern: anyOf(
      "(?:there (?:is|was)|we (?:have|had|did|do)|i (?:see|find|declare|judge)|(?:the )?chairs? (?:see|sees|find|finds|determined|believe there is)|reached) (?:currently |clearly |still |not (?:yet )?(?:have |see |reach |reached )?)?(?:(?:no|not|not (?:yet )?a|not enough|insufficient) (?:clear |rough |wg |working group |sufficient |strong )?consensus|(?:not enough|insufficient|no (?:clear|sufficient|strong|real)) support)",
      "(?:no|not) (?:clear |rough |wg |working group )?consensus (?:was|has been|is|to|for|on|in)",
      "did not (?:reach|find|have|see|achieve) (?:rough |clear |wg )?consensus",
      "failed to reach consensus",
      String.raw`not (?:seeing|see|hearing|hear) (?:[\w-]+ ){0,2}(?:consensus|(?:enough|sufficient) support)`,
    ),
  },
  {
    kind: "postponed",
    pattern: anyOf(
      "(?:will be|is|has been|are|we(?:'ll| will|'re)|i(?:'ll| will|'m)) (?:hereby |now |going to )?(?:postpon(?:e|ed|ing)|deferr?(?:ed|ing)?|tabl(?:e|ed|ing)(?! of)|(?:put|putting) (?:this|it) on hold)",
      "(?:decision|vote|call|item|topic) (?:is |has been |was )?(?:postponed|deferred|tabled)",
      "park(?:ed|ing)? (?:this|it) for now",
    ),
  },
  {
    kind: "rejected",
    pattern: new RegExp(
      `\\b(?:(?:proposal|pep|draft|document|patch|series|request|motion|change|nomination|amendment|application) (?:has been |is |was |is hereby )(?:not (?:been )?(?:adopted|accepted|approved)|rejected|declined|nacked)|(?:i(?:'m| am)?|we(?:'re| are)?|(?:the )?(?:chairs?|wg|working group|council|committee|board)(?: has| have| is| are)?) (?:hereby |therefore |decided to |going to )?(?:reject(?:ing|ed)?|declin(?:e|ed|ing)|not adopt(?:ing)?) ${matter}(?:proposal|pep|draft|document|patch|series|request|motion|change|this)|will not (?:be )?adopt(?:ed)?|decided not to (?:adopt|accept|merge|publish)|consensus (?:is )?(?:against|not to|to not|to reject))\\b`,
      "i",
    ),
  },
  {
    kind: "adopted",
    pattern: anyOf(
      "(?:the )?(?:wg|working group|group|rg|project|board|council|committee|community) (?:has |have |hereby |now |formally ){0,2}(?:adopted|adopts|accepted|agreed to adopt|approved)",
      String.raw`(?:draft|document|proposal|pep|charter|motion|resolution|item|work)(?: [\w.-]+)? (?:is|has been|was|is hereby) (?:now |hereby |formally |therefore |being |unanimously )?(?:adopted|accepted|approved)`,
      "(?:has|have) been (?:adopted|accepted|approved) (?:as|by)",
      String.raw`(?:i(?:'m| am)?|we(?:'re| are)?) (?:hereby |now |therefore |happy to |pleased to )?(?:accept|accepting|approve|approving|declare|adopt|adopting) (?:this |the |pep ?)(?:[\w-]+ )?(?:pep|proposal|draft|document|\d+|adopted|accepted)`,
      String.raw`(?:declar\w+|consider\w*) (?:[\w.-]+ ){1,5}(?:adopted|accepted)`,
      String.raw`please (?:re-?)?submit (?:[\w.-]+ ){0,6}(?:as )?draft-ietf`,
    ),
  },
  {
    kind: "consensus",
    pattern: anyOf(
      String.raw`(?:i|we|(?:the )?(?:wg )?(?:co-?)?chairs?)(?: \w+)? ?(?:hereby |now |do |have |can |'ve |also )?(?:declare|declared|see|sees|call|judge|find|believe there is|believe we have|think (?:there is|we have)|determine[ds]?|conclude[ds]?|note|observe|reached?|detect)(?: that)?(?: there (?:is|was)| we (?:have|had))?(?: a| clear| strong| rough| wg| working| group| broad| general| overwhelming| sufficient| good| enough| very){0,4} consensus`,
      "there (?:is|was|seems to be|appears to be|appeared to be)(?: a| clear| strong| rough| wg| working| group| broad| general| overwhelming| sufficient| good| very){0,4} (?:consensus|support)(?: in the (?:wg|group|room))? (?:to|for|on|in|that|behind|of)",
      "we have (?:a |clear |strong |rough |broad |wg |general ){0,3}consensus",
      "consensus (?:has been|was|is) (?:reached|declared|confirmed)",
      "consensus (?:is|was) (?:to|that|in favou?r)",
      String.raw`(?:wglc|last call|call for adoption|adoption call|consensus call)(?: [\w.-]+){0,6} (?:has |have |is |now ){0,2}(?:ended|closed|concluded|completed|finished|over|passed)[^.]{0,120}`,
      String.raw`(?:will|going to|have|has been|being) (?:be )?(?:submit(?:ted)?|sent?|forward(?:ed)?|request(?:ed)? publication)[^.]{0,60}\biesg`,
    ),
  },
  {
    kind: "merged",
    pattern:
      /\bgithub user asfgit closed the pull request\b|(?:^\W{0,3}(?:(?:thanks(?: again| a lot)?(?:,? \w{2,20}(?=[.!,]))?|thank you|great|ok|okay|nice|cool|good|lgtm|done|all|both|and|manually|series|patch(?:es)?|now|i've|i have|has been|this has been|have been|with (?:minor|small) (?:edits|changes|tweaks))[,;.!:)\s-]{1,4}){0,4}(?:merged|applied|queued|pushed|committed|pulled|landed|picked up|checked in)\b(?=\s*(?:[.,!;:()-]|$|(?:to|into|in|for|on|with|as|thanks|by|both|all)\b|(?:this|it|them|these|the (?:series|patch(?:es)?))\s*(?:[.,!;]|$|(?:to|into|for|with)\b))))|\b(?:(?:this|the|your|all) (?:patch(?:es)?|series|pull request|pr|change|fix|commit|branch)(?: [\w.#/-]+)? (?:was|were|is|has been|have been|got|are) (?:now |just )?(?:merged|applied|queued|pushed|committed|pulled|landed)|i(?:'ve| have)?(?: now| just){1,2} (?:merged|applied|queued|pushed|committed|pulled|landed|picked up) (?:this|it|these|them|(?:my version of )?(?:the|your|\w+'s) (?:patch|series|change|pr|fix))|i(?:'ve| have) (?:merged|applied|queued|pushed|committed|pulled|landed|picked up) (?:this|it|these|them|(?:the|your) (?:patch|series|change|pr|fix)))\b/i,
  },
];

const isIf =
  /^\W{0,3}(?:if|unless|when|once|should|until|before|after|assuming|whether)\b|\b(?:if|unless|once|until|whether|when|before|after|as soon as|assuming|in case|in which case|i suppose|worst case)\b[^,;]{0,80}$|\b(?:would|could|might|may|should|can|don'?t mind|hope|hopefully|want|like to|think about|considering|propose|suggest|prefer|need(?:s)? to|must)\b[^.,;]{0,40}$/i;
const office =
  /\b(?:co-?chairs?|as (?:a |the |your |wg )?(?:co-?)?chair|chair hat|for the chairs|wg chairs?|working group chairs?|release manager|as (?:the )?bdfl|on behalf of the (?:chairs|council|committee|board|pmc)|secretary)\b/i;

/** The declaration of a post, if any; a result in the subject outranks the text. */
export function readDecision({ post, ownWords, sentences: all }: Readable): Declared | null {
  const subject = post.subject.slice(0, 300);
  const isResult = subjectIsOutcome(subject) && !subjectIsReply(subject);
  const sentences = all.slice(0, sentencesMax);
  const named = isResult ? fromSubject(subject) : null;
  const found = findDecision(ownWords, sentences);
  const kind = strongest(named, found?.kind ?? null, isResult);
  if (kind === null) return null;
  const text = ownWords.slice(0, 20_000);
  const isRough = /\brough consensus\b/i.test(text);
  const tally = kind === "vote-passed" || kind === "vote-failed" || isResult ? declaredTally(text) : null;
  const names = tally === null ? [] : declaredNames(text);
  const span = found?.span ?? sentences[0] ?? { start: 0, end: 0 };
  const isOfficial = isResult || isBySignedOffice(text);
  return { kind, isOfficial, isRough, tally, names, ...quoteFrom(post, span) };
}

const sentencesMax = 200;
const isBySignedOffice = (text: string): boolean =>
  office.test(text.slice(0, 300)) || office.test(text.slice(-300));

/** "[RESULT]" alone announces an outcome without its kind: the text decides, and otherwise it passed. */
function strongest(
  named: DecisionKind | null,
  said: DecisionKind | null,
  isResult: boolean,
): DecisionKind | null {
  if (named !== null) return named;
  if (said !== null) return said;
  return isResult ? "vote-passed" : null;
}

function fromSubject(subject: string): DecisionKind | null {
  if (/\bcancel/i.test(subject)) return "cancelled";
  if (/\bwithdrawn?\b/i.test(subject)) return "withdrawn";
  if (/\b(?:failed|fails|rejected|not passed|unsuccessful)\b/i.test(subject)) return "vote-failed";
  if (/\b(?:passed|passes|successful|accepted|approved)\b/i.test(subject)) return "vote-passed";
  return null;
}

interface Found {
  readonly kind: DecisionKind;
  readonly span: Span;
}

/** Trying a patch at home is not accepting it. */
const tried =
  /\b(?:applied to (?:the |an? )?(?:new|same|other|old|following|all|any|each|every)|locally|my (?:tree|machine|box|laptop|kernel|branch|local)|still|fails?|failed|broke|conflict|cleanly|on top of)\b/i;

function findDecision(text: string, sentences: readonly Span[]): Found | undefined {
  for (const span of sentences) {
    const sentence = text
      .slice(span.start, Math.min(span.end, span.start + 1_200))
      .replace(/\s/g, " ")
      .replace(/’/g, "'");
    if (/\?["')\]]{0,2}$/.test(sentence)) continue;
    for (const { kind, pattern } of decisionRules) {
      const match = pattern.exec(sentence);
      if (!match || isIf.test(sentence.slice(0, match.index))) continue;
      if (kind === "merged" && (sentence.length > 200 || tried.test(sentence))) continue;
      return { kind, span };
    }
  }
  return undefined;
}
