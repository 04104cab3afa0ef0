import { maskSecrets } from "../decide/mask.ts";
import { storable } from "../decide/text.ts";
import { read } from "../decide/thrown.ts";

/** JSON fit for any output: nothing circular, nothing huge, no recognisable secret. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

const textLengthMax = 4_000;
const depthMax = 5;
const itemsMax = 50;

/** A copy of any value, safe to write. Total: every input has a result. */
export function plain(value: unknown, depth = 0): Plain {
  switch (typeof value) {
    case "string":
      return plainText(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      return depth < depthMax ? plainObject(value, depth) : "…";
    case "undefined":
      return null;
    default:
      return plainText(String(value));
  }
}

function plainObject(value: object, depth: number): Plain {
  try {
    if (value instanceof Date) return isoOf(value);
    if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => plain(item, depth + 1));
    const entries = Object.keys(value)
      .slice(0, itemsMax)
      .map((key) => [key, read(value, key)] as const)
      .filter(([, found]) => found !== undefined)
      .map(([key, found]) => [plainText(key), secretName.test(key) ? "***" : plain(found, depth + 1)]);
    return Object.fromEntries(entries);
  } catch {
    return "something that cannot be read";
  }
}

/** A moment as ISO 8601; null if invalid. */
export function isoOf(moment: unknown): string | null {
  try {
    return (moment as Date).toISOString();
  } catch {
    return null;
  }
}

/** Short, storable text with credentials masked. */
export function plainText(text: string, lengthMax = textLengthMax): string {
  const cut = text.length > 2 * lengthMax;
  // A cut address may have lost the `@` behind its credentials, so the last address is masked whole.
  const masked = maskSecrets(storable(cut ? text.slice(0, 2 * lengthMax) : text));
  const safe = cut ? masked.replace(/:\/\/[^\s"']{0,4000}$/, "://***") : masked;
  return safe.length > lengthMax ? `${storable(safe.slice(0, lengthMax))}…` : safe;
}

const secretName =
  /^(pass(word|wd|phrase)?|pwd|secret|token|authorization|cookie|api[_-]?key|private[_-]?key)$/i;
