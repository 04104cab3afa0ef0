import type { DocumentOf } from "@headway/engine";
import type { pages } from "./collections.ts";
import { joinWords } from "./layout/blocks.ts";
import type { Word } from "./layout/words.ts";
import type { Box } from "./pdf/upright.ts";

export type Page = Omit<DocumentOf<typeof pages>, "id">;

export const packWord = (word: Word): Page["words"][number] => [
  word.text,
  tenth(word.x0),
  tenth(word.y0),
  tenth(word.x1),
  tenth(word.y1),
  tenth(word.height),
  word.bold ? 1 : 0,
  word.first,
  word.last,
];

export const unpackWord = ([
  text,
  x0,
  y0,
  x1,
  y1,
  height,
  bold,
  first,
  last,
]: Page["words"][number]): Word => ({
  text,
  x0,
  y0,
  x1,
  y1,
  height,
  bold: bold === 1,
  first,
  last,
});

export const tenth = (points: number): number => Math.round(points * 10) / 10;

export const wordsOf = (page: Pick<Page, "words">): readonly Word[] => page.words.map(unpackWord);

/** The text of a block, and the places of its words in it. */
export function blockText(page: Pick<Page, "words" | "blocks">, block: number) {
  const { from = 0, to = 0 } = page.blocks[block] ?? {};
  return joinWords(page.words.slice(from, to).map(unpackWord));
}

/** All text of a page, a block a line. */
export const pageText = (page: Pick<Page, "words" | "blocks">): string =>
  page.blocks.map((_, index) => blockText(page, index).text).join("\n");

/** Where a quote stands on its page, a box for each line; empty when the page does not have these very words. */
export function boxesOf(page: Pick<Page, "words" | "blocks">, quote: string): readonly Box[] {
  const wanted = quote.split("\n");
  return wanted.flatMap((part) => findIn(page, part));
}

function findIn(page: Pick<Page, "words" | "blocks">, part: string): readonly Box[] {
  for (const [index, { from }] of page.blocks.entries()) {
    const { text, starts } = blockText(page, index);
    const start = text.indexOf(part);
    if (start < 0) continue;
    const inside = starts.flatMap((at, word) => {
      const end = starts[word + 1] ?? text.length;
      return end > start && at < start + part.length ? [page.words[from + word]] : [];
    });
    return joinLines(inside.flatMap((word) => (word ? [unpackWord(word)] : [])));
  }
  return [];
}

function joinLines(words: readonly Word[]): readonly Box[] {
  const lines: [number, number, number, number][] = [];
  for (const { x0, y0, x1, y1 } of words) {
    const last = lines.at(-1);
    const same =
      last && Math.min(y1, last[3]) - Math.max(y0, last[1]) > 0.5 * Math.min(y1 - y0, last[3] - last[1]);
    if (!last || !same) {
      lines.push([x0, y0, x1, y1]);
      continue;
    }
    last[0] = Math.min(last[0], x0);
    last[1] = Math.min(last[1], y0);
    last[2] = Math.max(last[2], x1);
    last[3] = Math.max(last[3], y1);
  }
  return lines;
}

/** The page without the words of these blocks. */
export function withoutBlocks(page: Page, blocks: readonly number[]): Page {
  if (blocks.length === 0) return page;
  const words = page.blocks.flatMap(({ from, to }, block) =>
    blocks.includes(block) ? [] : page.words.slice(from, to),
  );
  return { ...page, words, blocks: [] };
}
