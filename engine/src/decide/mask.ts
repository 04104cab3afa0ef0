import { cut } from "./text.ts";

/** Usual places of credentials: before the `@` of an address, after `password=`, after `Bearer`. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^\s:/@"']{0,500}:[^\s"']{0,2000}@/g, "://***@"],
  [/:\/\/[^\s:/@"']{1,2000}@/g, "://***@"],
  [
    /\b(pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)(["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"'&,;]+/gi,
    "$1$2***",
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 ***"],
  [/\b(?:(?:sk|pk|ghp|xox[abp]|whsec)[-_]|AKIA)[A-Za-z0-9_-]{12,200}/g, "***"],
];

export const maskSecrets = (text: string): string =>
  secrets.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text);

/** Text from outside for a notice: without control characters and likely secrets, on one line, cut. */
export function maskText(text: string, lengthMax = 300): string {
  const line = cut(text, 4 * lengthMax).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  return cut(maskSecrets(line), lengthMax);
}
