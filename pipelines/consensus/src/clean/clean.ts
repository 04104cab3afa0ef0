import { findArmour } from "./armour.ts";
import { findAttributions } from "./attributions.ts";
import { findHeaderBlocks } from "./header-blocks.ts";
import { findKept } from "./kept.ts";
import type { Kind, Page } from "./page.ts";
import { applyCuts, makePage } from "./page.ts";
import { findQuotes } from "./quotes.ts";
import { findInnerSignatures, findPlaceholders, findTails } from "./tails.ts";

/** A stretch not written by the author for this mail, in UTF-16 units. */
export interface Removal {
  readonly start: number;
  readonly end: number;
  readonly kind: Kind;
}

export interface Cleaned {
  readonly clean: string;
  readonly removed: readonly Removal[];
}

/** One removal can expose another (a signature above an old mail), but only so often. */
const roundsMax = 4;

const passes = [findAttributions, findHeaderBlocks, findPlaceholders, findInnerSignatures, findTails];

/** The author's own words: without quotes, attribution lines, signatures, list footers. */
export function cleanText(text: string): Cleaned {
  const page = makePage(text, findKept);
  applyCuts(page, findArmour(page));
  applyCuts(page, findQuotes(page));
  let changed = true;
  for (let round = 0; round < roundsMax && changed; round++) {
    changed = false;
    for (const find of passes) {
      if (applyCuts(page, find(page))) changed = true;
    }
  }
  restoreWhatIsLeft(page);
  return { clean: join(text, page), removed: spansOf(page) };
}

/** Restores a mail of only a signature or a notice; a mail of only quotes stays empty. */
function restoreWhatIsLeft({ texts, marks }: Page): void {
  const isLeft = texts.some((words, at) => words !== "" && marks[at] === null);
  if (isLeft || marks.includes("quote")) return;
  for (const kind of ["forward", "header-block", "signature", "boilerplate", "footer"] as const) {
    if (!marks.includes(kind)) continue;
    for (let at = 0; at < marks.length; at++) if (marks[at] === kind) marks[at] = null;
    return;
  }
}

/** A removed stretch leaves one blank line, to keep the surrounding words apart. */
function join(text: string, { lines, texts, marks }: Page): string {
  const parts: string[] = [];
  let gap = false;
  lines.forEach(({ start, end }, at) => {
    if (texts[at] === "" || marks[at] !== null) {
      gap = parts.length > 0;
      return;
    }
    if (gap) parts.push("");
    gap = false;
    parts.push(text.slice(start, end).trimEnd());
  });
  return parts.join("\n");
}

/** Neighbouring lines of one kind, with the blank lines in between, are one span. */
function spansOf({ lines, texts, marks }: Page): Removal[] {
  const spans: { start: number; end: number; kind: Kind }[] = [];
  let open = false;
  lines.forEach(({ start, next }, at) => {
    const kind = marks[at] ?? null;
    if (kind === null) {
      if (texts[at] !== "") open = false;
      return;
    }
    const last = spans.at(-1);
    if (open && last?.kind === kind) last.end = next;
    else spans.push({ start, end: next, kind });
    open = true;
  });
  return spans;
}
