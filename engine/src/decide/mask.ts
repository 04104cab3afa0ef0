import { cut } from "./text.ts";

const secrets: readonly (readonly [RegExp, string])[] = [
  [/(:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}@/g, "$1***@"],
  [/\b(bearer|basic)\s[\w.~+/=-]{6,500}/gi, "$1 ***"],
  [
    /\b(pass(?:word|wd)?|secret|token|api[_-]?key|authorization|signature)(["']?\s?[=:]\s?["']?)[^\s"'&,;]{1,300}/gi,
    "$1$2***",
  ],
  [/\b(?:sk|pk|ghp|xox[abp]|whsec|AKIA)[-_]?[A-Za-z0-9_-]{12,200}/g, "***"],
];

/** Text from outside for a notice: without control characters and likely secrets, on one line, cut. */
export function maskText(text: string, lengthMax = 300): string {
  const line = cut(text, 4 * lengthMax).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  return cut(
    secrets.reduce((masked, [pattern, by]) => masked.replace(pattern, by), line),
    lengthMax,
  );
}
