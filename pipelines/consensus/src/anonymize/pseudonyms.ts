import { createHmac } from "node:crypto";
import { isRobotAddress, isRobotName } from "../weigh/robots.ts";
import { isKept, isNameHere } from "./kept-words.ts";
import { type Digest, hideMachines, moveWrittenDates } from "./moments.ts";

/** Pseudonyms of people and words, stable within one copy. */
export interface Pseudonyms {
  /** A text with every word, number and address replaced; punctuation and blanks stay. */
  text(text: string): string;
  /** A name, of which no word is kept. */
  name(name: string): string;
  address(address: string): string;
  messageId(id: string): string;
  /** A name in place of the name of a list or a file. */
  label(text: string): string;
}

export interface PseudonymOptions {
  /** Without the key there is no way back; the key is not kept. */
  readonly key: Uint8Array;
  /** Every word and number of the originals, in small letters: never made up by chance. */
  readonly words: ReadonlySet<string>;
  /** Words of names, in small letters; never kept. */
  readonly nameWords: ReadonlySet<string>;
  /** Every Message-ID: in a text an id looks like an address. */
  readonly messageIds: ReadonlySet<string>;
}

export const makeDigest =
  (key: Uint8Array): Digest =>
  (kind, text) =>
    createHmac("sha256", key).update(`${kind}\n${text}`).digest();

export function makePseudonyms({ key, words, nameWords, messageIds }: PseudonymOptions): Pseudonyms {
  const digest = makeDigest(key);
  const given = new Map<string, string>();
  const taken = new Set<string>();
  /** A word for each word, absent from the originals; a longer word if all of the same length are taken. */
  function invent(kind: "word" | "number", text: string): string {
    const known = given.get(`${kind}\n${text}`);
    if (known !== undefined) return known;
    for (let tries = 0; ; tries++) {
      const length = lengthOf(kind, text) + Math.floor(tries / triesMax);
      const made = spell(kind, digest(kind, `${text}\n${tries}`), length);
      if (words.has(made) || taken.has(made) || isKept(made)) continue;
      taken.add(made);
      given.set(`${kind}\n${text}`, made);
      return made;
    }
  }
  /** A word of the rules stays in a text, unless the word is a name; a word in small letters is no name. */
  const isPlain = (text: string, small: string, at: number, whole: string): boolean => {
    if (!isKept(small)) return false;
    if (nameWords.has(small) && text !== small) return false;
    return !isNameHere(
      text,
      whole.slice(Math.max(0, at - 4), at),
      whole.slice(at + text.length, at + text.length + 4),
    );
  };
  const word = (text: string, always: boolean, at: number, whole: string): string => {
    const small = canonical(text);
    // A letter or two of a handle ("ann-o") are the same in every place.
    if (
      always
        ? small === "via" || (small.length <= 2 && text === small && isKept(small))
        : isPlain(text, small, at, whole)
    )
      return text;
    const ending = /^\p{L}{3,}?(ing|ed|ly)$/u.exec(small)?.[1] ?? "";
    return inCaseOf(text, invent("word", small.slice(0, small.length - ending.length)) + ending);
  };
  const number = (text: string): string => (isHarmless(text) ? text : invent("number", text));
  const replaceWords = (text: string, always: boolean): string =>
    hideMachines(text, digest, (part) =>
      (always ? part : moveWrittenDates(part, digest))
        .replace(phonePattern, (found) => (isPhone(found) ? replaceDigits(found) : found))
        .replace(wordPattern, (found, at: number, whole: string) =>
          /\p{Nd}/u.test(found) ? number(found) : word(found, always, at, whole),
        ),
    );
  /** Groups of a telephone number may be short, so all groups are replaced. */
  const replaceDigits = (phone: string): string => {
    const digits = [...digest("phone", phone.replace(/\D/g, ""))].map((byte) => String(byte % 10));
    return phone.replace(/\d/g, () => digits.shift() ?? "0");
  };
  const address = (text: string): string => {
    const [local = "", domain = ""] = splitAddress(text.toLowerCase());
    // The address of a program belongs to nobody, and words of programs count otherwise than words of people.
    const shown = isRobotAddress(local) ? local : invent("word", `local ${local}@${domain}`);
    return `${shown}@${invent("word", `domain ${domain}`)}.invalid`;
  };
  const messageId = (id: string): string =>
    `${digest("id", id).toString("hex").slice(0, idLength)}@id.invalid`;
  return {
    text: (text) =>
      splitAddresses(text)
        .map(({ part, isAddress }) =>
          !isAddress ? replaceWords(part, false) : messageIds.has(part) ? messageId(part) : address(part),
        )
        .join(""),
    name: (name) => (isRobotName(name) ? name : replaceWords(name, true)),
    address: (text) => (text === "" ? "" : address(text)),
    messageId,
    label: (text) => invent("word", `label ${text}`),
  };
}

