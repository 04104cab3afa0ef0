import { type Folded, findQuote, fold } from "@headway/text";
import {
  dayWords,
  findUnsupported,
  type Ground,
  messageWords,
  personWords,
  referencesOf,
  wordsOf,
} from "./claims.ts";
import { ordersMachine } from "./cues.ts";
import { type Citation, nameOf, type Post, type SummarySentence } from "./post.ts";
import { findInversion } from "./stance-words.ts";

export interface VerifiedSummary {
  readonly kept: readonly SummarySentence[];
  readonly dropped: readonly { readonly sentence: SummarySentence; readonly problem: string }[];
}

/**
 * Keeps the sentences supported by the thread, from any summarizer:
 *
 * - each citation is of a message of the thread and contains its quote; a misplaced or misspelt quote is corrected, an unknown
 *   quote is removed, and a sentence without quotes is dropped;
 * - a quote has three words or twelve characters, unless it is a whole line of its message;
 * - a person at the beginning of the sentence wrote a cited message; other names occur in the thread;
 * - numbers, counts, drafts, RFCs and addresses occur in the cited messages;
 * - words in quotation marks occur in the cited messages;
 * - the sentence shares words with its citations, and does not contradict them;
 * - an order to a machine in a mail is no evidence, and is not repeated.
 */
export function verifySummary(
  sentences: readonly SummarySentence[],
  posts: readonly Post[],
): VerifiedSummary {
  const thread = readThread(posts);
  const kept: SummarySentence[] = [];
  const dropped: { sentence: SummarySentence; problem: string }[] = [];
  const said = new Set<string>();
  for (const sentence of sentences) {
    const checked = checkSentence(sentence, thread);
    if ("problem" in checked) dropped.push({ sentence, problem: checked.problem });
    else if (said.has(sentence.text)) dropped.push({ sentence, problem: "it was said already" });
    else kept.push(checked.sentence);
    said.add(sentence.text);
  }
  return { kept, dropped };
}

/** Whether a span is enough evidence: more than a word or two, or a whole line. */
export function saysEnough(clean: string, start: number, end: number): boolean {
  const quote = clean.slice(start, Math.min(end, start + 200));
  if ((quote.match(/\p{L}{2,}|\p{N}+|[\u3040-\u30ff\u3400-\u9fff]/gu)?.length ?? 0) >= 3) return true;
  if (quote.trim().length >= quoteLengthMin && /[\p{L}\p{N}]/u.test(quote)) return true;
  const before = clean.slice(Math.max(0, start - lineLookMax), start);
  const after = clean.slice(end, end + lineLookMax);
  return (
    /[\p{L}\p{N}]/u.test(quote) &&
    /(?:^|[\n\r])[^\S\n\r]*$/.test(before) &&
    /^[\s.!]*(?:$|[\n\r])/.test(after)
  );
}

const quoteLengthMin = 12;
const lineLookMax = 16;

interface Thread {
  readonly posts: ReadonlyMap<string, Post>;
  readonly folded: (post: Post) => Folded;
  readonly words: (post: Post) => ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
  /** The words of the participants' names. */
  readonly names: ReadonlySet<string>;
}

function readThread(posts: readonly Post[]): Thread {
  const words = remember((post: Post): ReadonlySet<string> => new Set(messageWords(post)));
  const known = new Set<string>();
  for (const post of posts) for (const word of words(post)) known.add(word);
  return {
    posts: new Map(posts.map((post) => [post.id, post])),
    folded: remember((post: Post) => fold(post.clean)),
    words,
    known,
    names: new Set(posts.flatMap(({ from }) => wordsOf(from.name))),
  };
}

function remember<Result>(make: (post: Post) => Result): (post: Post) => Result {
  const made = new Map<Post, Result>();
  return (post) => {
    const known = made.get(post);
    if (known !== undefined) return known;
    const result = make(post);
    made.set(post, result);
    return result;
  };
}

const textLengthMax = 1_000;
const citationsMax = 12;

type Checked = { readonly sentence: SummarySentence } | { readonly problem: string };

function checkSentence(sentence: SummarySentence, thread: Thread): Checked {
  const { text } = sentence;
  if (!/[\p{L}\p{N}]/u.test(text)) return { problem: "it says nothing" };
  if (text.length > textLengthMax) return { problem: `it is longer than ${textLengthMax} characters` };
  if (sentence.citations.length === 0) return { problem: "it cites nothing" };
  const checked = sentence.citations
    .slice(0, citationsMax)
    .map((citation) => checkCitation(citation, thread));
  const citations = checked.flatMap((each) => ("citation" in each ? [each.citation] : []));
  if (citations.length === 0)
    return { problem: checked.flatMap((each) => ("problem" in each ? [each.problem] : []))[0]! };
  if (isPlainAttribution(text, citations, thread)) return { sentence: { text, citations } };
  const problem = findProblem(text, ownWords(text, citations), citations, thread);
  return problem === undefined ? { sentence: { text, citations } } : { problem };
}

