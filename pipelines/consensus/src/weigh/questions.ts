/**
 * Whether a sentence asks. A question mark in code asks nothing; and in a mail with lost accents and quotation
 * marks ("the client?s handle") a question mark stands for any character, so only interrogative words count.
 */
export function asksSomething(sentence: string, isSure: boolean): boolean {
  const ending = sentence.slice(-endingLength);
  if (!asks.test(ending) || inCall.test(ending)) return false;
  if (!/\p{L}{2}/u.test(sentence.slice(0, -1))) return false;
  return isSure || asking.test(sentence.slice(0, 400));
}

/** Whether the question marks of a text are genuine; web addresses aside. */
export const questionsAreSure = (text: string): boolean => !lost.test(text);

const endingLength = 60;
const asks = /\?["')\]]{0,3}$/;
/** `d.addCallback(????)`. */
const inCall = /[\w\]]\([^\s()]{0,40}\?{1,8}\)$/;
const lost = /(?<![\p{L}\p{N}/=&.?#:_-])\p{L}{2,20}\?(?:s|t|re|ve|ll|d|m)(?![\p{L}\p{N}=&/?])/u;
const asking =
  /(?:^|[.,;:!?(-]\s{0,3}|\b(?:so|and|but|or|then)\s)["'(]?(?:do|does|did|is|are|was|were|can|could|would|will|should|shall|has|have|why|what|who|whose|how|when|where|which|any|anyone|anybody|isn|aren|doesn|don|didn|am|may|might)\b/i;
