/** Writes lines with the white space of a page: runs of blanks are one, breaks are counted, quotes are marked. */
export interface TextWriter {
  write(text: string): void;
  /** An unconditional line break: `<br>`. */
  breakLine(): void;
  /** At least `count` line breaks, unless at the top. */
  ensureBreak(count: number): void;
  writeRule(): void;
  writeBullet(bullet: string, level: number): void;
  separateCell(): void;
  changeQuote(by: 1 | -1): void;
  changePre(by: 1 | -1): void;
  /** Length written so far, for `since`. */
  length(): number;
  since(length: number): string;
  finish(): string;
}

const quoteDepthMax = 12;
const breaksMax = 3;

export function openTextWriter(): TextWriter {
  const pieces: string[] = [];
  let breaks = 0;
  let isLineEmpty = true;
  let isEmpty = true;
  let needsBlank = false;
  let needsTab = false;
  let bullet = "";
  let quoteDepth = 0;
  let lastDepth = 0;
  let preDepth = 0;

  /** Writes pending breaks and marks before the next visible character. */
  const startText = () => {
    if (breaks > 0 && !isEmpty) {
      const blankLine = `\n${"> ".repeat(Math.min(lastDepth, quoteDepth)).trimEnd()}`;
      pieces.push(blankLine.repeat(Math.min(breaks, breaksMax) - 1), "\n");
    }
    if (isLineEmpty) {
      pieces.push("> ".repeat(quoteDepth), bullet);
      bullet = "";
    } else if (needsTab) pieces.push("\t");
    else if (needsBlank) pieces.push(" ");
    breaks = 0;
    needsBlank = false;
    needsTab = false;
    isLineEmpty = false;
    isEmpty = false;
    lastDepth = quoteDepth;
  };
  const endLine = () => {
    isLineEmpty = true;
    needsBlank = false;
    needsTab = false;
  };
  const ensureBreak = (count: number) => {
    if (isLineEmpty && bullet !== "") return;
    if (!isLineEmpty) endLine();
    breaks = Math.max(breaks, count);
  };
  const breakLine = () => {
    if (isLineEmpty && bullet !== "") return;
    endLine();
    breaks++;
  };
  const writeFlow = (text: string) => {
    const words = text.replace(/[ \t\r\n\f]+/g, " ");
    if (words.startsWith(" ") && !isLineEmpty) needsBlank = true;
    const trimmed = words.slice(words.startsWith(" ") ? 1 : 0, words.endsWith(" ") ? -1 : undefined);
    if (trimmed === "") return;
    startText();
    pieces.push(trimmed);
    needsBlank = words.endsWith(" ");
  };
  const writePre = (text: string) => {
    text.split(/\r\n|\n|\r/).forEach((line, at) => {
      if (at > 0) breakLine();
      if (line === "") return;
      startText();
      pieces.push(line);
    });
  };
  return {
    ensureBreak,
    breakLine,
    write(text) {
      if (preDepth > 0) writePre(text);
      else writeFlow(text.replace(/[\u200b\ufeff\u00ad]/g, ""));
    },
    writeRule() {
      ensureBreak(1);
      startText();
      pieces.push("-".repeat(40));
      ensureBreak(1);
    },
    writeBullet(text, level) {
      ensureBreak(1);
      bullet = "  ".repeat(level) + text;
    },
    separateCell() {
      if (!isLineEmpty) needsTab = true;
    },
    changeQuote(by) {
      quoteDepth = Math.max(0, Math.min(quoteDepthMax, quoteDepth + by));
    },
    changePre(by) {
      preDepth = Math.max(0, preDepth + by);
    },
    length: () => pieces.length,
    since: (length) => pieces.slice(Math.max(length, pieces.length - 200)).join(""),
    finish: () =>
      pieces
        .join("")
        .replaceAll("\u00a0", " ")
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
        .replace(/^\n+/, ""),
  };
}