function checkCitation(
  given: Citation,
  { posts, folded }: Thread,
): { readonly citation: Citation } | { readonly problem: string } {
  const post = posts.get(given.message);
  if (post === undefined) return { problem: "it cites a message that is not in the thread" };
  const span = isExact(given, post) ? given : findQuote(folded(post), given.quote, given.start);
  if (span === undefined) return { problem: "its quote is not in the message" };
  const { start, end } = span;
  if (!saysEnough(post.clean, start, end)) return { problem: "its quote is too short to show anything" };
  const quote = post.clean.slice(start, end);
  if (ordersMachine(quote)) return { problem: "its quote is an order to a machine" };
  return { citation: { message: post.id, start, end, quote } };
}

function isExact({ start, end, quote }: Citation, post: Post): boolean {
  if (!Number.isInteger(start) || !Number.isInteger(end)) return false;
  return start >= 0 && start < end && end <= post.clean.length && post.clean.slice(start, end) === quote;
}

/** The sentence without its cited exact words. */
function ownWords(text: string, citations: readonly Pick<Citation, "quote">[]): string {
  let own = text;
  for (const { quote } of citations) {
    const span = findQuote(fold(own), quote);
    if (span !== undefined) own = `${own.slice(0, span.start)} ${own.slice(span.end)}`;
  }
  return own;
}

/** `Anna Lind writes: “…”` claims nothing but its quote. */
function isPlainAttribution(text: string, citations: readonly Citation[], { posts }: Thread): boolean {
  return citations.some(({ message, quote }) => {
    const name = nameOf(posts.get(message)!.from);
    if (!text.startsWith(name)) return false;
    const [verb] = /^ (?:writes|asks|proposes|votes|says): /.exec(text.slice(name.length)) ?? [];
    if (verb === undefined) return false;
    return /^[\s“”"…]*$/.test(ownWords(text.slice(name.length + verb.length), [{ quote }]));
  });
}

function findProblem(
  text: string,
  own: string,
  citations: readonly Citation[],
  thread: Thread,
): string | undefined {
  if (/<\/?[a-z][^<>]{0,300}>|!\[|\]\(/i.test(own)) return "it contains markup";
  const cited = citations.map(({ message }) => thread.posts.get(message)!);
  const quotes = citations.map(({ quote }) => quote).join("\n");
  return (
    findFalseSpeaker(own, cited, thread) ??
    findFalseMark(own, cited, thread) ??
    findUnsupported(own, makeGround(cited, quotes, thread)) ??
    findInversion(withoutNames(own, thread), quotes) ??
    (wordsOf(text).length < 2 ? "it is too short" : undefined)
  );
}

function makeGround(cited: readonly Post[], quotes: string, { words, known, names }: Thread): Ground {
  const people = new Set(cited.map(({ from }) => from.address.toLowerCase() || from.name));
  return {
    cited: new Set(cited.flatMap((post) => [...words(post)])),
    days: new Set(cited.flatMap(dayWords)),
    known,
    names,
    references: new Set(
      cited.flatMap((post) => [...referencesOf(post.clean), ...referencesOf(post.subject)]),
    ),
    quoteWords: new Set(wordsOf(quotes)),
    counts: new Set([new Set(cited).size, people.size]),
  };
}

/**
 * A sentence's first person is its speaker, and must be an author of the cited messages; a person named later may
 * also be mentioned in the messages.
 */
function findFalseSpeaker(own: string, cited: readonly Post[], { names, words }: Thread): string | undefined {
  for (const found of own.matchAll(/\p{Lu}[\p{L}\p{M}]*/gu)) {
    const word = found[0].toLowerCase();
    if (word.length < 2 || !names.has(word)) continue;
    const isFirst = !/[\p{L}\p{N}]/u.test(own.slice(0, found.index));
    const isTheirs = cited.some((post) => personWords(post).includes(word));
    const isNamed = !isFirst && cited.some((post) => words(post).has(word));
    return isTheirs || isNamed ? undefined : `${found[0].slice(0, 40)} did not write what it cites`;
  }
  return undefined;
}

/** Words in quotation marks must be exact words of a message. */
function findFalseMark(own: string, cited: readonly Post[], { folded }: Thread): string | undefined {
  for (const [, double, curly] of own.matchAll(/"([^"“”]{8,400})"|“([^“”]{8,400})”/g)) {
    const marked = double ?? curly ?? "";
    if (!cited.some((post) => findQuote(folded(post), marked) !== undefined)) {
      return "it puts words in quotation marks that no cited message has";
    }
  }
  return undefined;
}

/** Names may look like words: Grant, Noh. */
function withoutNames(own: string, { names }: Thread): string {
  return own.replace(/\p{Lu}[\p{L}\p{M}]*/gu, (word) => (names.has(word.toLowerCase()) ? "" : word));
}
