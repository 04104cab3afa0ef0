import { address, dated, lead, verb, verbAtEnd, weekday } from "./attribution-words.ts";
import type { Cut, Page } from "./page.ts";
import { isLive } from "./page.ts";

/** The next line that is neither blank nor a footer. */
type Next = "quote" | "attribution" | "words" | "end";

/** Certainty that a sentence introduces foreign words. */
type Certainty = "none" | "before-a-quote" | "unmistakable";

/** `On … X wrote:` and similar, and the old mail below without quote marks. */
export function findAttributions(page: Page): readonly Cut[] {
  const { texts } = page;
  const cuts: Cut[] = [];
  const next = whatFollows(page);
  let from = 0;
  let ownWords = -1;
  for (let at = 0; at < texts.length; at++) {
    if (!isLive(page, at)) continue;
    const start = startOf(page, { at, from, next: next[at]! });
    if (start < 0) {
      if (ownWords < 0 && !isGreeting(texts[at]!)) ownWords = at;
      continue;
    }
    if (ownWords >= start) ownWords = -1;
    cuts.push({ from: start, to: at + 1, kind: "attribution" });
    from = at + 1;
    if (next[at] !== "words") continue;
    if (ownWords >= 0) return [...cuts, { from, to: texts.length, kind: "quote" }];
    cuts.push({ from, to: endOfIndented(page, from), kind: "quote" });
  }
  return cuts;
}

function whatFollows({ texts, marks }: Page): Next[] {
  const next: Next[] = new Array(texts.length);
  let follows: Next = "end";
  for (let at = texts.length - 1; at >= 0; at--) {
    next[at] = follows;
    if (texts[at] === "") continue;
    const mark = marks[at] ?? null;
    if (mark === null) follows = "words";
    else if (mark === "quote" || mark === "header-block") follows = "quote";
    else if (mark === "attribution") follows = "attribution";
  }
  return next;
}

/** A sentence that introduces a quote is short, even when wrapped by a mailer. */
const linesMax = 6;
const lengthMax = 500;

/** The first line of the attribution that ends on line `at`, or -1. */
function startOf(page: Page, { at, from, next }: { at: number; from: number; next: Next }): number {
  const isBefore = next === "quote" || next === "attribution";
  if (page.kept[at] || !mayEnd(page.texts[at]!.replace(directions, ""), isBefore)) return -1;
  const wanted = (certainty: Certainty) =>
    certainty === "unmistakable" || (certainty === "before-a-quote" && isBefore);
  const starts = [...candidates(page, at, from)];
  const whole = starts.at(-1)?.joined ?? "";
  if (!isBefore && !dated.test(whole) && !address.test(whole)) return -1;
  const isAlone = (start: number) =>
    (page.texts[start - 1] ?? "") === "" && (page.texts[at + 1] ?? "") === "";
  const isLed = ({ joined }: Candidate) => wanted(judgeLed(joined));
  const isNamed = ({ start, joined }: Candidate) =>
    wanted(judgeNamed(joined)) && (isBefore || (isAlone(start) && joined.length < 200));
  const told = starts.filter(({ joined }) => verb.test(joined));
  const found =
    told.find(isLed) ??
    told.find(isNamed) ??
    (next === "attribution" ? undefined : (starts.find(isLed) ?? starts.find(isNamed)));
  return found ? (earlier(page, starts, found) ?? found).start : -1;
}

/** The same sentence from a line above, if that line also leads in and has a date or an address. */
function earlier({ texts }: Page, starts: readonly Candidate[], found: Candidate): Candidate | undefined {
  const above = starts[starts.indexOf(found) + 1];
  const text = above ? texts[above.start]!.trim() : "";
  return lead.test(text) && !/[.!?:]$/.test(text) && (dated.test(text) || address.test(text))
    ? above
    : undefined;
}

function mayEnd(text: string, isBefore: boolean): boolean {
  if (text.length > lengthMax) return false;
  return (
    /[:：]$/.test(text) || (isBefore && /[>\])]$/.test(text)) || verbAtEnd.test(text) || gmail.test(text)
  );
}

interface Candidate {
  readonly start: number;
  readonly joined: string;
}

/** The sentence from ever earlier lines; one blank line is allowed where an address was removed. */
function* candidates({ texts, marks, kept }: Page, at: number, from: number): Generator<Candidate> {
  let joined = "";
  for (let start = at, lines = 0; start >= from && lines < linesMax; start--, lines++) {
    const text = texts[start]!;
    const torn = text === "" && joined.startsWith("<") && lines > 0;
    if ((text === "" && !torn) || (text !== "" && marks[start] !== null) || kept[start]) return;
    if (joined.length + text.length > lengthMax) return;
    const words = text.replace(directions, "").trim().replace(hiddenAt, "@");
    joined = text === "" ? joined : joined === "" ? words : `${words} ${joined}`;
    if (text !== "") yield { start, joined };
  }
}

/** Marks of writing direction, frequent in right-to-left mailers. */
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Addresses as hidden from harvesters by archives. */
const hiddenAt = /(?<=[\w-]) ?(?: at | <at> |\(at\)|\[at\]| @ ) ?(?=[\w-]{1,60}\.[\w.-]{2})/gi;

/** Gmail for phones writes date, zone and name, and nothing else. */
const gmail = /^\d{4}-\d\d-\d\d \d{1,2}:\d\d GMT[+-]\d\d:\d\d \S/;
const dashed = /[:：]\s?[-*_]{0,10}$|-{2,10}$/;

