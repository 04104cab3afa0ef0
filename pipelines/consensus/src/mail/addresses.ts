import { decodeHeaderText } from "./encoded-words.ts";

export interface Mailbox {
  readonly name: string;
  /** With a lower-case domain; "" if none. */
  readonly address: string;
}

/** The mailboxes of a field such as From, in order; a mailbox without an address keeps its name. */
export function readMailboxes(field: string, hint: string | null): Mailbox[] {
  const boxes: Mailbox[] = [];
  let held = "";
  for (const piece of splitAtCommas(field.slice(0, fieldCharactersMax))) {
    const whole = held === "" ? piece : `${held}, ${piece}`;
    const box = readMailbox(whole, hint);
    // "Doe, Ann <ann@host>": the comma belongs to an unquoted name.
    if (box.address === "" && held === "" && !/^\s*$/.test(piece)) held = piece;
    else {
      if (box.address !== "" || box.name !== "") boxes.push(box);
      held = "";
    }
    if (boxes.length >= boxesMax) return boxes;
  }
  if (held !== "") boxes.push(readMailbox(held, hint));
  return boxes.filter((box) => box.address !== "" || box.name !== "");
}

const fieldCharactersMax = 20_000;
const boxesMax = 50;

/** Splits at commas outside of quotes, comments, angle brackets and encoded words; groups are opened. */
function splitAtCommas(field: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  let isQuoted = false;
  let isAngled = false;
  for (let i = 0; i < field.length; i++) {
    const character = field[i]!;
    if (character === "\\") i++;
    else if (character === '"' && depth === 0) isQuoted = !isQuoted && field.indexOf('"', i + 1) > 0;
    else if (isQuoted) continue;
    else if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (depth > 0) continue;
    else if (character === "=" && field[i + 1] === "?") i = endOfEncodedWord(field, i) - 1;
    else if (character === "<") isAngled = true;
    else if (character === ">") isAngled = false;
    else if (isAngled) continue;
    else if (character === ":" && isGroup(field, start, i)) start = i + 1;
    else if (character === "," || character === ";") {
      pieces.push(field.slice(start, i));
      start = i + 1;
    }
  }
  pieces.push(field.slice(start));
  return pieces;
}

/** `Friends: ann@host, bob@host;` */
const isGroup = (field: string, start: number, colon: number) =>
  colon - start < 200 && !/[<>@]/.test(field.slice(start, colon)) && field.indexOf(";", colon) > 0;

function endOfEncodedWord(field: string, at: number): number {
  const match = /^=\?[^?]{1,60}\?[bq]\?[^?]{0,900}\?=/i.exec(field.slice(at, at + 980));
  return match ? at + match[0].length : at + 2;
}

function readMailbox(piece: string, hint: string | null): Mailbox {
  const { outside, comments, angled } = takeApart(piece);
  const decode = (text: string) => tidy(decodeHeaderText(text, hint).text);
  const inAngles = angled.map(readAddress).find((address) => address !== "");
  if (inAngles !== undefined) {
    return { name: decode(outside) || decode(comments), address: decode(inAngles) };
  }
  const bare = readAddress(outside);
  if (bare !== "") return { name: decode(comments), address: decode(bare) };
  // `Ann Doe ann@host`: the address is the word with the `@`.
  const word = outside.split(/\s+/).find((each) => /^[^@\s]+@[^@\s]+$/.test(each));
  if (word !== undefined) {
    const address = readAddress(word);
    if (address !== "") return { name: decode(outside.replace(word, " ")) || decode(comments), address };
  }
  const name = decode(outside) || decode(comments) || decode(angled.join(" "));
  const encoded = /^([^<>]*)<([^<>\s@]+@[^<>\s]+)>\s*$/.exec(name);
  // Some mailers encode the whole field, address and all.
  if (encoded) return { name: tidy(encoded[1]!), address: readAddress(encoded[2]!) };
  const plain = name.includes("@") ? readAddress(name) : "";
  return plain === "" ? { name, address: "" } : { name: "", address: plain };
}

/** A piece as text in angle brackets, in comments, and outside of both without quotation marks. */
function takeApart(piece: string): { outside: string; comments: string; angled: string[] } {
  let outside = "";
  let comments = "";
  const angled: string[] = [];
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < piece.length; i++) {
    const character = piece[i]!;
    if (character === "\\" && i + 1 < piece.length && (isQuoted || depth > 0)) {
      const next = piece[++i]!;
      if (depth > 0) comments += next;
      else outside += next;
    } else if (depth > 0) {
      if (character === "(") depth++;
      if (character === ")") depth--;
      comments += depth > 0 ? character : " ";
    } else if (character === '"') {
      isQuoted = !isQuoted && piece.indexOf('"', i + 1) > 0;
      if (!isQuoted && /[^\s,.@<]/.test(piece[i + 1] ?? " ")) outside += " ";
    } else if (isQuoted) outside += character;
    else if (hidingWord.test(piece.slice(i, i + 5))) outside += character;
    else if (character === "(") depth = piece.indexOf(")", i) > 0 ? 1 : 0;
    else if (character === "<") {
      const end = piece.indexOf(">", i);
      angled.push(piece.slice(i + 1, end < 0 ? piece.length : end));
      outside += " ";
      i = end < 0 ? piece.length : end;
    } else outside += character;
  }
  return { outside: outside.trim(), comments: comments.trim(), angled };
}

/** `ann (at) host <dot> org` */
const hidingWord = /^(<(at|dot)>|\((at|dot)\))/i;

/** An address, also as hidden from harvesters by archives; "" if none. */
export function readAddress(text: string): string {
  const trimmed = text
    .slice(0, 1000)
    .trim()
    .replace(/^mailto:/i, "")
    .replace(/^<+|>{1,20}$/g, "");
  // `@relay,@other:ann@host` is a route to ann@host.
  const plain = trimmed.replace(/\((?!at\)|dot\))[^()]*\)/gi, " ").trim();
  const routed = /^@[^:]*:(.*)$/s.exec(plain)?.[1] ?? plain;
  const at = routed.includes("@") ? routed : unhide(routed);
  const squeezed = at.replace(/\s{0,20}([@.])\s{0,20}/g, "$1");
  const sign = squeezed.lastIndexOf("@");
  if (sign <= 0 || sign === squeezed.length - 1) return "";
  const local = squeezed.slice(0, sign);
  const domain = squeezed
    .slice(sign + 1)
    .replace(/[.,;>]{1,20}$/, "")
    .toLowerCase();
  const isQuoted = /^"[^"]*"$/.test(local);
  if (!isQuoted && /[\s<>(),;"]/.test(local)) return "";
  if (domain === "" || /[\s<>(),;"@]/.test(domain)) return "";
  return `${local}@${domain}`;
}

function unhide(text: string): string {
  const match = /^(\S{1,200})\s*(?:\s(?:at|_at_|-at-)\s|<at>|\(at\)|\[at\]|\{at\})\s*(\S.{0,250})$/i.exec(
    text,
  );
  if (!match) return text;
  const host = match[2]!.replace(/\s{0,20}(?:\sdot\s|\(dot\)|\[dot\]|<dot>)\s{0,20}/gi, ".").trim();
  return /\s/.test(host) ? text : `${match[1]}@${host}`;
}

/** A name without doubled quotation marks and control characters. */
const tidy = (name: string) =>
  name
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here.
    .replace(/[\u0000-\u001f\u007f]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();
