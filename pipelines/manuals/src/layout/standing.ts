import type { PageFacts } from "../pdf/page-facts.ts";
import type { Word } from "./words.ts";

/** How far the text of a page can be trusted; only `good` and `partly-picture` pages are searched. */
export type Standing = "good" | "thin" | "partly-picture" | "garbled" | "blank";

const limits = { thinCharacters: 40, thinPicture: 0.3, partPicture: 0.25, garbled: 0.05 } as const;

/** Wrong text is worse than no text: characters without a meaning make a page garbled. */
export function judgeText(facts: PageFacts, words: readonly Word[]): Standing {
  const text = words.map(({ text: own }) => own).join("");
  const area = facts.width * facts.height || 1;
  const pictured = Math.max(
    0,
    ...facts.drawn.pictures.map(({ box: [x0, y0, x1, y1] }) => ((x1 - x0) * (y1 - y0)) / area),
  );
  const length = [...text].length;
  if (length === 0 && pictured === 0) return "blank";
  if (length < limits.thinCharacters && pictured > limits.thinPicture) return "thin";
  if (length > 0 && oddShare(text, facts.characters.unmapped) > limits.garbled) return "garbled";
  if (length >= 80 && !looksLikeLanguage(words)) return "garbled";
  return pictured > limits.partPicture ? "partly-picture" : "good";
}

/** Private use, control and replacement characters, and characters not explained by the font. */
function oddShare(text: string, unmapped: string): number {
  const odd = text.match(/[\p{Co}\p{Cc}\ufffd]/gu)?.length ?? 0;
  const { length } = [...text];
  return Math.max(odd, unexplained(unmapped, length)) / length;
}

/** The commonest letters of languages in Latin script: two thirds of a text, half of a listing, a third of a shifted alphabet. */
const common = /[etaoinsr]/gi;
const guessed = { lettersMin: 20, commonShare: 0.45, pageShare: 0.33 } as const;

/**
 * Old fonts give their characters no meaning, and codes that are ASCII all the same. Such guesses count as odd only if
 * they make up much of the page and do not have the letters of a language.
 */
function unexplained(unmapped: string, length: number): number {
  const strange = unmapped.match(/[^ -~]/gu)?.length ?? 0;
  const letters = unmapped.match(/[a-z]/gi)?.length ?? 0;
  const usual = unmapped.match(common)?.length ?? 0;
  const few = letters < guessed.lettersMin || unmapped.length < guessed.pageShare * length;
  return few || usual >= guessed.commonShare * letters ? strange : [...unmapped].length;
}

const vowel = /[aeiouyàâäáãåæèéêëìíîïòóôöõøœùúûüýÿı]/i;

/** A valid but wrong character map shows in unpronounceable words of Latin letters. */
function looksLikeLanguage(words: readonly Word[]): boolean {
  const latin = words.map(({ text }) => text).filter((text) => /^[a-zà-ÿ]{4,}$/i.test(text));
  if (latin.length < 20) return true;
  const plausible = latin.filter((text) => vowel.test(text) && !/[^aeiouyà-ÿ]{6,}/i.test(text));
  return plausible.length >= 0.4 * latin.length;
}
