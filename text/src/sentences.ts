import { isVerbatimLine, layBlocks } from "./blocks.ts";

/** A stretch of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The sentences of a text, in order and disjoint; every character except white space is in a sentence. A block of
 * code, of a table or of a diff is one span, which `isProse` distinguishes from a sentence.
 */
export function splitSentences(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const block of layBlocks(text)) {
    if (block.verbatim) pushTrimmed(spans, text, block.start, block.end);
    else splitBlock(spans, text, block.start, block.end);
  }
  return spans;
}

/** Whether a stretch of text reads as a person's words, and not as code, a table, a drawing or a diff. */
export function isProse(sentence: string): boolean {
  const lines = sentence.split(/\r\n|[\n\r]/).filter((line) => /\S/.test(line));
  if (lines.length === 0 || !/[\p{L}\p{N}]/u.test(sentence)) return false;
  if (/^(?:```|~~~|@@ |diff --git |Index: |--- [\w/])/.test(lines[0]!.trimStart())) return false;
  const verbatim = lines.filter((line) => isVerbatimLine(line)).length;
  return verbatim * 2 < lines.length;
}

function splitBlock(spans: Span[], text: string, blockStart: number, blockEnd: number): void {
  const block = text.slice(blockStart, blockEnd);
  let start = skipSpace(block, 0);
  stops.lastIndex = 0;
  for (let stop = stops.exec(block); stop !== null; stop = stops.exec(block)) {
    const end = endOfSentence(block, start, stop.index, stops.lastIndex);
    if (end === undefined) continue;
    pushTrimmed(spans, text, blockStart + start, blockStart + end);
    start = skipSpace(block, end);
    stops.lastIndex = Math.max(end, stops.lastIndex);
  }
  pushTrimmed(spans, text, blockStart + start, blockEnd);
}

/** Possible ends of a sentence; one run counts once. */
const stops = /[.!?…‽]+|[。！？｡．।؟۔]+/g;
const wideStop = /[。！？｡．।؟۔]/;
const closers = new Set("\"')]}”’»›」』）】*_`");

/** End of the sentence at this run of stops; undefined if the sentence continues. */
function endOfSentence(block: string, start: number, stopAt: number, afterStop: number): number | undefined {
  let end = afterStop;
  while (end < block.length && closers.has(block[end]!)) end++;
  if (wideStop.test(block[stopAt]!)) return end;
  if (end < block.length && !isSpace(block[end]!)) return undefined;
  const next = skipSpace(block, end);
  if (next >= block.length) return block.length;
  const run = block.slice(stopAt, Math.min(afterStop, stopAt + 4));
  if (run === "." && goesOnAfterDot(block, start, stopAt, next)) return undefined;
  if (isLower(block, next)) {
    const opening = block.slice(start, start + 60);
    if (end > afterStop || !endsBeforeSmall(run, opening, stopAt - start)) return undefined;
  }
  return withSmiley(block, end);
}

const isSpace = (character: string): boolean => /\s/.test(character);

/** Some people write no capitals at all; and a question of several words ends before any text. */
function endsBeforeSmall(run: string, opening: string, length: number): boolean {
  if (run.startsWith("?")) return length > 40 || opening.slice(0, length).split(/\s+/).length >= 4;
  return run === "." && /^\P{L}*\p{Ll}/u.test(opening);
}

function isLower(block: string, at: number): boolean {
  return /^["'“‘(«]{0,2}\p{Ll}/u.test(block.slice(at, at + 4));
}

const wordLengthMax = 24;

/** Whether a dot belongs to an abbreviation, an initial or the number of a list item. */
function goesOnAfterDot(block: string, start: number, dot: number, next: number): boolean {
  const before = block.slice(Math.max(start, dot - wordLengthMax), dot);
  const word = /[^\s("'“‘[{<*_/–—]{0,40}$/u.exec(before)?.[0] ?? "";
  const lead = block.slice(Math.max(start, dot - word.length - 8), dot - word.length).trim();
  if (lead === "" && dot - word.length - start <= 8 && /^(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})$/.test(word)) {
    return word !== "I";
  }
  const following = block.slice(next, next + 16);
  const plain = word.toLowerCase();
  if (neverLast.has(plain)) return true;
  if (plain === "no") return /^[#§]?\d/.test(following);
  if (beforeNumbers.has(plain)) return /^[#§]?(?:\d|[IVX]+\b)/.test(following) || isLower(block, next);
  if (oftenLast.has(plain)) return isLower(block, next) || /^[\d,;:)]/.test(following);
  if (/^(?:\p{L}\.)+\p{L}$|^\p{Lu}$|^\p{Lu}-\p{Lu}$/u.test(word)) return !opensSentence(following);
  return false;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const neverLast = words(
  "e.g i.e eg ie cf vs viz mr mrs ms dr prof st messrs rev hon gen sen rep gov capt col lt sgt resp ca " +
    "approx z.b d.h bzw ggf u.a p.ej b.v evtl sog vgl m.e n.b incl excl aka a.k.a w.r.t wrt",
);
const beforeNumbers = words(
  "nos nr sec sect fig figs eq eqs ch chap vol pp p par para art ver v rev tab app n",
);
const oftenLast = words(
  "etc inc ltd co corp al jr sr dept est a.m p.m am pm usw u.s.w resp ed eds approx min max",
);

/** A capital after an initial is mostly a surname, except for these words. */
const openers = words(
  "i we the it this that these those but and if so in on at for as he she they you there then what when " +
    "why how my our a an no yes not however also is are do does please thanks let would should could " +
    "can maybe perhaps",
);
function opensSentence(following: string): boolean {
  const word = /^["'“‘(]{0,2}(\p{L}+)/u.exec(following)?.[1] ?? "";
  return /^\p{Lu}/u.test(word) && openers.has(word.toLowerCase());
}

/** A smiley after the stop belongs to the previous sentence. */
function withSmiley(block: string, end: number): number {
  const smiley = /^[ \t]{1,3}(?:[:;8][-']?[)(DPpO/|]|\^\^|<g>)(?=\s|$)/.exec(block.slice(end, end + 10));
  return end + (smiley?.[0].length ?? 0);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text[at]!)) at++;
  return at;
}

function pushTrimmed(spans: Span[], text: string, from: number, to: number): void {
  const start = Math.min(skipSpace(text, from), to);
  let end = to;
  while (end > start && isSpace(text[end - 1]!)) end--;
  if (end > start) spans.push({ start, end });
}
