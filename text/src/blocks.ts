/** A paragraph, list item or heading; or lines not meant to be read: code, a table, a drawing, a diff. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly verbatim: boolean;
}

/** Cuts a text into blocks, in order, separated only by white space. */
export function layBlocks(text: string): readonly Block[] {
  const lines = readLines(text);
  const fenced = findFenced(lines);
  const inDiff = findDiffs(lines);
  const blocks: Block[] = [];
  let open: OpenBlock | undefined;
  const close = () => {
    if (open !== undefined) blocks.push({ start: open.start, end: open.end, verbatim: open.verbatim });
    open = undefined;
  };
  for (const [at, line] of lines.entries()) {
    const fence = fenced[at] ?? 0;
    if (line.words === "" && fence === 0) {
      close();
      continue;
    }
    const after: OpenBlock | undefined = open;
    const verbatim =
      fence > 0 ||
      inDiff[at] === true ||
      isVerbatim(line) ||
      (after?.verbatim === true && isVerbatimBeside(line));
    const goesOn =
      after !== undefined &&
      after.verbatim === verbatim &&
      after.fence === fence &&
      (verbatim || continues(after, line));
    if (!goesOn) close();
    open = extend(goesOn ? after : undefined, line, verbatim, fence);
  }
  close();
  return blocks;
}

/** Whether a single line is not meant to be read as a sentence. */
export const isVerbatimLine = (line: string): boolean => isVerbatim(makeLine(line, 0, line.length));

interface Line {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  /** Without surrounding white space. */
  readonly words: string;
}

interface OpenBlock {
  readonly start: number;
  readonly end: number;
  readonly verbatim: boolean;
  /** Number of the enclosing fence; 0 for none. */
  readonly fence: number;
  readonly first: Line;
  readonly last: Line;
  readonly isItem: boolean;
}

function readLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  const breaks = /\r\n|[\n\r\u2028\u2029\f\v]/g;
  let start = 0;
  for (let found = breaks.exec(text); found !== null; found = breaks.exec(text)) {
    lines.push(makeLine(text, start, found.index));
    start = breaks.lastIndex;
  }
  lines.push(makeLine(text, start, text.length));
  return lines;
}

function makeLine(text: string, start: number, end: number): Line {
  const whole = text.slice(start, end);
  const words = whole.trim();
  const lead = whole.slice(0, whole.length - whole.trimStart().length);
  const indent = lead.length > 200 ? 200 : [...lead].reduce((sum, sign) => sum + (sign === "\t" ? 8 : 1), 0);
  return { start, end, indent, words };
}

