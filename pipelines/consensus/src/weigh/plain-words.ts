/** No position is taken in a longer sentence. */
export const sentenceLengthMax = 1_200;

/**
 * A sentence simplified for the rules: small letters, one space between words, punctuation as separate words,
 * contractions in full ("I don't" is `i do not`).
 */
export function simplify(sentence: string): string {
  const words: string[] = [];
  for (const [token] of sentence.slice(0, sentenceLengthMax).matchAll(tokens)) words.push(inFull(token));
  return words.join(" ");
}

const tokens =
  /[+−–-]\d+(?:\.\d+)?|\p{L}[\p{L}\p{M}\p{N}]*(?:['’-]\p{L}[\p{L}\p{M}\p{N}]*)*|\p{N}+|[,;:.!?()…—–-]/gu;

const whole: Readonly<Record<string, string>> = {
  "can't": "can not",
  cant: "can not",
  cannot: "can not",
  "won't": "will not",
  wont: "will not",
  "shan't": "shall not",
  dont: "do not",
  doesnt: "does not",
  didnt: "did not",
  isnt: "is not",
  arent: "are not",
  shouldnt: "should not",
  wouldnt: "would not",
  im: "i am",
  ive: "i have",
  "let's": "let us",
  lets: "let us",
  "it's": "it is",
  "that's": "that is",
  "there's": "there is",
  "here's": "here is",
  "what's": "what is",
  "—": "-",
  "–": "-",
};
const endings: readonly (readonly [string, string])[] = [
  ["n't", " not"],
  ["'m", " am"],
  ["'re", " are"],
  ["'ve", " have"],
  ["'ll", " will"],
  ["'d", " would"],
  ["'s", " 's"],
];

function inFull(token: string): string {
  const word = token.toLowerCase().replaceAll("’", "'").replace(/^[−–]/, "-");
  if (Object.hasOwn(whole, word)) return whole[word]!;
  const ending = endings.find(([short]) => word.length > short.length && word.endsWith(short));
  return ending ? word.slice(0, -ending[0].length) + ending[1] : word;
}
