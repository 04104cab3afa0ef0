/** Kind of a removed stretch. */
export type Kind =
  | "quote"
  | "attribution"
  | "signature"
  | "footer"
  | "forward"
  | "header-block"
  | "armour"
  | "boilerplate";

/** Lines `from` up to, but not including, `to` are not the author's words. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
}

export interface Line {
  /** Start in the text, end of its characters, and start of the next line. */
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** A mail as lines, with the current knowledge about each line. */
export interface Page {
  readonly lines: readonly Line[];
  /** Words without trailing spaces; only the beginning of an overlong line, which bounds all matching. */
  readonly texts: readonly string[];
  /** The signature delimiter with its space, as in RFC 3676. */
  readonly dashed: readonly boolean[];
  /** The first non-blank line at or after a line. */
  readonly nextWords: Int32Array;
  readonly marks: (Kind | null)[];
  /** Code, patches and similar: never a quote. */
  readonly kept: readonly boolean[];
}

export const lineLengthMax = 2000;

export function makePage(text: string, findKept: (texts: readonly string[]) => readonly boolean[]): Page {
  const lines = splitLines(text);
  const texts = lines.map(({ start, end }) =>
    text.slice(start, Math.min(end, start + lineLengthMax)).trimEnd(),
  );
  const dashed = lines.map(({ start, end }) => end - start === 3 && text.startsWith("-- ", start));
  const nextWords = new Int32Array(lines.length + 1).fill(lines.length);
  for (let at = lines.length - 1; at >= 0; at--) nextWords[at] = texts[at] === "" ? nextWords[at + 1]! : at;
  return { lines, texts, dashed, nextWords, marks: lines.map(() => null), kept: findKept(texts) };
}

/** Whether a line still counts as the author's. */
export function isLive(page: Page, at: number): boolean {
  return page.texts[at] !== "" && page.texts[at] !== undefined && page.marks[at] === null;
}

/** Marks unmarked lines; true if any mark was set. */
export function applyCuts(page: Page, cuts: readonly Cut[]): boolean {
  let changed = false;
  for (const { from, to, kind } of cuts) {
    for (let at = from; at < to; at++) {
      if (!isLive(page, at)) continue;
      page.marks[at] = kind;
      changed = true;
    }
  }
  return changed;
}

/** CRLF, LF and a lone CR all end a line. */
function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const ends = /\r\n|\n|\r/g;
  let start = 0;
  for (let found = ends.exec(text); found; found = ends.exec(text)) {
    lines.push({ start, end: found.index, next: ends.lastIndex });
    start = ends.lastIndex;
  }
  if (start < text.length) lines.push({ start, end: text.length, next: text.length });
  return lines;
}