/** Numbers the closed fences; an open fence would swallow the rest of a mail. */
function findFenced(lines: readonly Line[]): readonly number[] {
  const marks = lines.flatMap((line, at) => (/^(?:```|~~~)/.test(line.words) ? [at] : []));
  const fenced = new Array<number>(lines.length).fill(0);
  for (let pair = 0; pair + 1 < marks.length; pair += 2) {
    fenced.fill(pair + 1, marks[pair]!, marks[pair + 1]! + 1);
  }
  return fenced;
}

const diffHead = /^(?:diff (?:--git|-[a-zA-Z])|Index: \S|@@ -\d|(?:---|\+\+\+) (?:[ab]\/|\/dev\/null|\S+\t))/;
const diffBody =
  /^(?:[ +\-@\\]|diff |index |new file |deleted file |old mode |new mode |similarity |rename |={60})/;

/** A diff ends at the first line that cannot belong to a diff. */
function findDiffs(lines: readonly Line[]): readonly boolean[] {
  let inside = false;
  return lines.map((line) => {
    if (line.indent === 0 && diffHead.test(line.words)) inside = true;
    else if (inside && line.words !== "" && line.indent === 0 && !diffBody.test(line.words)) inside = false;
    return inside && line.words !== "";
  });
}

const lineLengthMax = 2_000;

function isVerbatim({ words, indent }: Line): boolean {
  if (/^>/.test(words) || isEncoded(words)) return true;
  if (words.length > lineLengthMax) return false;
  return isDrawing(words) || isColumns(words) || codeSigns(words) + (indent >= 4 ? 1 : 0) >= codeMin;
}

/** Base64, keys and hashes: a long line without spaces, in a script with spaces. */
const isEncoded = (words: string): boolean =>
  words.length >= 60 && /^[\w+/=.:,;-]+$/.test(words) && !/^(?:https?|ftp|mailto):/.test(words);

/** Beside code, less is needed. */
function isVerbatimBeside({ words, indent }: Line): boolean {
  if (words.length > lineLengthMax) return false;
  return isColumns(words, 1) || (indent >= 2 && codeSigns(words) >= 1);
}

/** Tables with bars, rules, boxes and arrows: mostly signs. A vote and a smiley are no drawings. */
function isDrawing(words: string): boolean {
  if (/^\|.*\|$/.test(words) || /^[+|][-=+]{3,}[+|]?$/.test(words)) return true;
  if (words.length < 4 || /^[+\-±]\s?[01]\b|[:;]-?[)(DP](?:\s|$)/.test(words)) return false;
  let signs = 0;
  let shown = 0;
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at);
    if (code === 0x20 || code === 0x09) continue;
    // Half of a pair, or a mark on the previous letter.
    if (code >= 0x80 && isSpaceOrHalf.test(words[at] as string)) continue;
    shown++;
    if (!isWordCode(code) && (code < 0x80 || !isWordSign.test(words[at] as string))) signs++;
  }
  return signs * 2 > shown && !/\p{L}{3}\s{1,3}\p{L}{2}/u.test(words) && !/^https?:/.test(words);
}

const isWordCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
const isWordSign = /[\p{L}\p{M}\p{N}]/u;
const isSpaceOrHalf = /[\s\uDC00-\uDFFF]/;

/** Words in columns: gaps of several spaces not after the end of a sentence. */
function isColumns(words: string, gapsMin = 2): boolean {
  const gaps = words.match(/[^\s.!?:](?: {3,}|\t+)(?=\S)/g) ?? [];
  return gaps.length >= gapsMin || (words.match(/\s\|(?=\s)/g) ?? []).length >= 2;
}

/** Beginnings found only in code. */
const codeStarts = /^(?:#include\b|#!\/|\/\*|<[?!]\w|\$ [a-z]|>>> |[{}][;,]?$)/;
const strongSigns = new RegExp(
  [
    /^(?:\*\/|\/\/|<\/)/,
    /[)\w\]"'] ?\{$/,
    /[\])}"'];$/,
    /=>\s?[{(]/,
    /\w\(\)\s?[;{.]/,
    /:=|[=!]==?\s|&&|\|\||->\w|::\w/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
const keywords =
  "if|for|while|def|class|return|import|from|var|let|const|int|void|char|static|struct|function|public";
const weakSigns = [
  /[;{}\\]$/,
  /\w\s?=\s?[\w"'{[(-]/,
  new RegExp(`^(?:${keywords})\\b.*[({:;=]`),
  /\w[[(]\w*[\])]/,
  /\w_\w/,
  /^<\/?\w+[^>]{0,200}>/,
];

function codeSigns(words: string): number {
  if (codeStarts.test(words)) return codeMin;
  const signs = (strongSigns.test(words) ? 2 : 0) + weakSigns.filter((sign) => sign.test(words)).length;
  return signs > 0 && isWordy(words) ? signs - 2 : signs;
}

/** Signs needed to call a line code. */
const codeMin = 3;

/** Five plain words in a row make a sentence that mentions code. */
const isWordy = (words: string): boolean => /(?:\p{L}{1,20},? ){5}/u.test(words);

const item = /^(?:[-*+•·o–—] {1,4}|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)] {1,4}|\[\d{1,3}\] )(?=\S)/;
const heading = /^(?:#{1,6} |=+ .* =+$)/;
const label = /^[A-Z][\w-]{1,24}: /;
const greetings =
  "hi|hello|hey|dear|hallo|bonjour|hola|ciao|good (?:morning|day|evening)|greetings|all|folks";
const greeting = new RegExp(`^(?:${greetings})\\b.{0,40}[,!:]$`, "i");
const farewells = [
  "(?:best |kind |warm |many )?(?:regards|wishes|thanks|greetings)",
  "cheers|thank you|sincerely|yours.{0,12}|best|mfg|ciao",
].join("|");
const farewell = new RegExp(`^(?:${farewells})[,.!]?$`, "i");

/** Whether a line of prose continues the previous block, as wrapped lines do. */
function continues(open: OpenBlock, line: Line): boolean {
  const { first, last } = open;
  if (item.test(line.words) && !isWrappedNumber(last, line)) return false;
  if (heading.test(last.words) || heading.test(line.words)) return false;
  if (greeting.test(last.words) || farewell.test(last.words) || farewell.test(line.words)) return false;
  if (label.test(last.words) && label.test(line.words)) return false;
  const midSentence = /^[\p{Ll},;)]/u.test(line.words) && !/[.:!?]$/.test(last.words);
  if (open.isItem) return line.indent > first.indent || midSentence;
  const isSecond = first === last;
  const step = line.indent - last.indent;
  return midSentence || (step <= 1 && (isSecond || step >= -1));
}

/** "…as is said in section\n4. Next" looks like an item. */
function isWrappedNumber(last: Line, line: Line): boolean {
  return /^\d{1,3}\. /.test(line.words) && last.words.length > 50 && /[\p{Ll},]$/u.test(last.words);
}

function extend(before: OpenBlock | undefined, line: Line, verbatim: boolean, fence: number): OpenBlock {
  if (before !== undefined) return { ...before, end: line.end, last: line };
  const isItem = !verbatim && item.test(line.words);
  return { start: line.start, end: line.end, verbatim, fence, first: line, last: line, isItem };
}
