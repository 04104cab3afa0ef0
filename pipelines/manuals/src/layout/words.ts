import { type Character, isLevel } from "../pdf/characters.ts";
import { inWritingOrder, isRightToLeft } from "./writing-order.ts";

/** A word of a page, in points from the top left of the displayed page. */
export interface Word {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  /** Of the first letter. */
  readonly height: number;
  readonly bold: boolean;
  /** First and last character in the order of the PDF's stream. */
  readonly first: number;
  readonly last: number;
}

type Glyph = Extract<Character, { kind: "glyph" }>;
type Growing = { -readonly [Key in keyof Word]: Word[Key] };

/** Joins characters of one baseline to words; spaces and line ends invented by PDFium are breaks. */
export function makeWords(
  characters: readonly Character[],
  page: { readonly height: number; readonly rotation: number },
): readonly Word[] {
  const words: Growing[] = [];
  const recent: Glyph[] = [];
  let current: Growing | null = null;
  for (const [index, character] of inWritingOrder(characters).entries()) {
    if (character.kind === "break" || /^\s$/.test(character.text)) {
      current = null;
      continue;
    }
    if (isDrawnTwice(character, recent)) continue;
    recent.push(character);
    if (recent.length > 12) recent.shift();
    const [x0, y0, x1, y1] = character.box;
    const height = Math.max(1, y1 - y0);
    if (!isLevel(character.angle, page.rotation)) {
      current = null;
      continue;
    }
    if (x1 - x0 > 40 * height || height > page.height / 2) continue;
    const before = recent.at(-2);
    const ligature = before?.object === character.object && before.box[0] === x0 && before.box[2] === x1;
    if (current && (ligature || continues(current, character, height))) {
      grow(current, character, index);
      continue;
    }
    current = {
      text: character.text,
      x0,
      y0,
      x1,
      y1,
      height,
      bold: character.bold,
      first: index,
      last: index,
    };
    words.push(current);
  }
  return words;
}

/**
 * Bold by printing twice: the same character of another text object in almost the same place. A ligature is one
 * object.
 */
function isDrawnTwice({ text, box, object }: Glyph, recent: readonly Glyph[]): boolean {
  const [x0, y0, x1, y1] = box;
  const [width, height] = [Math.max(0.5, x1 - x0), Math.max(1, y1 - y0)];
  return recent.some(
    (one) =>
      one.text === text &&
      one.object !== object &&
      Math.abs(one.box[0] - x0) < Math.min(0.35 * width, 0.15 * height) &&
      Math.abs(one.box[1] - y0) < 0.15 * height,
  );
}

function continues(word: Growing, { text, box }: Glyph, height: number): boolean {
  const [x0, , x1, y1] = box;
  if (Math.abs(y1 - word.y1) >= 0.4 * height || changesScript(word.text, text)) return false;
  if (x0 - word.x1 < 0.22 * Math.min(height, word.height) && x0 > word.x1 - 0.6 * height) return true;
  return isRightToLeft(text) && word.x0 - x1 < 0.22 * height && x1 < word.x0 + 0.6 * height;
}

/** Arabic or Hebrew beside Latin letters is another word, even without a space. */
const changesScript = (word: string, text: string): boolean =>
  isRightToLeft(text)
    ? /\p{Script=Latin}$/u.test(word)
    : /^\p{Script=Latin}/u.test(text) && isRightToLeft(word.slice(-1));

function grow(word: Growing, { text, box }: Glyph, index: number): void {
  word.text += text;
  word.x0 = Math.min(word.x0, box[0]);
  word.y0 = Math.min(word.y0, box[1]);
  word.x1 = Math.max(word.x1, box[2]);
  word.y1 = Math.max(word.y1, box[3]);
  word.last = index;
}
