/** Pro-forms: words that stand for a noun and have to be resolved by the reader. */
const proForm =
  /\b(?:whoever|whatever|who|whom|whose|somebody|nobody|everybody|it|its|that|these|those|they|them|others?|ones?)\b/gi;

/** Words and pro-forms of a text. */
export interface Prose {
  readonly words: number;
  readonly proForms: number;
}

/** Counts the words of a text; code in backticks is one word. */
export function countProse(text: string): Prose {
  const plain = text.replace(/`[^`]*`/g, "code");
  return {
    words: plain.split(/\s+/).filter((word) => /\p{Letter}/u.test(word)).length,
    proForms: plain.match(proForm)?.length ?? 0,
  };
}

/** Pro-forms per 100 words of all texts together. */
export function proFormsPerHundred(texts: readonly string[]): number {
  const counts = texts.map(countProse);
  const words = counts.reduce((sum, count) => sum + count.words, 0);
  const proForms = counts.reduce((sum, count) => sum + count.proForms, 0);
  return words === 0 ? 0 : (100 * proForms) / words;
}

/** The comments of a TypeScript source: line comments, and blocks without their stars. */
export function commentsOf(source: string): string[] {
  const comments: string[] = [];
  for (const match of source.matchAll(/\/\*([\s\S]*?)\*\/|(?:^|\s)\/\/(.*)$/gm)) {
    const text = (match[1] ?? match[2] ?? "").replace(/^\s*\*\s?/gm, "").trim();
    if (text !== "" && !text.startsWith("biome-ignore")) comments.push(text);
  }
  return comments;
}

/** The prose of a page: without code blocks, and without addresses of links. */
export function proseOf(page: string): string {
  return page
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/<[^>]*>/g, "");
}
