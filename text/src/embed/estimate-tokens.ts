/**
 * Token boundaries for a model with an unknown tokenizer: a few letters each, signs and letters beyond ASCII one by
 * one. Rather too many than too few, because a model cuts off the excess.
 */
export function estimateTokens(text: string): { readonly starts: number[]; readonly ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const found of text.matchAll(/[A-Za-z]{1,5}|[0-9]{1,2}|[^\s]/gu)) {
    starts.push(found.index);
    ends.push(found.index + found[0].length);
  }
  return { starts, ends };
}
