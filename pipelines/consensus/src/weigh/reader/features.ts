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

export function featuresOf(paragraph: Paragraph): readonly Feature[] {
  const words = wordsOf(paragraph.text);
  const found = new Map<string, Feature>();
  const add = (block: Block, name: string): void => {
    const full = `${block} ${name}`;
    if (!found.has(full)) found.set(full, { name, key: hash(full), block });
  };
  for (const gram of gramsOf(words)) add("words", gram);
  for (const gram of gramsOf(["^", ...words.slice(0, openingWords)])) add("opening", gram);
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
  return [...found.values()];
}

const word = /[a-z]+(?:'[a-z]+)?|[+-]1(?![\d.])|\d+|[?!:]/g;

function wordsOf(text: string): readonly string[] {
  const plain = text.slice(0, charactersMax).toLowerCase().replaceAll("’", "'");
  const words = plain.match(word)?.slice(0, wordsMax) ?? [];
  return words.map((each) => (/^\d/.test(each) ? "#" : each));
}

function* gramsOf(words: readonly string[]): Generator<string> {
  for (let at = 0; at < words.length; at++)
    for (let size = 1; size <= sizeMax && at + size <= words.length; size++)
      yield words.slice(at, at + size).join(" ");
}

/** FNV-1a of 32 bits. */
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) value = Math.imul(value ^ name.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
