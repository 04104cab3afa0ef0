import type { Field } from "./header-words.ts";
import { fieldOf, forwardEnd, forwardMark, gluedMark, originalMark, originalWords } from "./header-words.ts";
import type { Cut, Kind, Page } from "./page.ts";
import { isLive } from "./page.ts";

/** Start of a pasted or forwarded old mail, as made by Outlook and similar mailers. */
interface Opening {
  readonly from: number;
  /** The first line of the old mail's own words. */
  readonly body: number;
  readonly kind: "header-block" | "forward";
}

/** Header blocks with the old mails below; an old mail without own words above stays. */
export function findHeaderBlocks(page: Page): readonly Cut[] {
  const cuts: Cut[] = [];
  let hasWords = false;
  let end = -1;
  for (let at = 0; at < page.texts.length; at++) {
    if (!isLive(page, at) || page.kept[at]) {
      hasWords ||= isLive(page, at);
      continue;
    }
    const opening = openingAt(page, at);
    if (!opening) {
      hasWords ||= !rule.test(page.texts[at]!);
      continue;
    }
    const head: Cut = { from: startOf(page, at), to: opening.body, kind: opening.kind };
    if (end < opening.body) end = endOf(page, opening);
    cuts.push(head);
    if (end < page.texts.length) cuts.push({ from: end, to: end + 1, kind: opening.kind });
    const isQuoted = page.marks[page.nextWords[opening.body]!] === "quote";
    if (!hasWords || isQuoted) {
      if (!isQuoted) hasWords = true;
      at = opening.body - 1;
      continue;
    }
    const kind: Kind = opening.kind === "forward" ? "forward" : "quote";
    cuts.push({ from: opening.body, to: end, kind });
    at = end;
  }
  return cuts;
}

const rule = /^\s{0,3}[-_=*~]{3,120}$/;

/** A rule directly above belongs to the block. */
function startOf({ texts, marks }: Page, at: number): number {
  for (let above = at - 1; above >= 0 && above >= at - 2; above--) {
    if (texts[above] === "") continue;
    return marks[above] === null && rule.test(texts[above]!) ? above : at;
  }
  return at;
}

/** `差出人:` and a name; shorter lines are skipped. */
const shortestOpening = 5;

function openingAt(page: Page, at: number): Opening | null {
  const text = page.texts[at]!;
  if (text.length < shortestOpening) return null;
  if (forwardMark.test(text) && !forwardEnd.test(text)) {
    return { from: at, body: readBlock(page, at + 1).end, kind: "forward" };
  }
  if (originalMark.test(text)) return { from: at, body: readBlock(page, at + 1).end, kind: "header-block" };
  const glued = gluedMark.exec(text);
  if (glued !== null && fieldOf(text.slice(glued[0].length)) !== null)
    return { from: at, body: readBlock(page, at + 1).end, kind: "header-block" };
  if (originalWords.test(text)) {
    const block = readBlock(page, at + 1);
    return block.found.has("from") && block.found.size > 1
      ? { from: at, body: block.end, kind: "header-block" }
      : null;
  }
  return unmarkedAt(page, at);
}

/** A block without a mark: From first, or Date, Sent or Subject first; without a blank line above only if complete. */
function unmarkedAt(page: Page, at: number): Opening | null {
  const text = page.texts[at]!;
  const first = fieldOf(text);
  if (first === null || first === "other" || /^\s{2}/.test(text)) return null;
  const { found, end, strangers } = readBlock(page, at);
  const goesOn = /^[\w-]{2,40}: /.test(page.texts[end] ?? "");
  if (strangers > 0 || goesOn || !found.has("from") || !found.has("date")) return null;
  const isComplete = found.has("to") && found.has("subject");
  const isEnough = found.has("to") || found.has("subject");
  if (!mayBegin(page, at) && !isComplete) return null;
  return (first === "from" ? isEnough : isComplete || (first !== "to" && found.size > 2))
    ? { from: at, body: end, kind: "header-block" }
    : null;
}

/** A block without a mark begins a paragraph, or follows a rule. */
function mayBegin({ texts, marks }: Page, at: number): boolean {
  return at === 0 || texts[at - 1] === "" || marks[at - 1] !== null || rule.test(texts[at - 1]!);
}

const linesMax = 40;
const technical = /^(message-id|content-type|mime-version|return-path|delivered-to|x-mailer|user-agent)/i;

interface Block {
  readonly found: ReadonlySet<Field>;
  readonly end: number;
  /** Lines found only in a complete header: the author shows a header instead of answering a mail. */
  readonly strangers: number;
}

/** Reads fields, folded lines and single blank lines in between. */
function readBlock({ texts, nextWords, marks }: Page, from: number): Block {
  const found = new Set<Field>();
  let strangers = 0;
  let end = from;
  for (let at = nextWords[from]!; at < texts.length && at < from + linesMax; at = nextWords[end]!) {
    const field = marks[at] === null ? fieldOf(texts[at]!) : null;
    if (field === null || at - end > 1) {
      const folded = at === end && found.size > 0 ? foldedLines(texts, at) : 0;
      if (folded === 0) break;
      end = at + folded;
      continue;
    }
    if (field !== "other" && found.has(field) && at > end) break;
    if (technical.test(texts[at]!)) strangers++;
    found.add(field);
    end = at + 1;
  }
  return { found, end, strangers };
}

/** Number of continuation lines of a field: indented, or up to three before the next field. */
function foldedLines(texts: readonly string[], at: number): number {
  if (/^\s+\S/.test(texts[at]!)) return 1;
  for (let count = 1; count <= 3; count++) {
    const text = texts[at + count] ?? "";
    if (text === "") return 0;
    if (fieldOf(text) !== null) return count;
  }
  return 0;
}

function endOf({ texts }: Page, { body, kind }: Opening): number {
  if (kind !== "forward") return texts.length;
  for (let at = body; at < texts.length; at++) if (forwardEnd.test(texts[at]!)) return at;
  return texts.length;
}
