import { boundsOf, type Segment } from "./rows.ts";
import type { Word } from "./words.ts";

/** A paragraph, heading or list item: adjacent lines. */
export interface Block {
  readonly segments: readonly Segment[];
  readonly height: number;
  readonly bold: boolean;
}

const itemStart = /^\s*(?:[•▪●–·*]|\d{1,2}[.)]|\(\d+\)|[a-z]\))\s/;

/** Joins segments, in reading order, to blocks. */
export function makeBlocks(segments: readonly Segment[], body: number): readonly Block[] {
  const blocks: { segments: Segment[]; height: number; bold: boolean }[] = [];
  for (const segment of segments) {
    const block = blocks.at(-1);
    if (block && (goesOn(block, segment, body) || standsBeside(block, segment, body)))
      block.segments.push(segment);
    else blocks.push({ segments: [segment], height: segment.height, bold: segment.bold });
  }
  return blocks;
}

function goesOn({ segments, height, bold }: Block, next: Segment, body: number): boolean {
  const last = segments.at(-1) as Segment;
  const { x0, x1 } = boundsOf(segments);
  return (
    Math.abs(height - next.height) < 0.12 * height &&
    bold === next.bold &&
    next.y0 - last.y1 < 0.55 * body &&
    next.y0 > last.y0 - 2 &&
    Math.min(x1, next.x1) - Math.max(x0, next.x0) > 0 &&
    !itemStart.test(next.text)
  );
}

function standsBeside({ segments }: Block, next: Segment, body: number): boolean {
  const last = segments.at(-1) as Segment;
  return Math.abs(last.y0 - next.y0) < 0.5 * body && next.x0 >= boundsOf(segments).x1 - 2;
}

/**
 * The text of words in reading order, with the start of each. A hyphen at a line's end goes before a small letter.
 */
export function joinWords(words: readonly Pick<Word, "text" | "y0" | "y1" | "x0">[]): {
  readonly text: string;
  readonly starts: readonly number[];
} {
  let text = "";
  const starts: number[] = [];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    const newLine = before !== undefined && word.y0 > before.y1 - 0.4 * (before.y1 - before.y0);
    const hyphenated = newLine && /[\p{Ll}][-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(word.text);
    if (hyphenated) text = text.slice(0, -1);
    else if (text !== "") text += " ";
    starts.push(text.length);
    text += word.text;
  }
  return { text: text.replaceAll("\u00ad", "-"), starts };
}
