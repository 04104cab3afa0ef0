/** Lines that are always content: fenced code, patches, doctests, shell transcripts. */
export function findKept(texts: readonly string[]): readonly boolean[] {
  const kept = texts.map(() => false);
  keepFences(texts, kept);
  keepHunks(texts, kept);
  keepPlainDiffs(texts, kept);
  keepSessions(texts, kept);
  return kept;
}

const fence = /^ {0,3}(```|~~~)/;
const fenceLinesMax = 1000;

/** An unclosed fence keeps nothing: the rest of the mail may be anything. */
function keepFences(texts: readonly string[], kept: boolean[]): void {
  let open = -1;
  texts.forEach((text, at) => {
    const mark = fence.exec(text)?.[1];
    if (mark === undefined) return;
    if (open >= 0 && fence.exec(texts[open]!)?.[1] === mark && at - open <= fenceLinesMax) {
      kept.fill(true, open, at + 1);
      open = -1;
    } else if (text.trim() !== "~~~") open = at;
  });
}

const hunkStart = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;
const fileStart =
  /^(diff -|Index: \S|--- \S+|\+\+\+ \S+|=== (added|modified|removed) |index [0-9a-f]{6,40}\.\.|={60,}$)/;

function keepHunks(texts: readonly string[], kept: boolean[]): void {
  for (let at = 0; at < texts.length; at++) {
    const found = hunkStart.exec(texts[at]!);
    if (!found) continue;
    for (let above = at - 1; above >= 0 && !kept[above] && fileStart.test(texts[above]!); above--) {
      kept[above] = true;
    }
    const end = endOfHunk(texts, at + 1, { old: Number(found[1] ?? 1), new: Number(found[2] ?? 1) });
    kept.fill(true, at, end);
    at = end - 1;
  }
}

/** A hunk's first line contains its length; lines wrapped by a mailer are tolerated. */
function endOfHunk(texts: readonly string[], from: number, counts: { old: number; new: number }): number {
  let oldLeft = counts.old;
  let newLeft = counts.new;
  let at = from;
  for (; at < texts.length && (oldLeft > 0 || newLeft > 0); at++) {
    const text = texts[at]!;
    if (hunkStart.test(text)) break;
    if (text === "--" && /^\d+\.\d/.test(texts[at + 1] ?? "")) break;
    const sign = text[0] ?? " ";
    if (sign === " " || sign === "\u00a0" || sign === "\t") {
      oldLeft--;
      newLeft--;
    } else if (sign === "-") oldLeft--;
    else if (sign === "+") newLeft--;
    else if (sign !== "\\" && !/^[ +-]/.test(texts[at + 1] ?? "")) break;
  }
  while (at > from && texts[at - 1] === "") at--;
  return at;
}

const plainCommand = /^\d{1,9}(,\d{1,9})?[acd]\d{1,9}(,\d{1,9})?$/;

/** The output of diff without options: `12c12`, then `< old`, `---`, `> new`. */
function keepPlainDiffs(texts: readonly string[], kept: boolean[]): void {
  for (let at = 0; at < texts.length; at++) {
    if (!plainCommand.test(texts[at]!) || !/^[<>]( |$)/.test(texts[at + 1] ?? "")) continue;
    let end = at + 1;
    while (end < texts.length && (/^[<>]( |$)/.test(texts[end]!) || /^(---|\\ No newline)/.test(texts[end]!)))
      end++;
    kept.fill(true, at, end);
    at = end - 1;
  }
}

const prompt = /^\s{0,12}>>>( |$)/;
const otherDepth = /^\s{0,12}>(?!>>( |$))/;
const code = new RegExp(
  `^\\s{0,12}>>> *(${[
    "import [\\w., ]{1,80}$",
    "from \\S{1,80} import",
    "(print|assert|del|raise|return|yield|await|help|dir)\\b[ (]",
    "(def|class|for|while|if|with|try|async)\\b[^:]{0,200}:",
    "[@#]\\w",
    "[\\w.]{1,80}(, ?[\\w.]{1,40}){0,5}(\\[[^\\]]{0,60}\\])?(:\\s?\\w+)? *[-+*/|&]?=(?!=) *\\S",
    "[\\w.]{1,80}[(\\[]",
    "[\"'\\[{(\\d].{0,200}[\"'\\]})\\d]$",
  ].join("|")})`,
);
const shellLine = /^\s{0,12}([\w.@~:/ -]{0,60})?[$%#] \S/;
const shellMore = /^\s{0,12}> ?/;

/** Terminal sessions: a paragraph of `>>> code`, or `$ command` continued with `> `. */
function keepSessions(texts: readonly string[], kept: boolean[]): void {
  for (let at = 0; at < texts.length; ) {
    let end = at;
    while (end < texts.length && texts[end] !== "") end++;
    if (isDoctest(texts.slice(at, end))) kept.fill(true, at, end);
    else keepShell(texts, kept, { from: at, to: end });
    at = end + 1;
  }
}

function isDoctest(paragraph: readonly string[]): boolean {
  const prompts = paragraph.filter((text) => prompt.test(text));
  if (prompts.length === 0 || paragraph.some((text) => otherDepth.test(text))) return false;
  return prompts.filter((text) => code.test(text)).length * 2 >= prompts.length;
}

function keepShell(
  texts: readonly string[],
  kept: boolean[],
  { from, to }: { from: number; to: number },
): void {
  let inside = false;
  for (let at = from; at < to; at++) {
    if (shellLine.test(texts[at]!) && !shellMore.test(texts[at]!)) {
      inside = /[\\|{(]$|<<|\b(do|then|else)$|['"]/.test(texts[at]!);
    } else if (inside && shellMore.test(texts[at]!)) kept[at] = true;
    else inside = false;
  }
}
