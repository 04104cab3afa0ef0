/** A stretch of a text, `text.slice(start, end)`, with the model's token count. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

export interface PassageOptions {
  /** Boundaries of the model's tokens, in order. */
  readonly tokenize: (text: string) => {
    readonly starts: ArrayLike<number>;
    readonly ends: ArrayLike<number>;
  };
  readonly tokensMax: number;
  /** Limits passages with a single unknown token, such as a megabyte of Base64. */
  readonly charactersMax?: number;
}

const charactersPerToken = 16;

/**
 * Cuts a text into passages short enough for the model: between paragraphs, else sentences, lines, words, and inside
 * overlong words only. Every character except white space is in exactly one passage.
 */
export function cutPassages(text: string, options: PassageOptions): readonly Passage[] {
  const measure = makeMeasure(text, options);
  const whole = trim(text, { start: 0, end: text.length });
  if (whole === undefined) return [];
  const atoms = measure.fits(whole)
    ? [{ ...whole, tokens: measure.tokens(whole), opens: false, depth: 0 }]
    : findBlocks(text, measure).flatMap((block) => cutBlock(text, block, measure));
  return joinAtoms(text, atoms, measure).map((passage) => ({
    ...passage,
    start: withIndent(text, passage.start),
  }));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece not cut any further. */
interface Atom extends Passage {
  /** Must begin a new passage. */
  readonly opens: boolean;
  /** 0 for a block, 1 for its sentences, and so on. */
  readonly depth: number;
}

interface Measure {
  readonly tokensMax: number;
  readonly charactersMax: number;
  tokens(span: Span): number;
  fits(span: Span): boolean;
  /** End of a passage from here, if cut between tokens. */
  reach(start: number): number;
  /** Tokens of this stretch alone, which differ where a word was cut. */
  alone(span: Span): { readonly starts: ArrayLike<number>; readonly ends: ArrayLike<number> };
}

function makeMeasure(text: string, options: PassageOptions): Measure {
  const tokensMax = Math.max(1, Math.floor(options.tokensMax) || 1);
  const charactersMax = Math.max(2, options.charactersMax ?? tokensMax * charactersPerToken);
  const { starts, ends } = options.tokenize(text);
  const tokens = ({ start, end }: Span) => firstFrom(starts, end) - firstFrom(starts, start);
  return {
    tokensMax,
    charactersMax,
    tokens,
    fits: (span) => span.end - span.start <= charactersMax && tokens(span) <= tokensMax,
    reach: (start) =>
      Math.min(start + charactersMax, ends[firstFrom(starts, start) + tokensMax - 1] ?? text.length),
    alone: ({ start, end }) => options.tokenize(text.slice(start, end)),
  };
}

/** Index of the first number not below `bound`. */
function firstFrom(sorted: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Undefined for only white space. */
function trim(text: string, { start, end }: Span): Span | undefined {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return from < to ? { start: from, end: to } : undefined;
}

/** What JavaScript's `\s` matches. */
function isSpace(unit: number): boolean {
  if (unit < 0xa0) return unit === 32 || (unit >= 9 && unit <= 13);
  return (unit >= 0x2000 && unit <= 0x200a) || rareSpaces.includes(unit);
}

const rareSpaces: readonly number[] = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];

/** White space that ends a word for the model as well, unlike form feeds and byte order marks. */
const isGap = (unit: number): boolean => isSpace(unit) && unit !== 11 && unit !== 12 && unit !== 0xfeff;

/** A paragraph, or several paragraphs of one piece of code, table or drawing. */
interface Block extends Span {
  readonly preformatted: boolean;
}

interface Line extends Span {
  readonly blank: boolean;
}

function findBlocks(text: string, measure: Measure): Block[] {
  const lines = cutLines(text, { start: 0, end: text.length }).map(({ start, end }) => ({
    start,
    end,
    blank: trim(text, { start, end }) === undefined,
  }));
  const fences = pairFences(text, lines);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const fenced = fences.get(at);
    let end = fenced ?? at;
    if (fenced === undefined) while (end < lines.length && !lines[end]?.blank && !fences.has(end)) end++;
    if (end > at) addBlock(blocks, makeBlock(text, lines.slice(at, end), fenced !== undefined), measure);
    at = Math.max(end, at + 1);
  }
  return blocks;
}