const triesMax = 20;
const idLength = 24;
const shortest = 3;
const usual = 10;

/** Runs of letters, and runs of digits; joining characters stay. */
export const wordPattern = /[\p{L}\p{M}]+|\p{Nd}+/gu;
export const canonical = (word: string): string => word.normalize("NFC").toLowerCase();

const phonePattern = /\+?\(?\d[\d\s()./-]{5,30}\d/g;
const isPhone = (text: string): boolean =>
  text.replace(/\D/g, "").length >= 7 && !/^\d{4}-\d\d-\d\d$/.test(text.trim()) && !text.includes("\n");

/** Numbers without a person: short, a year, or a round quantity. */
const isHarmless = (digits: string): boolean =>
  digits.length <= 2 || /^(?:(?:19[789]|20[0-9])\d|10{2,6})$/.test(digits);

/** A word made from a prefix is as long as a usual name. */
function lengthOf(kind: "word" | "number", text: string): number {
  if (text.includes(" ")) return usual;
  return kind === "number" ? text.length : Math.max(shortest, [...text].length);
}

const consonants = "bdfgklmnprstvz";
const vowels = "aeiou";

/** A pronounceable word and no abbreviation: abbreviations mean something in a subject. */
function spell(kind: "word" | "number", digest: Buffer, length: number): string {
  const letters = Array.from({ length }, (_, at) => {
    const byte = digest[at % digest.length] as number;
    if (kind === "number") return String(at === 0 ? 1 + (byte % 9) : byte % 10);
    const from = at % 2 === 0 ? consonants : vowels;
    return from[byte % from.length] as string;
  });
  return letters.join("");
}

function inCaseOf(text: string, made: string): string {
  const isUpper = (part: string) => part !== part.toLowerCase() && part === part.toUpperCase();
  if ([...text].length > 1 && isUpper(text)) return made.toUpperCase();
  return isUpper([...text][0] ?? "") ? (made[0] as string).toUpperCase() + made.slice(1) : made;
}

function splitAddress(text: string): [string, string] {
  const at = text.lastIndexOf("@");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

const edge = /[\s<>()[\]"',;:|]/;
const sideMax = 500;

/** A text as addresses and the parts between. The search begins at each @ sign: a pattern would try each letter. */
function splitAddresses(text: string): { readonly part: string; readonly isAddress: boolean }[] {
  const parts: { part: string; isAddress: boolean }[] = [];
  let last = 0;
  for (let sign = text.indexOf("@"); sign >= 0; sign = text.indexOf("@", Math.max(sign + 1, last))) {
    let start = sign;
    while (start > last && sign - start < sideMax && !edge.test(text[start - 1] as string)) start--;
    let end = sign + 1;
    while (end < text.length && end - sign < sideMax && !edge.test(text[end] as string)) end++;
    while (end > sign + 1 && ".?!".includes(text[end - 1] as string)) end--;
    if (start === sign || end === sign + 1) continue;
    parts.push(
      { part: text.slice(last, start), isAddress: false },
      { part: text.slice(start, end), isAddress: true },
    );
    last = end;
  }
  parts.push({ part: text.slice(last), isAddress: false });
  return parts;
}
