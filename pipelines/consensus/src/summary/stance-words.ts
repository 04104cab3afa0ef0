/** Assertions, denials, support and opposition in a text, by single words. */
export interface Leaning {
  readonly supports: boolean;
  readonly opposes: boolean;
  /** Words under a "not", and words without, as stems. */
  readonly denied: ReadonlySet<string>;
  readonly asserted: ReadonlySet<string>;
  /** Any kind of refusal. */
  readonly isNegative: boolean;
}

/** Limit of words read: a claim and its quote are sentences. */
const wordsMax = 400;
/** A "not" reaches this many words ahead, within its clause. */
const reach = 4;

export function readLeaning(text: string): Leaning {
  const tokens = tokensOf(text);
  const denied = new Set<string>();
  const asserted = new Set<string>();
  let [supports, opposes, isNegative] = [false, false, false];
  let left = 0;
  for (const [at, token] of tokens.entries()) {
    if (/^[.;:!?,]/.test(token)) {
      left = 0;
      continue;
    }
    if (isNegation(token, tokens[at + 1])) {
      left = reach;
      isNegative = true;
      continue;
    }
    const isDenied = left > 0;
    if (left > 0) left--;
    const [backs, fights] = [supportWords.test(token), opposeWords.test(token)];
    supports ||= isDenied ? fights : backs;
    opposes ||= isDenied ? backs : fights;
    isNegative ||= refusalWords.test(token) || (fights && !isDenied);
    if (token.length >= 4) (isDenied ? denied : asserted).add(token.slice(0, 5));
  }
  return { supports, opposes, denied, asserted, isNegative };
}

/** Reason why a sentence contradicts its quotes; undefined if none is found. */
export function findInversion(sentence: string, quotes: string): string | undefined {
  const said = readLeaning(sentence);
  const shown = readLeaning(quotes);
  if (said.supports && !said.opposes && shown.opposes && !shown.supports) {
    return "it claims support where the quote opposes";
  }
  if (said.opposes && !said.supports && shown.supports && !shown.opposes) {
    return "it claims opposition where the quote supports";
  }
  if (!said.isNegative && onlyDenied(shown, said.asserted)) return "it asserts what the quote denies";
  if (!shown.isNegative && onlyDenied(said, shown.asserted)) return "it denies what the quote asserts";
  return undefined;
}

/** The most telling denied word among the words asserted by the other side. */
function onlyDenied(denier: Leaning, asserted: ReadonlySet<string>): boolean {
  return [...denier.denied].some(
    (word) => asserted.has(word) && !denier.asserted.has(word) && !faint.has(word),
  );
}

/** Words touched by a "not" only in passing. */
const faint: ReadonlySet<string> = new Set(
  "that this with have from they them been were will would very what think"
    .split(" ")
    .map((word) => word.slice(0, 5)),
);

function tokensOf(text: string): readonly string[] {
  const plain = text
    .slice(0, wordsMax * 20)
    .toLowerCase()
    .replace(/[’‘]/g, "'");
  return (plain.match(/(?<![\w.])[+\-±]\s?[01](?!\w)|[\p{L}\p{N}']+|[.;:!?,]/gu) ?? []).slice(0, wordsMax);
}

function isNegation(token: string, next: string | undefined): boolean {
  if (token === "not" && (next === "only" || next === "just")) return false;
  if (token === "no" && (next === "doubt" || next === "problem" || next === "problems")) return false;
  return negations.has(token) || token.endsWith("n't");
}

const negations: ReadonlySet<string> = new Set(
  "not no never cannot neither nor without hardly nobody none nothing nicht kein keine nie pas".split(" "),
);

/** Beginnings of words, and the endings they may have. */
const anyForm = (stems: string, endings: string): RegExp => new RegExp(`^(?:${stems})(?:${endings})?$`);

const supportWords = anyForm(
  "\\+ ?1|support|agree|favou?r|approv|accept|endors|welcom|unterstütz|dafür",
  "s|d|e|es|ed|ing|ive|al|able|en|t",
);
const opposeWords = anyForm(
  "- ?1|object|oppos|disagree|against|reject|veto|disapprov|dagegen",
  "s|d|e|es|ed|ing|ions?|ition",
);
/** Ways to say no without a "not". */
const refusalWords = anyForm(
  "refus|deny|deni|avoid|lack|fail|unable|stop|instead|drop|remov|doubt|unlikely|impossible|rather|too|only",
  "s|d|e|es|ed|ing|ped|ping|led|ling|al|ure",
);
