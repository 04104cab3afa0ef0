/** A normalised text, with the original position of each character. */
export interface Folded {
  readonly text: string;
  readonly places: Uint32Array;
}

/**
 * Position of a quote in a text, ignoring white space, quotation marks, dashes, accents, case and omitted middles
 * ("…"); of several, the nearest to the stated position. Linear in both.
 */
export function findQuote(
  folded: Folded,
  quote: string,
  near = 0,
): { readonly start: number; readonly end: number } | undefined {
  const given = fold(quote).text.trim();
  const wanted = trimSigns(given);
  if (wanted === "") return undefined;
  for (const words of wanted === given ? [wanted] : [given, wanted]) {
    const at = nearest(folded, words, near);
    if (at !== undefined) return spanOf(folded, at, at + words.length);
  }
  const parts = wanted.split("...").map(trimSigns);
  if (parts.length < 2 || parts.length > partsMax || parts.some((part) => part.length < partLengthMin)) {
    return undefined;
  }
  return findParts(folded, parts);
}

const partsMax = 4;
const partLengthMin = 8;
/** The omitted text between two parts of a quote must be shorter than a page. */
const gapMax = 2_000;

function findParts(folded: Folded, parts: readonly string[]) {
  const first = search(folded.text, parts[0]!, 0, 1)[0];
  if (first === undefined) return undefined;
  let end = first + parts[0]!.length;
  for (const part of parts.slice(1)) {
    const at = search(folded.text, part, end, 1)[0];
    if (at === undefined || at - end > gapMax) return undefined;
    end = at + part.length;
  }
  return spanOf(folded, first, end);
}

/** Normalises a text once for many queries. */
export function fold(text: string): Folded {
  const characters: string[] = [];
  const places: number[] = [];
  let isSpaced = true;
  for (let at = 0; at < text.length; at++) {
    const sign = foldSign(text[at]!);
    if (sign === "" || (sign === " " && isSpaced)) continue;
    isSpaced = sign === " ";
    for (const each of sign) {
      characters.push(each);
      places.push(at);
    }
  }
  return { text: characters.join(""), places: Uint32Array.from(places) };
}

/** One normalised UTF-16 unit: nothing, a space, or small letters and plain signs. */
function foldSign(unit: string): string {
  if (unit >= "a" && unit <= "z") return unit;
  if (/\s/.test(unit)) return " ";
  if (/[\p{Cc}\p{Cf}\p{M}]/u.test(unit)) return "";
  if (/["“”„‟«»‹›'‘’‚‛`´]/.test(unit)) return "'";
  if (/[‐‑‒–—―−]/.test(unit)) return "-";
  if (unit === "…") return "...";
  const bare = unit.normalize("NFD")[0] ?? unit;
  const small = bare.toLowerCase();
  return small.length === 1 ? small : bare;
}

const trimSigns = (text: string): string => trimWhile(trimWhile(text, "start"), "end");

function trimWhile(text: string, side: "start" | "end"): string {
  let [start, end] = [0, text.length];
  const isSign = (sign: string | undefined) => sign !== undefined && " '.,;:!?-*_[](){}".includes(sign);
  if (side === "start") while (start < end && isSign(text[start]) && !isVoteAt(text, start)) start++;
  else while (end > start && isSign(text[end - 1])) end--;
  return text.slice(start, end);
}

const isVoteAt = (text: string, at: number): boolean =>
  text[at] === "-" && (text[at + 1] === "1" || text[at + 1] === "0");

function nearest(folded: Folded, wanted: string, near: number): number | undefined {
  const found = search(folded.text, wanted, 0, foundMax);
  let best: number | undefined;
  for (const at of found) {
    const distance = Math.abs(folded.places[at]! - near);
    if (best === undefined || distance < Math.abs(folded.places[best]! - near)) best = at;
  }
  return best;
}

const foundMax = 10_000;

function spanOf({ places }: Folded, from: number, to: number) {
  return { start: places[from]!, end: places[to - 1]! + 1 };
}

/** Knuth–Morris–Pratt: linear for all texts. */
function search(text: string, wanted: string, from: number, countMax: number): readonly number[] {
  const back = new Int32Array(wanted.length);
  for (let at = 1, kept = 0; at < wanted.length; at++) {
    while (kept > 0 && wanted[at] !== wanted[kept]) kept = back[kept - 1]!;
    if (wanted[at] === wanted[kept]) kept++;
    back[at] = kept;
  }
  const found: number[] = [];
  for (let at = from, kept = 0; at < text.length && found.length < countMax; at++) {
    while (kept > 0 && text[at] !== wanted[kept]) kept = back[kept - 1]!;
    if (text[at] === wanted[kept]) kept++;
    if (kept < wanted.length) continue;
    found.push(at - wanted.length + 1);
    kept = back[kept - 1]!;
  }
  return found;
}
