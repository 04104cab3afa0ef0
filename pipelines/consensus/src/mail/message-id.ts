import { createHash } from "node:crypto";

/** A message id without brackets, blanks and comments; null when there is none that could name a mail. */
export function normaliseMessageId(text: string): string | null {
  const limited = text.slice(0, fieldCharactersMax);
  const bracketed = bracketedIds(limited)[0];
  if (bracketed !== undefined) return bracketed;
  if (limited.includes("<") && limited.includes(">")) return null;
  const words = stripComments(limited)
    .split(/[\s<>,;]+/)
    .filter((word) => word !== "");
  const word = words.find((each) => each.includes("@")) ?? (words.length === 1 ? words[0] : undefined);
  return word !== undefined && isUsable(word) && (word.includes("@") || word.length >= 8) ? word : null;
}

/** The message a reply answers: old mailers wrap the id in prose that may name a person as well. */
export function readInReplyTo(text: string): string | null {
  const limited = text.slice(0, fieldCharactersMax);
  const ids = bracketedIds(limited);
  if (ids.length === 0) {
    const word = limited.trim();
    return /^[^\s<>()",;]+$/.test(word) &&
      word.slice(1, -1).includes("@") &&
      isUsable(word) &&
      /\d/.test(word)
      ? word
      : null;
  }
  if (ids.length === 1 || !/[a-z]{2}/i.test(limited.slice(0, limited.indexOf("<")))) return ids[0]!;
  // `Message from Ann <ann@host> of Monday <1234.5@host>`: ids have digits where people have names.
  return ids.find((id) => /\d{3}/.test(id.split("@", 1)[0]!)) ?? ids[0]!;
}

/** The ids of a References field in their order, each once. */
export function readReferences(text: string): string[] {
  const limited = text.slice(0, fieldCharactersMax);
  const ids = bracketedIds(limited);
  const found = ids.length > 0 ? ids : limited.split(/[\s,;]+/).filter((word) => isBareId(word));
  const unique = [...new Set(found)];
  // The first and the nearest ones place a message; nobody replies a thousand times deep.
  return unique.length <= referencesMax ? unique : [unique[0]!, ...unique.slice(1 - referencesMax)];
}

/** An id for a message that has none: the same words and files by the same person at the same time are the same message. */
export function contentMessageId(mail: {
  readonly from: { readonly name: string; readonly address: string };
  readonly date: string | null;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly { readonly sha256: string }[];
}): string {
  const files = mail.attachments.map(({ sha256 }) => sha256);
  const words = [mail.from.address || mail.from.name, mail.date, mail.subject, mail.text];
  // Without files the id stays what it was.
  const parts = files.length === 0 ? words : [...words, files];
  return `${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}@content.invalid`;
}

const fieldCharactersMax = 200_000;
const referencesMax = 500;
const idCharactersMax = 2000;

/** What stands in angle brackets. One that is never closed was cut off, and names nothing. */
function bracketedIds(text: string): string[] {
  const ids: string[] = [];
  let start = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 60) start = i + 1;
    else if (code === 62 && start >= 0) {
      ids.push(...readBracketed(text.slice(start, i)));
      start = -1;
    }
  }
  return ids;
}

function readBracketed(inside: string): string[] {
  if (!/\s/.test(inside)) return isUsable(inside) ? [inside] : [];
  const words = inside.trim().split(/[\s,]+/);
  if (words.length > 1 && words.every((word) => /.@./.test(word))) return words.filter(isUsable);
  // Archives that hide addresses write "id at host".
  const joined = inside.includes("@")
    ? words.join("")
    : inside
        .trim()
        .replace(/\sat\s/, "@")
        .replace(/\s+/g, "");
  return isUsable(joined) ? [joined] : [];
}

const isBareId = (word: string) => /^[^<>@()"]+@[^<>@()"]+$/.test(word) && /\d/.test(word) && isUsable(word);

const isUsable = (id: string) =>
  id.length >= 3 && id.length <= idCharactersMax && /[a-z0-9\u0080-\uffff]/i.test(id) && !hasControl(id);

function hasControl(id: string): boolean {
  for (let i = 0; i < id.length; i++) if (id.charCodeAt(i) <= 32 || id.charCodeAt(i) === 127) return true;
  return false;
}

function stripComments(text: string): string {
  let out = "";
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) out += character;
  }
  return out;
}