/** Sentences that begin with a preposition and a date, with a date, or with a star. */
function judgeLed(joined: string): Certainty {
  if (gmail.test(joined)) return "unmistakable";
  const isDated = dated.exec(joined);
  const hasAddress = address.test(joined);
  const hasVerb = verb.test(joined);
  const closes = dashed.test(joined) || verbAtEnd.test(joined);
  if (/^[*+] \S/.test(joined)) return isDated && hasAddress && dashed.test(joined) ? "unmistakable" : "none";
  if (lead.test(joined)) {
    if (!closes) return "none";
    if (hasVerb && isDated && isDated.index < 60 && dashed.test(joined)) {
      return hasAddress || /\d:\d\d|\d\.\d\d/.test(joined) ? "unmistakable" : "before-a-quote";
    }
    if (isDated || hasAddress || (weekday.test(joined) && hasVerb)) return "before-a-quote";
    return "none";
  }
  if (!isDated || isDated.index > 24 || !/^[\p{L}.,‪‫ ]{0,24}["(]?\d/u.test(joined)) return "none";
  if (hasAddress && dashed.test(joined) && isCompact(joined)) return "unmistakable";
  return (hasAddress && /[>)]$/.test(joined)) || verbAtEnd.test(joined) ? "before-a-quote" : "none";
}

/** Excludes a paragraph that happens to begin with a date. */
function isCompact(joined: string): boolean {
  return !/[.!?] \p{Lu}\p{Ll}+ \p{Ll}+ \p{Ll}/u.test(joined);
}

/** Words that never begin a name. */
const notNames = new Set(
  [
    "the this that these it its there what which section rfc draft as and but so if when while",
    "because also doc docs documentation wiki manual page error output note here where log like or",
    "then to i we my our a an by he she who they not you have has had just previously",
  ].flatMap((line) => line.split(" ")),
);
const particle = /^(van|von|der|den|de|da|do|dos|del|la|le|di|du|via|al|bin|ibn|ter|zu|y|e|aka)$/i;

/** Sentences that begin with a name: `X <x@y> wrote:`, `X schrieb am 3. Mai 2004:`, `X writes:`. */
function judgeNamed(joined: string): Certainty {
  const hasAddress = address.test(joined);
  const found = verb.exec(joined);
  const sent = /^(.{0,80}?)<[^<>]{1,120}>/.exec(joined);
  if (sent && isName(sent[1]!, true) && dated.test(joined) && dashed.test(joined) && isCompact(joined)) {
    return found ? "unmistakable" : "before-a-quote";
  }
  if (!found) {
    const sender = /^(.{0,80})[<([][^<>()]{1,120}[>)\]]\s?[:：]$/.exec(joined);
    return hasAddress && sender && isName(sender[1]!, true) ? "before-a-quote" : "none";
  }
  if (!isName(joined.slice(0, found.index), hasAddress)) return "none";
  const rest = joined.slice(found.index + found[0].length);
  const isDated = dated.test(joined);
  if (!dashed.test(joined)) return verbAtEnd.test(joined) && hasAddress ? "before-a-quote" : "none";
  if (!isDated && !hasAddress && rest.split(/\s+/).length > 5) return "none";
  if (rest.length > 120 && !isDated) return "none";
  return hasAddress ? "unmistakable" : "before-a-quote";
}

/** A person before the verb: a few capitalised words, a handle or an address. */
function isName(text: string, hasAddress: boolean): boolean {
  const bare = text.replace(/<[^<>]{0,200}>?|\([^()]{0,200}\)|\[[^[\]]{0,200}\]|["'“”„«»*_,]/gu, " ").trim();
  if (bare === "") return text.trim() !== "";
  const words = bare.split(/\s+/);
  if (words.length > 7 || notNames.has(words[0]!.toLowerCase()))
    return /^(I|you|he|she|they|you also|he also)$/i.test(bare);
  if (words.length === 1) return !/[.!?:;]$/.test(bare) || /\p{L}\.$/u.test(bare);
  if (
    words.length === 2 &&
    !words.some((word) => notNames.has(word.toLowerCase())) &&
    /^\p{Ll}+ \p{Ll}+$/u.test(bare)
  )
    return true;
  const rest = hasAddress ? words.slice(1) : words;
  return rest.every(
    (word) => /^[\p{Lu}\p{Lo}\d@~-]/u.test(word) || word.includes("@") || particle.test(word),
  );
}

const greeting =
  /^(hi|hello|hey|dear|hallo|guten|moin|bonjour|salut|hola|ciao|olá|oi|hej|all|folks|ok|okay|thanks)(?!\p{L})/iu;

function isGreeting(text: string): boolean {
  return text.length <= 40 && (greeting.test(text) || /^[\p{L}. ]{1,30},$/u.test(text));
}

/** End of an indented quote below its attribution, followed by flush words. */
function endOfIndented({ texts, nextWords }: Page, from: number): number {
  let end = from;
  let isProse = false;
  for (
    let at = nextWords[from]!;
    at < texts.length && /^( {2}|\t)/.test(texts[at]!);
    at = nextWords[at + 1]!
  ) {
    end = at + 1;
    isProse ||= /(?:^|\s)\p{L}{2,} \p{L}+,? \p{L}{2,},? \p{L}+/u.test(texts[at]!);
  }
  return isProse && nextWords[end]! < texts.length ? end : from;
}
