import type { Signal } from "../stances.ts";

/** A property of a paragraph: its name, its hash, and its value before weights. */
export interface Feature {
  readonly name: string;
  readonly key: number;
  readonly block: Block;
}

/** Words and opening words are scaled to length one each; signals of the rules and the place count as they are. */
export type Block = "words" | "opening" | "rules" | "place";
export const blocks: readonly Block[] = ["words", "opening", "rules", "place"];

/** A paragraph of an author's own words, with its place in the mail. */
export interface Paragraph {
  readonly text: string;
  readonly isFirst: boolean;
  readonly isReply: boolean;
  /** Signals of the rules inside the paragraph. */
  readonly signals: readonly Pick<Signal, "lean" | "strength" | "because" | "relation">[];
  /** Findings of the other rules inside the paragraph: a vote, a call, a decision, a question. */
  readonly findings: readonly string[];
}

const wordsMax = 60;
const openingWords = 6;
const sizeMax = 3;
const signalsMax = 100;
const charactersMax = 4_000;

/** Each property once, in a fixed order. */
export function featuresOf(paragraph: Paragraph): readonly Feature[] {
  const found = new Map<number, Feature>();
  visitFeatures(paragraph, (block, key, name) => {
    if (!found.has(key)) found.set(key, { name: name(), key, block });
  });
  return [...found.values()];
}

/** The properties of a paragraph, repeated ones too. A name is made only when asked for: most are unknown to the weights. */
export function visitFeatures(
  paragraph: Paragraph,
  visit: (block: Block, key: number, name: () => string) => void,
): void {
  const words = wordsOf(paragraph.text);
  const add = (block: Block, name: string): void => visit(block, hash(name, hash(`${block} `)), () => name);
  visitGrams("words", words, visit);
  visitGrams("opening", ["^", ...words.slice(0, openingWords)], visit);
  for (const { lean, strength, because, relation } of paragraph.signals.slice(0, signalsMax)) {
    add("rules", because);
    add("rules", `lean ${lean}${relation === undefined ? "" : " towards a person"}`);
    if (strength >= 0.7) add("rules", `firm ${lean}`);
  }
  for (const finding of paragraph.findings) add("rules", finding);
  if (paragraph.isFirst) add("place", "first paragraph");
  add("place", paragraph.isReply ? "a reply" : "no reply");
  add("place", words.length < 8 ? "short" : words.length < 40 ? "middling" : "long");
  if (words.at(-1) === "?") add("place", "ends as a question");
}

const word = /[a-z]+(?:'[a-z]+)?|[+-]1(?![\d.])|\d+|[?!:]/g;

function wordsOf(text: string): readonly string[] {
  const plain = text.slice(0, charactersMax).toLowerCase().replaceAll("’", "'");
  const words = plain.match(word)?.slice(0, wordsMax) ?? [];
  return words.map((each) => (each >= "0" && each < ":" ? "#" : each));
}

/** One to three words in a row; the hash of a longer row continues that of the shorter. */
function visitGrams(
  block: Block,
  words: readonly string[],
  visit: (block: Block, key: number, name: () => string) => void,
): void {
  const start = hash(`${block} `);
  for (let at = 0; at < words.length; at++) {
    let key = start;
    for (let end = at; end < Math.min(words.length, at + sizeMax); end++) {
      key = hash(words[end] as string, end === at ? key : hash(" ", key));
      visit(block, key, () => words.slice(at, end + 1).join(" "));
    }
  }
}

/** FNV-1a of 32 bits, continued from `value`. */
function hash(name: string, value = 0x811c9dc5): number {
  let mixed = value;
  for (let at = 0; at < name.length; at++) mixed = Math.imul(mixed ^ name.charCodeAt(at), 0x01000193);
  return mixed >>> 0;
}
