import type { PageFacts } from "../pdf/page-facts.ts";
import { type Block, makeBlocks } from "./blocks.ts";
import { joinRules, type Lines } from "./lines.ts";
import { orderSegments } from "./order.ts";
import { makeRows, makeSegments, median } from "./rows.ts";
import { judgeText, type Standing } from "./standing.ts";
import { makeWords, type Word } from "./words.ts";

/** A page in reading order. */
export interface LaidPage {
  readonly standing: Standing;
  readonly blocks: readonly Block[];
  readonly words: readonly Word[];
  readonly lines: Lines;
}

/** A gap of more than this share of the height parts a line. */
const gapOfLines = 1.1;

export function layPage(facts: PageFacts): LaidPage {
  const words = withMeantBold(makeWords(facts.characters.found, facts));
  const lines = joinRules(facts.drawn.rules, facts);
  const body = median(words.map(({ height }) => height)) || 10;
  const segments = makeRows(words).flatMap((row) => makeSegments(row, gapOfLines, lines.vertical));
  const blocks = makeBlocks(orderSegments(segments, body), body);
  return { standing: judgeText(facts, words), blocks, words, lines };
}

/** With most letters bold, bold says nothing: some fonts claim bold for a whole manual. */
const boldShareMax = 0.6;

function withMeantBold(words: readonly Word[]): readonly Word[] {
  const letters = (some: readonly Word[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const bold = letters(words.filter((word) => word.bold));
  return bold > boldShareMax * letters(words) ? words.map((word) => ({ ...word, bold: false })) : words;
}
