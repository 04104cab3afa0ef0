import type { Word } from "../layout/words.ts";

/** Dots that lead the eye from a name to its numbers are no text of a table. */
export function withoutLeaders(words: readonly Word[]): readonly Word[] {
  return words.flatMap((word) => {
    if (/^[.…·_]+$/u.test(word.text)) return [];
    const [run] = /(?:\.{3,200}|…{1,200}|_{3,200})$/u.exec(word.text) ?? [];
    if (run === undefined) return [word];
    const kept = word.text.length - run.length;
    // Dots are narrow: a dot takes about half the room of a letter.
    const share = kept / (kept + 0.5 * run.length);
    return [{ ...word, text: word.text.slice(0, kept), x1: word.x0 + (word.x1 - word.x0) * share }];
  });
}
