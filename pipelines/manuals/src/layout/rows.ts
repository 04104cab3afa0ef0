import type { Line } from "./lines.ts";
import type { Word } from "./words.ts";
import { isRightToLeft } from "./writing-order.ts";

/** Words at one height. */
export interface Row {
  readonly words: readonly Word[];
  readonly y0: number;
  readonly y1: number;
  readonly height: number;
  readonly middle: number;
  readonly rightToLeft: boolean;
}

/** A stretch of a row without a wide gap. */
export interface Segment {
  readonly words: readonly Word[];
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly height: number;
  readonly bold: boolean;
  /** Start in the order of the PDF's stream. */
  readonly first: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}

interface Open {
  words: Word[];
  y0: number;
  y1: number;
  height: number;
  middle: number;
}

/** Only so many rows above can still overlap a word. */
const rowsBack = 8;

export function makeRows(words: readonly Word[]): readonly Row[] {
  const rows: Open[] = [];
  for (const word of [...words].sort((one, other) => one.y0 + one.y1 - other.y0 - other.y1)) {
    const row = rows.slice(-rowsBack).findLast((open) => standsIn(open, word));
    if (!row) {
      const { y0, y1, height } = word;
      rows.push({ words: [word], y0, y1, height, middle: (y0 + y1) / 2 });
      continue;
    }
    row.words.push(word);
    if (word.height > row.height * 0.7) {
      row.y0 = Math.min(row.y0, word.y0);
      row.y1 = Math.max(row.y1, word.y1);
    }
    row.height = median(row.words.map(({ height }) => height));
    row.middle = (row.y0 + row.y1) / 2;
  }
  return rows
    .map((row) => {
      const rightToLeft = row.words.filter(({ text }) => isRightToLeft(text)).length > row.words.length / 2;
      const sorted = [...row.words].sort((one, other) =>
        rightToLeft ? one.first - other.first : one.x0 - other.x0,
      );
      return { ...row, words: sorted, rightToLeft };
    })
    .sort((one, other) => one.middle - other.middle);
}

function standsIn(row: Open, word: Word): boolean {
  const overlap = Math.min(word.y1, row.y1) - Math.max(word.y0, row.y0);
  const middle = (word.y0 + word.y1) / 2;
  return (
    overlap > 0.5 * Math.min(word.height, row.height) &&
    Math.abs(middle - row.middle) < 0.5 * Math.max(word.height, row.height)
  );
}

/**
 * Splits a row at a wide gap, at a vertical line, and at a small gap between words not adjacent in the stream: the
 * order of a PDF's stream is evidence.
 */
export function makeSegments(row: Row, gap: number, bars: readonly Line[]): readonly Segment[] {
  const parts: Word[][] = [];
  let right = 0;
  let left = 0;
  for (const word of row.words) {
    const current = parts.at(-1);
    const before = current?.at(-1);
    const far = Math.max(word.x0 - right, row.rightToLeft ? left - word.x1 : -1);
    const jumps = before && (word.first < before.first || word.first - before.last > 3);
    const isBarred = () =>
      bars.some(
        ({ at, from, to }) => at > right - 1 && at < word.x0 + 1 && from < row.middle && to > row.middle,
      );
    const splits =
      !before || (jumps && word.x0 - before.x1 > 0.45 * row.height) || far > gap * row.height || isBarred();
    if (splits || !current) {
      parts.push([word]);
      [left, right] = [word.x0, word.x1];
      continue;
    }
    current.push(word);
    [left, right] = [Math.min(left, word.x0), Math.max(right, word.x1)];
  }
  return parts.map((words) => segmentOf(words, row.height));
}

function segmentOf(words: readonly Word[], height: number): Segment {
  return {
    words,
    text: words.map(({ text }) => text).join(" "),
    ...boundsOf(words),
    height,
    bold: words.filter(({ bold }) => bold).length > words.length / 2,
    first: Math.min(...words.map(({ first }) => first)),
  };
}

interface Bounds {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export function boundsOf(parts: readonly Bounds[]): Bounds {
  return {
    x0: Math.min(...parts.map(({ x0 }) => x0)),
    y0: Math.min(...parts.map(({ y0 }) => y0)),
    x1: Math.max(...parts.map(({ x1 }) => x1)),
    y1: Math.max(...parts.map(({ y1 }) => y1)),
  };
}
