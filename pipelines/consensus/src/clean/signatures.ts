import type { Page } from "./page.ts";
import { isLive } from "./page.ts";

/** A signature by RFC 3676 may be long; after looser delimiters only a short signature is accepted. */
const limits = {
  dashed: { lines: 30, characters: 3000 },
  bare: { lines: 12, characters: 1000 },
  rule: { lines: 8, characters: 500 },
  paragraph: { lines: 8, characters: 400 },
};

/** The lines of a signature; the author may have continued below `to`. */
export interface Signature {
  readonly from: number;
  readonly to: number;
}

/** The signature ending on line `end`. */
export function findSignature(page: Page, end: number): Signature | null {
  let lines = 0;
  let characters = 0;
  for (let at = end; at >= 0 && lines <= limits.dashed.lines; at--) {
    const text = page.texts[at]!;
    if (text === "" && page.marks[at] === null) continue;
    if (!isLive(page, at) || page.kept[at]) break;
    const limit = limitOf(page, at);
    if (limit && lines <= limit.lines && characters <= limit.characters) {
      const found = believe(page, { from: at, to: end + 1 }, limit);
      if (found) return found;
    }
    lines++;
    characters += text.length;
  }
  const from = startOfContacts(page, end);
  return from < 0 ? null : { from, to: end + 1 };
}

