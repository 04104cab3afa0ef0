import type { Cut, Page } from "./page.ts";

/** A signature of 16,384 bits has fewer lines than this. */
const armourLinesMax = 120;
const begin = /^-----BEGIN (PGP SIGNED MESSAGE|PGP SIGNATURE|PGP PUBLIC KEY BLOCK|PKCS7)-----$/;
const armourHeader = /^(Hash|NotDashEscaped|Version|Comment|Charset|MessageID):/;
const base64 = /^(=?[A-Za-z0-9+/]{1,100}={0,3})$/;

/** The frame of a signed message and its signature; the signed words stay. */
export function findArmour({ texts, kept }: Page): readonly Cut[] {
  const cuts: Cut[] = [];
  for (let at = 0; at < texts.length; at++) {
    const found = kept[at] ? null : begin.exec(texts[at]!);
    if (!found) continue;
    const to =
      found[1] === "PGP SIGNED MESSAGE" ? endOfHeaders(texts, at + 1) : endOfBlock(texts, at + 1, found[1]!);
    cuts.push({ from: at, to, kind: "armour" });
    at = to - 1;
  }
  return cuts;
}

function endOfHeaders(texts: readonly string[], from: number): number {
  let at = from;
  while (at < texts.length && armourHeader.test(texts[at]!)) at++;
  return at;
}

/** Up to the END line; a truncated signature ends at the first foreign line. */
function endOfBlock(texts: readonly string[], from: number, name: string): number {
  const last = Math.min(texts.length, from + armourLinesMax);
  for (let at = from; at < last; at++) if (texts[at] === `-----END ${name}-----`) return at + 1;
  let at = from;
  while (at < last && (texts[at] === "" || armourHeader.test(texts[at]!) || base64.test(texts[at]!))) at++;
  return at;
}
