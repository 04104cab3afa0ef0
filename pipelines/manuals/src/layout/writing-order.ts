import type { Character } from "../pdf/characters.ts";

type Glyph = Extract<Character, { kind: "glyph" }>;

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const isRightToLeft = (text: string): boolean => rightToLeft.test(text);

/**
 * Characters of right-to-left scripts as a person writes them. PDFium turns a line around character by character: letters
 * of one ligature (lam-alef) come out backwards, and a vowel mark before its letter, with a break in front.
 */
export function inWritingOrder(characters: readonly Character[]): readonly Character[] {
  if (!characters.some((one) => one.kind === "glyph" && isRightToLeft(one.text))) return characters;
  return turnLigatures(marksAfterLetters(characters));
}

function turnLigatures(characters: readonly Character[]): readonly Character[] {
  const turned: Character[] = [];
  let group: Glyph[] = [];
  const flush = () => {
    turned.push(...group.reverse());
    group = [];
  };
  for (const one of characters) {
    const [first] = group;
    if (one.kind === "glyph" && isRightToLeft(one.text) && first && isSamePlace(first, one)) {
      group.push(one);
      continue;
    }
    flush();
    if (one.kind === "glyph" && isRightToLeft(one.text)) group = [one];
    else turned.push(one);
  }
  flush();
  return turned;
}

const isSamePlace = (one: Glyph, other: Glyph): boolean =>
  one.object === other.object && one.box.every((edge, index) => edge === other.box[index]);

function marksAfterLetters(characters: readonly Character[]): readonly Character[] {
  const found: Character[] = [];
  for (let index = 0; index < characters.length; index++) {
    const one = characters[index] as Character;
    const next = characters[index + 1];
    if (one.kind !== "glyph" || next?.kind !== "glyph" || !isMarkOf(one, next)) {
      found.push(one);
      continue;
    }
    if (isNoSpace(found.at(-1)) && touches(found.at(-2), next)) found.pop();
    found.push(next, one);
    index++;
  }
  return found;
}

/** Invented by PDFium, or a space without width. */
const isNoSpace = (one: Character | undefined): boolean =>
  one?.kind === "break" || (one?.kind === "glyph" && one.text === " " && one.box[2] - one.box[0] < 0.5);

/** A break is wrong if the letters on both sides touch. */
const touches = (before: Character | undefined, next: Glyph): boolean =>
  before?.kind === "glyph" &&
  before.text.trim() !== "" &&
  before.box[0] - next.box[2] < 0.1 * (next.box[3] - next.box[1]);

function isMarkOf(mark: Glyph, letter: Glyph): boolean {
  const middle = (mark.box[0] + mark.box[2]) / 2;
  return (
    /^\p{Mn}$/u.test(mark.text) &&
    isRightToLeft(mark.text) &&
    /^\p{L}$/u.test(letter.text) &&
    isRightToLeft(letter.text) &&
    middle > letter.box[0] &&
    middle < letter.box[2]
  );
}
