/** A tokenized text: token `i` is `ids[i]` and stands for `text.slice(starts[i], ends[i])`. */
export interface Encoding {
  readonly ids: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export interface WordPieces {
  encode(text: string): Encoding;
}

/**
 * The tokenizer of uncased BERT models: words lower-cased and without accents, each cut into the longest pieces in
 * the vocabulary. Names of special tokens in a text are plain text; marks such as `[CLS]` are not added.
 */
export function makeWordPieces(vocabulary: readonly string[]): WordPieces {
  const trie = plantTrie(vocabulary);
  const unknown = Math.max(0, vocabulary.indexOf("[UNK]"));
  const fold = makeFolding();

  return {
    encode(text) {
      const out = { ids: [] as number[], starts: [] as number[], ends: [] as number[] };
      const word = makeWord();
      const flush = () => {
        if (word.length > 0 && !addPieces(trie, word, out)) {
          out.ids.push(unknown);
          out.starts.push(word.starts[0] as number);
          out.ends.push(word.end);
        }
        word.length = 0;
        word.characters = 0;
      };
      for (let at = 0; at < text.length; ) {
        const unit = text.charCodeAt(at);
        const point = isHighSurrogate(unit) ? (text.codePointAt(at) as number) : unit;
        const end = at + (point > 0xffff ? 2 : 1);
        const role = fold.roleOf(point);
        if (role === roles.letter) addUnit(word, fold.single(point), at, end);
        else if (role === roles.space) flush();
        else if (role === roles.nothing) extend(word, end);
        else {
          if (role === roles.ideograph) flush();
          for (const part of fold.parts(point)) addPart(word, part, { at, end, flush });
          if (role === roles.ideograph) flush();
        }
        at = end;
      }
      flush();
      return out;
    },
  };
}

/** Roles of characters. */
const roles = {
  /** A letter that stays one UTF-16 unit when folded. */
  letter: 1,
  space: 2,
  /** Left out: controls, accents. */
  nothing: 3,
  /** Punctuation, or a character that folds to several. */
  parts: 4,
  /** As `parts`, and a word by itself. */
  ideograph: 5,
} as const;

interface Part {
  readonly text: string;
  readonly alone: boolean;
}

interface Folding {
  roleOf(point: number): number;
  single(point: number): number;
  parts(point: number): readonly Part[];
}

/** Caches results per character, because texts reuse few characters. */
function makeFolding(): Folding {
  const known = new Uint8Array(0x110000);
  const singles = new Uint16Array(0x10000);
  const several = new Map<number, readonly Part[]>();

  function study(point: number): number {
    const parts = partsOf(point);
    const only = parts?.length === 1 ? (parts[0] as Part) : undefined;
    if (parts === undefined) return roles.space;
    if (parts.length === 0) return roles.nothing;
    if (isIdeograph(point)) return remember(point, parts, roles.ideograph);
    if (only === undefined || only.alone || only.text.length > 1 || point > 0xffff) {
      return remember(point, parts, roles.parts);
    }
    singles[point] = only.text.charCodeAt(0);
    return roles.letter;
  }

  function remember(point: number, parts: readonly Part[], role: number): number {
    if (several.size < foldingsMax) several.set(point, parts);
    return role;
  }

  return {
    roleOf(point) {
      if (known[point] === 0) known[point] = study(point);
      return known[point] as number;
    },
    single: (point) => singles[point] as number,
    parts: (point) => several.get(point) ?? partsOf(point) ?? [],
  };
}

const foldingsMax = 50_000;

/** Undefined for white space. A lone surrogate counts as a control character. */
function partsOf(point: number): readonly Part[] | undefined {
  const character = String.fromCodePoint(point);
  const isBreak = point === 9 || point === 10 || point === 13;
  if (point === 0 || point === 0xfffd || (!isBreak && control.test(character))) return [];
  if (/^\s$/.test(character)) return undefined;
  const folded = [...character.normalize("NFD")].filter((each) => !accent.test(each));
  return [...folded.map((each) => each.toLowerCase()).join("")].map((text) => ({
    text,
    alone: punctuation.test(text),
  }));
}

const control = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}]$/u;
const accent = /^\p{Mn}$/u;
/** All ASCII signs, although some are symbols in Unicode. */
const punctuation = /^[\p{P}!-/:-@[-`{-~]$/u;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const isIdeograph = (point: number): boolean =>
  point >= 0x3400 && ideographs.some(([first, last]) => point >= first && point <= last);
const ideographs: readonly (readonly [number, number])[] = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2ebaf],
  [0x2f800, 0x2fa1f],
];

/** Longer words are unknown to the model, as a whole. */
const wordCharactersMax = 100;
const wordUnitsMax = 2 * wordCharactersMax;

/** The current folded word, with the origin of each unit; reused between words. */
interface Word {
  length: number;
  characters: number;
  /** End of the last character, including omitted accents. */
  end: number;
  readonly units: Uint16Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

const makeWord = (): Word => ({
  length: 0,
  characters: 0,
  end: 0,
  units: new Uint16Array(wordUnitsMax),
  starts: new Int32Array(wordUnitsMax),
  ends: new Int32Array(wordUnitsMax),
});

function addUnit(word: Word, unit: number, start: number, end: number): void {
  word.characters++;
  pushUnit(word, unit, start, end);
}

function pushUnit(word: Word, unit: number, start: number, end: number): void {
  word.end = end;
  if (word.length === wordUnitsMax) return;
  word.units[word.length] = unit;
  word.starts[word.length] = start;
  word.ends[word.length] = end;
  word.length++;
}

function addPart(
  word: Word,
  { text, alone }: Part,
  from: { at: number; end: number; flush: () => void },
): void {
  if (alone) from.flush();
  word.characters++;
  for (let i = 0; i < text.length; i++) pushUnit(word, text.charCodeAt(i), from.at, from.end);
  if (alone) from.flush();
}

/** Omitted characters belong to the previous word. */
function extend(word: Word, end: number): void {
  if (word.length === 0) return;
  if (word.length < wordUnitsMax) word.ends[word.length - 1] = end;
  word.end = end;
}

/** False, with nothing added, if the vocabulary cannot spell the word. */
function addPieces(
  trie: Trie,
  word: Word,
  out: { readonly ids: number[]; readonly starts: number[]; readonly ends: number[] },
): boolean {
  if (word.characters > wordCharactersMax) return false;
  const before = out.ids.length;
  for (let at = 0; at < word.length; ) {
    let id = -1;
    let end = at;
    let node: number = at === 0 ? trie.wordRoot : trie.pieceRoot;
    for (let next = at; next < word.length; ) {
      node = trie.step(node, word.units[next++] as number);
      if (node < 0) break;
      const found = trie.idAt(node);
      if (found < 0) continue;
      id = found;
      end = next;
    }
    if (id < 0) {
      out.ids.length = out.starts.length = out.ends.length = before;
      return false;
    }
    out.ids.push(id);
    out.starts.push(word.starts[at] as number);
    out.ends.push(word.ends[end - 1] as number);
    at = end;
  }
  return true;
}

/** The vocabulary as a trie: a piece takes as many steps as its length. */
interface Trie {
  readonly wordRoot: number;
  readonly pieceRoot: number;
  /** The next node; negative if none. */
  step(node: number, unit: number): number;
  /** The token ending here; negative if none. */
  idAt(node: number): number;
}

const wordRoot = 0;
const pieceRoot = 1;

/** All branches are in one open-addressing hash table. */
function plantTrie(vocabulary: readonly string[]): Trie {
  const nodesMax = vocabulary.reduce((sum, token) => sum + token.length, 2);
  const size = 2 ** Math.ceil(Math.log2(2 * nodesMax));
  const froms = new Int32Array(size).fill(-1);
  const units = new Uint16Array(size);
  const tos = new Int32Array(size);
  const ids = new Int32Array(nodesMax).fill(-1);
  let nodes = 2;

  function slotOf(node: number, unit: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    while (froms[slot] !== -1 && (froms[slot] !== node || units[slot] !== unit))
      slot = (slot + 1) & (size - 1);
    return slot;
  }

  function grow(node: number, unit: number): number {
    const slot = slotOf(node, unit);
    if (froms[slot] !== -1) return tos[slot] as number;
    froms[slot] = node;
    units[slot] = unit;
    tos[slot] = nodes;
    return nodes++;
  }

  for (const [id, token] of vocabulary.entries()) {
    const continues = token.length > 2 && token.startsWith("##");
    let node = continues ? pieceRoot : wordRoot;
    for (let i = continues ? 2 : 0; i < token.length; i++) node = grow(node, token.charCodeAt(i));
    if (node > pieceRoot && ids[node] === -1) ids[node] = id;
  }

  return {
    wordRoot,
    pieceRoot,
    step(node, unit) {
      const slot = slotOf(node, unit);
      return froms[slot] === -1 ? -1 : (tos[slot] as number);
    },
    idAt: (node) => ids[node] as number,
  };
}