/** For the line that opens a fence of ``` or ~~~, the line after its closing line. */
function pairFences(text: string, lines: readonly Line[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  let open: { at: number; mark: string } | undefined;
  for (const [at, { start }] of lines.entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(text.slice(start, start + 6))?.[1];
    if (mark === undefined || (open && open.mark !== mark)) continue;
    if (open) pairs.set(open.at, at + 1);
    open = open ? undefined : { at, mark };
  }
  return pairs;
}

function makeBlock(text: string, lines: readonly Line[], fenced: boolean): Block {
  const drawn = lines.filter(({ start, end }) => looksDrawn(text.slice(start, Math.min(end, start + 200))));
  return {
    start: (lines[0] as Line).start,
    end: (lines.at(-1) as Line).end,
    preformatted: fenced || drawn.length * 2 > lines.length,
  };
}

/** Indented, a row of a table, a change in a patch, or drawn with signs. */
const looksDrawn = (line: string): boolean =>
  /^(?: {4}|\t|[|+]|[-+]{3} |@@ )/.test(line) || /^ *[|+]|[-=_+|]{4}|\S {3,8}\S/.test(line);

/** Merges preformatted neighbours, if the result fits. */
function addBlock(blocks: Block[], block: Block, { fits }: Measure): void {
  const last = blocks.at(-1);
  const both = { start: last?.start ?? 0, end: block.end };
  if (last?.preformatted && block.preformatted && fits(both)) {
    blocks[blocks.length - 1] = { ...both, preformatted: true };
  } else blocks.push(block);
}

type Cut = (text: string, span: Span) => Span[];

function cutBlock(text: string, block: Block, measure: Measure): Atom[] {
  const atoms: Atom[] = [];
  cutSpan(text, block, { cuts: block.preformatted ? codeCuts : proseCuts, depth: 0, measure, atoms });
  // a cut block begins a new passage, so fewer of its parts are separated
  if (atoms.length > 1) atoms[0] = { ...(atoms[0] as Atom), opens: true };
  return atoms;
}

interface Cutting {
  /** From coarse to fine. */
  readonly cuts: readonly Cut[];
  readonly depth: number;
  readonly measure: Measure;
  /** Receives the result. */
  readonly atoms: Atom[];
}

function cutSpan(text: string, span: Span, cutting: Cutting): void {
  const { cuts, depth, measure, atoms } = cutting;
  const trimmed = trim(text, span);
  if (trimmed === undefined) return;
  const cut = cuts[depth];
  const tokens = measure.tokens(trimmed);
  if (tokens <= measure.tokensMax && trimmed.end - trimmed.start <= measure.charactersMax) {
    atoms.push({ start: trimmed.start, end: trimmed.end, tokens, opens: false, depth });
  } else if (cut === undefined) cutInside(text, trimmed, cutting);
  else {
    const finer = { cuts, depth: depth + 1, measure, atoms };
    for (const part of cut(text, trimmed)) cutSpan(text, part, finer);
  }
}

/** Cuts where `isEnd` returns true, asked for every character. */
function cutWhere(span: Span, isEnd: (at: number) => boolean): Span[] {
  const parts: Span[] = [];
  let start = span.start;
  for (let at = span.start; at < span.end; at++) {
    if (!isEnd(at)) continue;
    parts.push({ start, end: at + 1 });
    start = at + 1;
  }
  if (start < span.end) parts.push({ start, end: span.end });
  return parts;
}

const cutLines: Cut = (text, span) =>
  cutWhere(span, (at) => {
    const unit = text.charCodeAt(at);
    return unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10);
  });

const cutWords: Cut = (text, span) => cutWhere(span, (at) => isGap(text.charCodeAt(at)));

const cutParagraphs: Cut = (text, span) => {
  const parts: Span[] = [];
  for (const line of cutLines(text, span)) {
    const last = parts.at(-1);
    const blank = trim(text, line) === undefined;
    if (last && !blank) parts[parts.length - 1] = { ...last, end: line.end };
    else parts.push(line);
  }
  return parts;
};

/** A full stop before a small letter is an abbreviation. Chinese and Japanese sentences end without a space. */
const cutSentences: Cut = (text, span) => {
  let ended = false;
  return cutWhere(span, (at) => {
    const character = text[at] as string;
    if ("。！？".includes(character)) return !"。！？」』）".includes(text[at + 1] ?? " ");
    if (".!?…".includes(character)) ended = true;
    else if (!isGap(text.charCodeAt(at))) ended = ended && `"')]’”`.includes(character);
    else if (ended && !isGap(text.charCodeAt(at + 1))) {
      ended = false;
      return !/^\p{Ll}/u.test(text.slice(at + 1, at + 3));
    }
    return false;
  });
};

