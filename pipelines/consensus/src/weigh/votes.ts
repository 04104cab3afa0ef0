import type { Span } from "./findings.ts";
import { goesOn } from "./marks.ts";
import { nameWords } from "./people.ts";
import { isOwnName, linesOfOthers, readBoxes } from "./vote-lists.ts";

/** A vote found in a post. */
export interface BallotMark {
  readonly span: Span;
  readonly value: number;
  readonly binding: boolean | null;
  /** About a part of the matter: "+1 on renaming". */
  readonly isPart: boolean;
  /** Preceded by a word and a colon. */
  readonly isLabelled: boolean;
  /** Seconds another person in the thread: "+1 to what Bob wrote". */
  readonly seconds: string | null;
}

export interface VoteContext {
  /** The post asks for votes or reports votes: lists of options and tallies are not votes. */
  readonly asksForVotes: boolean;
  readonly reportsVotes: boolean;
  readonly inVoteThread: boolean;
  readonly author: string;
  /** Whether a word is part of another person's name in the thread. */
  readonly isOtherName: (word: string) => boolean;
}

/**
 * The votes that the author of a text casts in it, in order. The text's foreign words are blanked.
 *
 * | written                                            | is                                     |
 * |----------------------------------------------------|----------------------------------------|
 * | +1, -0.5, "my vote: +1", "Tested. +1", "I'm -1 on" | a vote                                 |
 * | "[x] +1 yes" among "[ ] -1 no", on lines or on one | a vote; what has no mark is not        |
 * | "+1 / 0 / -1", "Vote +1 if", "three +1 votes"      | how to vote, or about votes            |
 * | "+1 from John", "Bob: -1", "his -1", "+1 Bob Kim"  | somebody else's                        |
 * | "UTC +1", "+1 650 555", "x +1", "+1 day", "v1+1"   | a number                               |
 * | "I would vote +1 if", "withdraw my -1", "not a -1" | no vote (stances.ts reads what it is)  |
 */
export function readVotes(text: string, context: VoteContext): readonly BallotMark[] {
  if (context.reportsVotes) return [];
  const lines = linesOf(text);
  const options = linesOfOptions(lines, context.asksForVotes);
  const listed = linesOfOthers(
    lines.map(({ text: line }) => line),
    context,
  );
  const marks = lines.flatMap((line, index) =>
    options.has(index) || listed.has(index) ? [] : readLine(line, lines[index - 1]?.text ?? "", context),
  );
  // Beside an own vote, "Cy: -1" reports another person's vote; alone, "Renaming: -1" is a vote on a part.
  const own = marks.filter(({ isLabelled }) => !isLabelled);
  return (own.some(({ isPart }) => !isPart) ? own : marks).slice(0, votesMax);
}

/** Limit of votes in one mail. */
const votesMax = 40;

interface Line {
  readonly start: number;
  readonly text: string;
}

/** A longer line is no ballot and no sentence. */
const lineLengthMax = 2_000;

function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const at = start;
    start += line.length + 1;
    return { start: at, text: line.slice(0, lineLengthMax) };
  });
}

const number = "(?:\\d{1,6}(?:[.,]\\d{1,2})?|∞|inf(?:inity)?)";
const ballotLine = new RegExp(
  `^[ \\t*•-]{0,8}[[({<_]{1,3}[ \\t]{0,3}([^\\s\\])}_+−-]{0,3})[ \\t]{0,3}[\\])}>_]{1,3}[ \\t:]{0,4}([+−–±-]?/?-?${number})(?!\\d)`,
);
const bracketed = new RegExp(`^[ \\t*•]{0,8}\\[[ \\t]{0,2}([+−–±-]${number}|0)[ \\t]{0,2}\\]`);
const leading = new RegExp(
  `^[ \\t*•_]{0,8}(?:\\[[ \\t]{0,2})?([+−–±-]/?-?${number}|0)(?![\\d.:/%-]|[ \\t]{0,2}\\d)`,
);
const markedWith = /^(?:x|xx|X|✓|✔|☑|☒|\*|✅|v|y|yes)$/i;

