import {
  banner,
  boilerplateLine,
  footerLine,
  footerRule,
  isSentFrom,
  legalSubject,
  legalWords,
  nextPart,
  placeholder,
  scrubbed,
} from "./notices.ts";
import type { Cut, Page } from "./page.ts";
import { isLive } from "./page.ts";
import { findSignature, isInnerSignature } from "./signatures.ts";

/** Limit of pieces below one mail. */
const piecesMax = 40;

/** Additions below the author's words: signature, list footer, advertisement, disclaimer. */
export function findTails(page: Page): readonly Cut[] {
  const cuts: Cut[] = [];
  let end = page.texts.length - 1;
  for (let piece = 0; piece < piecesMax; piece++) {
    while (end >= 0 && !isLive(page, end)) end--;
    if (end < 0 || page.kept[end]) break;
    const found = lastPiece(page, end);
    if (!found) break;
    cuts.push(found);
    if (found.to <= end) break;
    end = found.from - 1;
  }
  return cuts;
}

/** The last foreign piece above `end`. */
function lastPiece(page: Page, end: number): Cut | null {
  const text = page.texts[end]!;
  const to = end + 1;
  if (isEmptyRule(page, end) || isSentFrom(text)) return { from: end, to, kind: "signature" };
  const paragraph = startOfParagraph(page, end);
  const footer = startOfFooter(page, paragraph, end);
  if (footer >= 0) return { from: footer, to, kind: "footer" };
  const notice = startOfBoilerplate(page, paragraph, end);
  if (notice >= 0) return { from: notice, to, kind: "boilerplate" };
  const signature = findSignature(page, end);
  return signature && { ...signature, kind: "signature" };
}

/** Limit of consecutive rules. */
const rulesMax = 20;

/** A rule or lone dash with nothing below; a rule that closes a table or underlines a heading stays. */
function isEmptyRule({ texts, marks }: Page, at: number): boolean {
  const text = texts[at]!.trim();
  if (/^(--|—|–|-|ᐧ|- --|_{5,120})$/.test(text)) return true;
  if (!/^([-_=*~#+])\1{2,120}$/.test(text)) return false;
  for (let above = at - 1; above >= 0 && above > at - rulesMax; above--) {
    if (texts[above] === "" || marks[above] !== null) return true;
    if (!/^\s*([-_=*~#+]{2,120}|—|ᐧ)$/.test(texts[above]!)) return false;
  }
  return true;
}

const paragraphLinesMax = 40;

function startOfParagraph(page: Page, end: number): number {
  let start = end;
  while (start > 0 && end - start < paragraphLinesMax && isLive(page, start - 1) && !page.kept[start - 1])
    start--;
  return start;
}

const rule = /^\s{0,3}(?:[-_=*~+]{2,120}|-|[—–]{1,60}|- --)$/;

/** From the rule, or else from the first line typical of a list manager. */
function startOfFooter({ texts }: Page, from: number, end: number): number {
  for (let at = from; at <= end; at++) {
    const text = texts[at]!;
    if (footerRule.test(text)) return at;
    if (!footerLine.test(text)) continue;
    let start = at;
    while (start > from && start > at - 4 && !rule.test(texts[start]!)) start--;
    if (!rule.test(texts[start]!)) start = at;
    if (start === at && (at > from || !isFooterLike(texts, at, end))) continue;
    return start;
  }
  return -1;
}

/** Without a rule above, a footer has to be short and name a way to unsubscribe. */
function isFooterLike(texts: readonly string[], from: number, end: number): boolean {
  const lines = texts.slice(from, end + 1);
  if (/ mailing list$/i.test(lines[0]!) && !/^\S+(?: at \S+)?$/.test(lines[1] ?? "")) return false;
  return (
    lines.length <= 12 &&
    lines.some((text) => /\S@\S|https?:|www\.|\(#\d+\)|git(?:hub|lab)| at \S+\.\w|respond/i.test(text))
  );
}

function startOfBoilerplate({ texts }: Page, from: number, end: number): number {
  const lines = texts.slice(from, end + 1);
  const first = lines.findIndex((text) => boilerplateLine.test(text));
  if (first >= 0 && lines.length - first <= 8) {
    return first > 0 && rule.test(lines[first - 1]!) ? from + first - 1 : from + first;
  }
  const whole = lines.join(" ");
  const legal = legalWords.filter((word) => word.test(whole)).length;
  return legal >= 4 && whole.length < 4000 && legalSubject.test(whole) ? from : -1;
}

/** A banner is a short paragraph, or else its first line. */
function endOfBanner({ texts }: Page, at: number): number {
  let end = at + 1;
  while (end < at + 5 && (texts[end] ?? "") !== "") end++;
  return (texts[end] ?? "") === "" ? end : at + 1;
}

const scrubbedField = /^(?:URL|Name|Type|Size|Desc|From|Subject|Date|To|Cc|Skipped)\b.{0,3}:|^\s+\S/i;

/** The rest of an address wrapped by a mailer. */
function isBrokenUrl(texts: readonly string[], at: number): boolean {
  return /^URL ?:/i.test(texts[at - 1] ?? "") && /^[\w./%~-]{1,100}>?$/.test(texts[at] ?? "");
}

/** `[image: …]` and pipermail's notes about attachments, at any position. */
export function findPlaceholders(page: Page): readonly Cut[] {
  const cuts: Cut[] = [];
  page.texts.forEach((text, at) => {
    if (!isLive(page, at) || page.kept[at]) return;
    if (placeholder.test(text) || nextPart.test(text))
      cuts.push({ from: at, to: at + 1, kind: "boilerplate" });
    if (banner.test(text)) cuts.push({ from: at, to: endOfBanner(page, at), kind: "boilerplate" });
    if (!scrubbed.test(text)) return;
    const from = nextPart.test(page.texts[at - 1] ?? "") ? at - 1 : at;
    let to = at + 1;
    while (to < at + 12 && (scrubbedField.test(page.texts[to] ?? "") || isBrokenUrl(page.texts, to))) to++;
    cuts.push({ from, to, kind: "boilerplate" });
  });
  return cuts;
}

/** Signatures in the middle of a mail, with a quote below. */
export function findInnerSignatures(page: Page): readonly Cut[] {
  const cuts: Cut[] = [];
  for (let at = 0; at < page.texts.length; at++) {
    if (!isLive(page, at) || page.kept[at]) continue;
    const end = isInnerSignature(page, at);
    if (end > 0) cuts.push({ from: at, to: end, kind: "signature" });
  }
  return cuts;
}