const proseCuts: readonly Cut[] = [cutSentences, cutLines, cutWords];
const codeCuts: readonly Cut[] = [cutParagraphs, cutLines, cutWords];

/** Cuts an overlong word. */
function cutInside(text: string, word: Span, { measure, depth, atoms }: Cutting): void {
  for (let start = word.start; start < word.end; ) {
    const { end, tokens } = longestFrom(text, { start, end: word.end }, measure);
    const trimmed = trim(text, { start, end });
    if (trimmed) atoms.push({ ...trimmed, tokens, opens: start > word.start, depth });
    start = end;
  }
}

function longestFrom(text: string, { start, end }: Span, measure: Measure): { end: number; tokens: number } {
  let to = avoidPairs(text, start, Math.min(end, measure.reach(start)));
  for (;;) {
    const { starts, ends } = measure.alone({ start, end: to });
    const single = to - start === (isPair(text, start) ? 2 : 1);
    if (single || starts.length <= measure.tokensMax) return { end: to, tokens: starts.length };
    const fitting = start + (ends[measure.tokensMax - 1] as number);
    // the model may tokenize a shorter stretch differently, so each round has to shrink
    to = avoidPairs(text, start, fitting < to ? fitting : start + ((to - start) >> 1));
  }
}

/** Never between the two halves of a character, and never empty. */
function avoidPairs(text: string, start: number, end: number): number {
  if (!isPair(text, end - 1)) return Math.max(end, start + 1);
  return end - 1 > start ? end - 1 : end + 1;
}

const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;

/** Fills passages from the front, with a new passage at every landmark. */
function joinAtoms(text: string, atoms: readonly Atom[], measure: Measure): Passage[] {
  const landmarks = findLandmarks(text, atoms, measure.tokensMax);
  const passages: Passage[] = [];
  for (const [i, { start, end, tokens: own, opens }] of atoms.entries()) {
    const last = passages.at(-1);
    const tokens = (last?.tokens ?? 0) + own;
    const joins =
      last !== undefined &&
      !opens &&
      !landmarks.has(i) &&
      tokens <= measure.tokensMax &&
      end - last.start <= measure.charactersMax;
    if (joins) passages[passages.length - 1] = { start: last.start, end, tokens };
    else passages.push({ start, end, tokens: own });
  }
  return passages;
}

/**
 * Blocks and sentences with the smallest hash within a passage's length before and after. Landmarks depend on the
 * words alone, so a change moves passages only up to the next landmark.
 */
function findLandmarks(text: string, atoms: readonly Atom[], reach: number): ReadonlySet<number> {
  const found = new Set<number>();
  if (atoms.length < 3) return found;
  const hashes = atoms.map((atom) => (atom.depth <= 1 ? hash(text, atom) : Infinity));
  const places: number[] = [];
  let place = 0;
  for (const { tokens } of atoms) {
    places.push(place);
    place += Math.max(1, tokens);
  }
  const smallestBefore = slidingMinima(hashes, places, reach);
  const mirrored = places.map((each) => place - each).reverse();
  const smallestBehind = slidingMinima([...hashes].reverse(), mirrored, reach).reverse();
  for (const [i, own] of hashes.entries()) {
    if (own < (smallestBefore[i] as number) && own <= (smallestBehind[i] as number)) found.add(i);
  }
  return found;
}

/** For each value the minimum of the previous values within reach. */
function slidingMinima(values: readonly number[], places: readonly number[], reach: number): number[] {
  const rising: number[] = [];
  let first = 0;
  return values.map((value, i) => {
    while (first < rising.length && places[rising[first] as number]! < (places[i] as number) - reach) first++;
    const smallest = first < rising.length ? (values[rising[first] as number] as number) : Infinity;
    while (rising.length > first && (values[rising.at(-1) as number] as number) >= value) rising.pop();
    rising.push(i);
    return smallest;
  });
}

/** FNV-1a. */
function hash(text: string, { start, end }: Span): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  // otherwise the last characters alone would decide the highest bits
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}

const indentMax = 120;

/** Includes the indent of the first line, so a drawing stays upright. */
function withIndent(text: string, start: number): number {
  let at = start;
  while (at > 0 && start - at < indentMax && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  return at === 0 || text[at - 1] === "\n" ? at : start;
}