/** Lines that offer a choice: unmarked boxes, and runs of lines that begin with votes of different signs. */
function linesOfOptions(lines: readonly Line[], asksForVotes: boolean): ReadonlySet<number> {
  const found = new Set<number>();
  let run: { readonly index: number; readonly value: number }[] = [];
  const closeRun = (): void => {
    const signs = new Set(run.map(({ value }) => Math.sign(value)));
    if (signs.size === 3 || (signs.size === 2 && (asksForVotes || signs.has(0)))) {
      for (const { index } of run) found.add(index);
    }
    run = [];
  };
  for (const [index, { text }] of lines.entries()) {
    if (readBoxes(text) !== null) continue;
    const ballot = ballotLine.exec(text);
    if (ballot && !markedWith.test(ballot[1] ?? "")) found.add(index);
    const value = ballot ? undefined : (bracketed.exec(text) ?? leading.exec(text))?.[1];
    if (value !== undefined) run.push({ index, value: parseValue(value) });
    else if (run.length > 0 && index - run.at(-1)!.index > 3) closeRun();
  }
  closeRun();
  return found;
}

const token = new RegExp(`(?:\\+/-|[+−–±-]{1,2}) ?${number}`, "g");

function readLine(line: Line, previous: string, context: VoteContext): BallotMark[] {
  const boxes = readBoxes(line.text);
  if (boxes !== null)
    return boxes.map(({ value, start, end }) => mark(context, line, start, end, parseValue(value)));
  const ballot = ballotLine.exec(line.text);
  if (ballot)
    return [mark(context, line, ballot.index, ballot.index + ballot[0].length, parseValue(ballot[2]!))];
  const zero =
    /^[ \t*[(]{0,6}(?:±|\+\/-)?0[ \t*\])]{0,4}(?:[ \t]*[([]?(?:non|binding|abstain|from me)\b.{0,60})?[.!\r]{0,2}$/.exec(
      line.text,
    );
  if (zero && (context.inVoteThread || /^\s*[+±]?0 from me\b/i.test(line.text)))
    return [mark(context, line, 0, line.text.length, 0)];
  const found: BallotMark[] = [];
  for (const match of line.text.matchAll(token)) {
    const end = match.index + match[0].length;
    const isWrapped = match.index === 0 && goesOn(previous, line.text);
    const before = isWrapped
      ? `${previous.slice(-100)} `
      : line.text.slice(Math.max(0, match.index - 120), match.index);
    const after = line.text.slice(end, end + 120);
    if (isVote(match[0], before, after, context))
      found.push(mark(context, line, match.index, end, parseValue(match[0])));
  }
  return found.length > 0 ? found : readWords(line, context);
}

/** "My vote is yes", "I vote against", and a plain "yes" or "no" called binding. */
function readWords(line: Line, context: VoteContext): BallotMark[] {
  const word =
    /\b(?:I(?:'ll| will| hereby|'d)? (?:vote|voting|cast my vote)(?: is)?|my vote (?:is|goes|:)|my vote:)\s{0,2}(?:to be )?(yes|yea|aye|for(?= (?:it|this|adopt\w+|the (?:proposal|release|motion|change|draft))\b|[.,!]|$)|in favou?r|to (?:approve|accept|adopt|release)|no|nay|against|to reject|abstain|neutral)\b(?! (?:if|once|when|unless))/i.exec(
      line.text,
    ) ??
    /^[ \t*]{0,4}(yes|yea|aye|no|nay|abstain)[,.!]?[ \t]{0,2}[([]?(?:non[- ]?)?binding\b/i.exec(line.text) ??
    (context.inVoteThread ? /^[ \t*]{0,4}(?:I )?(abstain)(?:ing)?\b/i.exec(line.text) : null);
  if (!word || /\?/.test(line.text.slice(word.index))) return [];
  const said = word[1]!.toLowerCase();
  const value = /^(?:abstain|neutral)/.test(said) ? 0 : /^(?:no|nay|against|to reject)/.test(said) ? -1 : 1;
  return [mark(context, line, word.index, word.index + word[0].length, value)];
}

const foreignAfter =
  /^(?:s\b|['’](?:s|d|ed)\b|ed\b|ing\b|[\w%°∞]|[-.:,/]\d|\?|[ \t]{0,2}[-.(]{0,2}\d{3}\b|[ \t]{0,2}(?:=|means\b|if you (?:approve|agree|support|want|think|like|believe|are|would)\b|indicates\b|votes? (?!from me|from my|from us|on\b|for\b)|votes?$|binding votes|and [+−-]|or [+−-]|(?:to|through|\/|\||,|,? or|,? and)[ \t]{0,2}[+−±-]?\d|days?\b|weeks?\b|hours?\b|hrs?\b|years?\b|minutes?\b|mins?\b|months?\b|(?:is|was)(?: (?:enough|sufficient|fine|ok|all)\b|[ \t]*$)|suffices\b|will do\b|points?\b|lines?\b|bytes?\b|bits?\b|more\b|dB\b|degrees?\b|seconds?\b|°|[=/^<>]|\*[ \t]?\d|off\b|pixels?\b|error\b|version\b|index\b|offset\b|level\b))/i;
const fromSomebody =
  /^[ \t]{0,2}(?:\((?:non-?)?binding\)[ \t]{0,2})?(?:vote[ \t])?(?:also[ \t])?(?:from|by)[ \t]+([^,.;!\n]{1,60})/i;
const fromSelf =
  /^(?:me|my|us|our|here|this|myself|the author|a (?:user|contributor|non|humble)|rc ?\d|(?:the )?(?:last|previous|first|earlier|prior) (?:vote|rc|round|candidate|thread|take|time)|(?:take|round) \d)\b/i;
const numberedBefore =
  /(?:\b(?:utc|gmt|cet|cest|est|edt|pst|pdt|bst|ist|tz|time ?zone|offset|number|line|index|level|rank|depth|[a-z]|at least|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|several|many|few|more|another|needs?|needed|require[ds]?|any|no|not an?|not|without|his|her|their|your|its|the|from|was|previous|earlier|initial|initially|prior|original|got|received|get|with|than|by|of|each|every|counted?|counting|was a|as a|cast a|gave a|voted|votes|his vote|voting|vote either|either|binding|please vote|please|reply|replying|interpret(?:ed)?|translate|assume|missing|waiting for|awaiting|last|first|final|final vote|equals?|plus|minus|where|means?|for a|to a|say|says|said|or|and a|one a)|[=*/^<>\d)\]])[ \t]{0,2}$/i;
const ownBefore =
  /(?:^|[^\p{L}])(?:i|i['’]?m|i am|i['’]d be|my|my vote(?: is| to| :)?|my (?:own|personal|binding|non-?binding)|i (?:gave|give|cast|vote|voted|will vote|am voting|hereby vote)(?: (?:it|this|you|a|my|the))*(?: (?:a|an))?|i['’]ll (?:vote|give)(?: (?:it|this|a))*|i['’]d (?:vote|give|say)(?: (?:it|this|a))*|(?:a|an)? ?(?:big fat|big|fat|huge|massive|strong|definite|solid|whopping|enthusiastic|hearty|hard|firm|soft|weak|resounding|tentative|emphatic|very|gentle|mild|cautious|warm|loud)|vote (?:is|to|:)|from [+−–-]?[\d.]{1,4} to|vote to|count me(?: as)?(?: a)?|put me down (?:for|as)(?: a)?|(?:here['’]s|here is|here comes|this is|that['’]s|that is|it['’]s|it is|consider this|take this as|have)(?: (?:a|my|an?other))?(?: (?:own|big))?|still(?: a)?|so(?: a)?|thus|therefore|hence(?: a)?|also(?: a)?|but|then|now|again|yes|yep|yeah|ok|okay|great|awesome|thanks|cool|nice|lgtm|good|fine|sure|me|personally|definitely|absolutely|certainly|non-?binding|fwiw|imho|imo|overall|hi|hello|all|and|from me|my side|vote|votes?:|would be|i['’]d be a|leaning(?: towards?)?)[ \t:*_([{"“-]{0,6}$/iu;

/** Whether a signed number is the author's vote, by the words on both sides. */
function isVote(sign: string, before: string, after: string, context: VoteContext): boolean {
  if (foreignAfter.test(after) || /^[+−–-]{2}/.test(sign) !== /^\+\+/.test(sign)) return false;
  if (/[ ]/.test(sign) && !(sign.startsWith("+ ") && before.trim() === "")) return false;
  // The number of a telephone abroad. An emoji by its name, which marks.ts reads.
  if (before.endsWith(":") && after.startsWith(":")) return false;
  const size = Number(/\d+/.exec(sign)?.[0] ?? 0);
  if (size > 1 && /^[ \t.-]{0,2}[(\d]/.test(after)) return false;
  // Emphatic votes are round numbers.
  if (size > 5 && !/^[+−–-]{1,2}10*$/.test(sign)) return false;
  if (isValue(before, after)) return false;
  if (/[[(=][ \t]?\w{1,3}[ \t]?$/.test(before)) return false;
  const from = fromSomebody.exec(after)?.[1];
  if (from !== undefined && !fromSelf.test(from) && !isOwnName(from, context.author)) return false;
  if (/[\p{L}\p{N}+\-/.]$/u.test(before) && !/(?:^|[\s.!?…])\.{1,3}$/.test(before)) return false;
  if (isTakenBack(before) || isConditional(before, after)) return false;
  const lead = before.replace(/^.*[.!?](?=[ \t])/, "");
  const bare = lead.replace(/[*_~`[({:,;…—–\s-]{1,40}$/u, "");
  if (bare.trim() === "" || /^[*_~#•>\s-]*$/.test(lead)) return true;
  if (context.asksForVotes && /\bvot(?:e|ing)\b/i.test(lead)) return false;
  if (ownBefore.test(before) && !numberedExcept(before)) return true;
  if (numberedBefore.test(before)) return false;
  if (!/[:,;!?.…—–)-][ \t*_]{0,3}$/.test(before)) return /\p{Extended_Pictographic}\uFE0F?\s?$/u.test(before);
  return !isSomebodyElse(lead, context);
}

/** A field of a header, a log or a program, or the number of a telephone: "Expires: -1", "cred[:-1]". */
const isValue = (before: string, after: string): boolean =>
  /(?:^|[\s[({"'])(?:tel|tél|telefon|telephone|phone|fax|mobile|mob|cell|voice|office|expires|status|exit|code|errno|returns?|error|length|age|timeout|pid|id|value|priority|nice|offset|rc|ret|retval)\.?["']?[ \t]{0,3}[:=][ \t]{0,3}$/i.test(
    before,
  ) ||
  /[\p{L}\p{N}_)\]]\[[^\]\s]{0,20}$/u.test(before) ||
  (/\[[^\]]{0,80}\p{L}[^\]]{0,80}$/u.test(before) && /^[ \t]{0,2}\]/.test(after));

/** Words that need a subject: "voted" without "I", "is" in "n is +1". */
const numberedExcept = (before: string): boolean =>
  /\b(?:not(?: an?)?|no|his|her|their|your|please|to|can|may|he|she|they|who|you|should|must|could|people|everyone) (?:vote[ds]?|is|be|give|gave|cast)?(?: an?)?[ \t]{0,2}$/i.test(
    before,
  ) &&
  !/\b(?:my vote|change[sd]?|changing|switch|switching|moving|move|update|updating|i)\b[^.!?]{0,40}$/i.test(
    before,
  );

/** Taken back, or never given: "I did not vote +1". */
const isTakenBack = (before: string): boolean =>
  /\b(?:did not|didn['’]t|have not|haven['’]t|never|do not|don['’]t|cannot|can['’]t|won['’]t|will not|would not|wouldn['’]t) (?:[a-z]+ ){0,2}(?:vot(?:e|ed|ing)|gave|give|given|cast|say|said)(?: an?| my)? ?$|\b(?:withdr[ae]w\w*|retract\w*|rescind\w*|revok\w+|remov\w+|drop\w*|cancel\w*|lift\w*|tak\w+ back)\b[^.!?;,]{0,30}$|\bfrom (?:an? )?$/i.test(
    before,
  );

/** "I would vote +1 if", "will be +1 once": not yet a vote, while "+1 if you fix the typo" and "-1 until" are. */
const isConditional = (before: string, after: string): boolean =>
  /\b(?:would|could|might|will|['’]d|['’]ll|if|unless|were to|happy to|going to|can|ready to)\b[^.!?;]{0,40}$/i.test(
    before,
  ) &&
  (/^[^.!?;]{0,80}\b(?:if|once|when|after|as soon as|unless|provided|assuming)\b/i.test(after) ||
    /\b(?:would have|could have|might have|['’]d have|if|unless)\b[^.!?;,]{0,40}$/i.test(before));

/** "Bob: +1" is a report of Bob's vote; "API: +1" is the writer's vote on a part. */
function isSomebodyElse(lead: string, context: VoteContext): boolean {
  const prefix = /([^:,;!?.—–-]{1,60})[:,;!?.—–)-]{1,20}[ \t*_]{0,3}$/.exec(lead)?.[1]?.trim() ?? "";
  if (!/[:—–-][ \t*_]{0,3}$/.test(lead)) return false;
  const words = nameWords(prefix);
  if (words.length === 0 || isOwnName(prefix, context.author)) return false;
  return words.some((word) => context.isOtherName(word)) || /^\p{Lu}\p{L}+ \p{Lu}\p{L}+$/u.test(prefix);
}

function parseValue(written: string): number {
  const size = /∞|inf/.test(written) ? 1 : Number(/\d[\d.,]*/.exec(written)?.[0]?.replace(",", ".") ?? 0);
  const limited = Math.min(1, Number.isFinite(size) ? size : 1);
  return /^[\s[(]*[−–-]/.test(written) ? -limited : limited;
}

function mark(context: VoteContext, line: Line, from: number, to: number, value: number): BallotMark {
  const near = line.text.slice(Math.max(0, from - 30), to + 40);
  const binding = /\bnon[- ]?binding|\bnot binding|\bnb\b|unbinding/i.test(near)
    ? false
    : /\bbinding\b/i.test(near)
      ? true
      : null;
  const start = startOfSentence(line.text, from);
  const rest = line.text.slice(to);
  const stop = /[.!?](?=\s|$)/.exec(rest.slice(0, 300));
  const end = Math.min(line.text.length, to + (stop ? stop.index + 1 : Math.min(rest.length, 300)));
  const isLabelled = labelled.test(line.text.slice(start, from));
  const isPart = isLabelled || /^[ \t]{0,2}(?:\([^)]{0,30}\)[ \t]{0,2})?(?:on|to|for)\b/i.test(rest);
  const named =
    /^[ \t]{0,2}(?:to|with)[ \t]+(?:what[ \t]+)?(\p{L}{2,30})/iu.exec(rest)?.[1]?.toLowerCase() ?? null;
  const seconds = named !== null && context.isOtherName(named) ? named : null;
  return {
    span: { start: line.start + start, end: line.start + end },
    value,
    binding,
    isPart,
    isLabelled,
    seconds,
  };
}

const labelled =
  /^(?!.*\b(?:votes?|me|verdict|overall|release|conclusion|result|my|so)\b).*\p{L}{2}[^:]{0,60}:[ \t*]{0,3}$/iu;

function startOfSentence(text: string, from: number): number {
  const before = text.slice(Math.max(0, from - 200), from);
  const stop = Math.max(before.lastIndexOf(". "), before.lastIndexOf("! "), before.lastIndexOf("? "));
  return stop < 0 ? Math.max(0, from - before.length) : from - before.length + stop + 2;
}