const postscript = /^\W{0,3}(?:P\.? ?S\b|P\.P\.S|NB\b|N\.B\.|BTW\b|Edit:|Note:|Update:)/i;
const code =
  /^\s*(?:(?:class|def|import|from|function|public|private|static|void|int|return|if|for|#include) ?[\w.(<]|<\/?\w[^@]*>|[$#] \w)|[{;]$/;

/** Text below a delimiter may be a signature, a signature and more words, or no signature at all. */
function believe(page: Page, { from, to }: Signature, limit: object): Signature | null {
  const lines = page.texts.slice(from + 1, to);
  const first = lines.findIndex((text) => text !== "");
  const gap = lines.findIndex((text, at) => at > first && text === "");
  const more = gap < 0 ? [] : lines.slice(gap);
  if (limit === limits.rule) return looksPersonal(page, from + 1, to - 1) ? { from, to } : null;
  if (limit === limits.bare && lines.filter(isSentence).length > 4) return null;
  if (lines.some((text) => postscript.test(text)) && first === 0 && gap < 0) return null;
  const goesOn = more.some((text, at) => {
    if (postscript.test(text)) return true;
    const isIntroduction = /\w:$/.test(text) && more[at + 1] === "" && at + 2 < more.length;
    return isIntroduction || code.test(text);
  });
  return goesOn ? { from, to: from + 1 + gap } : { from, to };
}

function limitOf(page: Page, at: number): { lines: number; characters: number } | null {
  const text = page.texts[at]!;
  if (page.dashed[at]) return limits.dashed;
  if (/^(--|—|––|- --)$/.test(text)) return limits.bare;
  if (/^\s{0,3}([-_=*~]{3,120}|[—–]{2,60})$/.test(text) && (page.texts[at - 1] ?? "") === "")
    return limits.rule;
  return null;
}

/** `-- ` with a name below, and then a quote: a signature in the middle of a mail. */
export function isInnerSignature(page: Page, at: number): number {
  if (!page.dashed[at] && page.texts[at] !== "--") return -1;
  let end = at + 1;
  let characters = 0;
  while (end - at <= limits.paragraph.lines + 1 && isLive(page, end) && !page.kept[end]) {
    characters += page.texts[end]!.length;
    end++;
  }
  if (end === at + 1 || end - at > limits.paragraph.lines + 1 || characters > limits.paragraph.characters)
    return -1;
  const next = page.nextWords[end]!;
  return page.marks[next] === "quote" ||
    page.marks[next] === "attribution" ||
    page.marks[next] === "boilerplate"
    ? end
    : -1;
}

const phone =
  /(?:^|[\s(,;|])(?:\+\d|\(\d|tel|phone|fax|mob|mobile|cell|voice|office|ph|fon|tél|telefon|[tmpfo]:)[^\d\s]{0,6}.{0,6}[\d (][\d ()./-]{5,40}\d|^\W{0,3}\+?\d[\d ()./-]{7,40}\d\W{0,3}$/i;
const link =
  /^\W{0,4}(?:(?:web|url|www|homepage|blog|site|email|e-mail|mail|skype|icq|aim|jabber|irc|twitter|github|linkedin|xmpp|gpg|pgp|key|fingerprint)\W{1,4})?(?:https?:\/\/|www\.|mailto:)?[\w.+@~/-]{1,80}\.[a-z]{2,}[\w/#?=&.~+-]{0,80}\W{0,4}$/i;
const labelled =
  /^\W{0,4}(?:tel|phone|fax|mobile?|cell|office|e-?mail|mail|web|www|url|skype|icq|aim|jabber|irc|twitter|pgp|gpg|key id|fingerprint|address|tél|telefon|adresse)\W{0,3}[:=]/i;
const closing =
  /^(?:best|kind|warm|many)?\s?(?:regards|wishes|thanks|thank you|cheers|sincerely|yours|greetings|mit freundlichen|viele|liebe|grüße|gruß|cordialement|saludos|saluti|atenciosamente|mvg|med vänlig|hälsningar|pozdrawiam|с уважением|br|rgds)\b/iu;

/** Five small words in a row: unusual in a signature. */
function isSentence(text: string): boolean {
  return /(?:(?:^|\s)\p{Ll}[\p{L}'’]*[,;]?){5}/u.test(text) || /^\s*[-*\d]+[.)]? \p{Ll}/u.test(text);
}

function isContact(text: string): boolean {
  return phone.test(text) || link.test(text) || labelled.test(text);
}

const nameLine = /^\W{0,4}\p{Lu}[\p{L}.'’-]*(?:,? \p{Lu}[\p{L}.'’-]*){0,4}\W{0,3}$/u;
const recordLine =
  /^\s*(?:commit|author|date|from|to|subject|id|title|status|version|file|index|diff)\b ?[:\w]|\|\s+\d+|^\s*\S+ \(\d+\):$/i;

/** Below a rule: few short lines with a name or contact on top; below underscores, anything short. */
function looksPersonal({ texts }: Page, from: number, end: number): boolean {
  const lines = texts.slice(from, end + 1).filter((text) => text !== "");
  if (lines.length === 0 || lines.some((text) => text.length > 90)) return false;
  if (/^\s{0,3}_{5,}$/.test(texts[from - 1]!) && lines.length <= 4) return true;
  if (lines.some((text) => recordLine.test(text)) || lines.filter(isSentence).length > 2) return false;
  const isNamed = nameLine.test(lines[0]!) || lines[0]!.startsWith('"') || isContact(lines[0]!);
  const isReachable = lines.some((text) => isContact(text) || /\S@\S|https?:\/\//.test(text));
  return isNamed
    ? isReachable || lines.length <= 5
    : isReachable && !isSentence(lines[0]!) && / {3}|\|/.test(lines[0]!);
}

/** "Ann Lee | Example Corp | +1 555 123 4567 | ann@example.org" in a paragraph of its own, after other words. */
function isOneLine({ texts }: Page, start: number, end: number): boolean {
  const parts = texts[start]!.split(/\s[|•·]\s/);
  if (start !== end || start === 0 || texts[start - 1] !== "" || parts.length < 3) return false;
  return (
    nameLine.test(parts[0]!) && parts.some((part) => phone.test(part) || /\S@[^\s@]{1,100}\.\w/.test(part))
  );
}

/** A last paragraph of mostly telephone numbers and addresses; farewell and name stay. */
function startOfContacts(page: Page, end: number): number {
  let start = end;
  while (start > 0 && end - start < 10 && isLive(page, start - 1) && !page.kept[start - 1]) start--;
  const lines = page.texts.slice(start, end + 1);
  if (lines.length > 9 || lines.some((text) => text.length > 80 || isSentence(text))) return -1;
  if (isOneLine(page, start, end)) return start;
  const contacts = lines.filter(isContact);
  const isNumbered = lines.some((text) => phone.test(text) || labelled.test(text));
  if (!isNumbered || contacts.length < 2 || contacts.length * 3 < lines.length) return -1;
  if (closing.test(lines[0]!)) return lines.length > 3 ? start + 2 : -1;
  return (page.texts[start - 1] ?? "") === "" && start > 0 ? start : -1;
}
