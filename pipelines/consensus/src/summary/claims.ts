import { oneLine, type Post } from "./post.ts";

/** Support for a sentence: the cited messages, and common knowledge of the thread. */
export interface Ground {
  /** The words of the cited messages and their subjects, small. */
  readonly cited: ReadonlySet<string>;
  /** Year, month and day of the cited messages. */
  readonly days: ReadonlySet<string>;
  /** The words of the whole thread and of its participants' names, small. */
  readonly known: ReadonlySet<string>;
  /** The words of the participants' names, small. */
  readonly names: ReadonlySet<string>;
  /** Drafts, RFCs, issues and addresses named in the cited messages. */
  readonly references: ReadonlySet<string>;
  readonly quoteWords: ReadonlySet<string>;
  /** Numbers of different messages, and people, cited. */
  readonly counts: ReadonlySet<number>;
}

/** The first unsupported claim of a sentence; undefined if all are supported. */
export function findUnsupported(sentence: string, ground: Ground): string | undefined {
  return (
    findReference(sentence, ground) ??
    findNumber(sentence, ground) ??
    findQuantity(sentence, ground) ??
    findName(sentence, ground) ??
    findForeign(sentence, ground)
  );
}

/** Lower-case words and numbers; scripts without spaces give a word for each character. */
export const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[\p{L}\p{M}]+|\p{N}+/gu) ?? [];

const references = new RegExp(
  [
    "\\b(?:rfc|bcp|std|cve)[\\s-]?\\d[\\d-]*",
    "\\bdraft-[a-z0-9-]{3,80}",
    "(?<![\\w&])#\\d+",
    "\\bhttps?://[^\\s<>\"'”)]{1,300}",
  ].join("|"),
  "gi",
);

/** Drafts and RFCs in one spelling. */
export function referencesOf(text: string): readonly string[] {
  return (text.match(references) ?? []).map((found) =>
    found
      .toLowerCase()
      .replace(/^(rfc|bcp|std|cve)[\s-]?/, "$1")
      .replace(/[.,;:-]{1,20}$/, ""),
  );
}

function findReference(sentence: string, { references }: Ground): string | undefined {
  const missing = referencesOf(sentence).find((each) => !references.has(each));
  return missing === undefined ? undefined : `no cited message names ${missing.slice(0, 80)}`;
}

/** A number occurs in a cited message; as part of a date it may be the message's. */
function findNumber(sentence: string, { cited, days, counts }: Ground): string | undefined {
  const isDated = wordsOf(sentence).some(
    (word) => months.includes(word) || (word.length === 4 && days.has(word)),
  );
  const missing = (sentence.match(/\p{N}+/gu) ?? []).find(
    (number) =>
      !cited.has(number) &&
      !cited.has(numberWords[Number(number)] ?? number) &&
      !(isDated && days.has(number)) &&
      !counts.has(Number(number)),
  );
  return missing === undefined ? undefined : `no cited message has the number ${missing.slice(0, 20)}`;
}

const numberWords = "zero one two three four five six seven eight nine ten eleven twelve dozen hundred".split(
  " ",
);
const sweeping =
  /^(?:unanimous(?:ly)?|every(?:one|body)|nobody|majority|minority|most|several|all|overwhelming\w*)$/;

const counted =
  "votes?|people|persons|participants|members|supporters|objections|objectors|in favou?r|against";
const tally = new RegExp(
  `([\\p{L}\\p{N}]{1,12}) (?:(?:binding|positive|negative|other|more) )?(?:${counted})(?![\\p{L}\\p{N}])`,
  "gu",
);

/** A count of people or votes needs evidence: in the quote, or by as many citations. */
function findQuantity(sentence: string, { cited, counts, quoteWords }: Ground): string | undefined {
  for (const [, word] of sentence.toLowerCase().matchAll(tally)) {
    const value = /^\d+$/.test(word!) ? Number(word) : numberWords.indexOf(word!);
    const isShown = quoteWords.has(word!) || quoteWords.has(`${value}`) || counts.has(value);
    if (value >= 0 && !isShown) return `its quotes do not count ${word}`;
  }
  for (const word of wordsOf(sentence)) {
    const value = numberWords.indexOf(word);
    const isCounted = value > 1 && !cited.has(word) && !cited.has(`${value}`) && !counts.has(value);
    const isSweeping = sweeping.test(word) && !cited.has(word) && !isSeveral(word, counts);
    if (isCounted || isSweeping) return `no cited message says "${word}"`;
  }
  return undefined;
}

const isSeveral = (word: string, counts: ReadonlySet<number>): boolean =>
  word === "several" && [...counts].some((count) => count >= 2);

/** A capital inside a sentence, or before a verb of acting, is a name, and must be known in the thread. */
function findName(sentence: string, { known }: Ground): string | undefined {
  for (const [, inside, first] of sentence.matchAll(capitals)) {
    const name = inside ?? first ?? "";
    const parts = wordsOf(name);
    if (parts.length > 0 && !parts.every((part) => known.has(part) || plainCapitals.has(part))) {
      return `nobody in the thread is called, or speaks of, ${name.slice(0, 60)}`;
    }
  }
  return undefined;
}

const capitals = new RegExp(
  [
    `(?<=[\\p{L}\\p{N},;:’'")\\]] )["'“(]?(\\p{Lu}[\\p{L}\\p{M}-]*)`,
    "^(\\p{Lu}[\\p{L}\\p{M}-]*)(?= \\p{Ll}{2,20}s\\b| \\p{Lu})",
  ].join("|"),
  "gu",
);
const plainCapitals: ReadonlySet<string> = new Set(
  (
    "i the a an this that they we he she it working group chair both some others one " +
    "january february march april may june july august september october november december " +
    "monday tuesday wednesday thursday friday saturday sunday ietf rfc"
  ).split(" "),
);

/** Words about a discussion, not about its matter. */
const telling = new RegExp(
  `^(?:${[
    "says?|said|asks?|asked|note[sd]?|stat(?:e[sd]?|ing)|would|should|could|that|this|with|from|have|because",
    "about|which|their|there|being|also|other|while|since|when|where|what|whether|after|before|against",
    "(?:sugges|propos|think|believ|argu|object|suppor|agree|disagr|point|want|writ|expla|repl|respo)\\w*",
    "(?:conce|conclu|decid|discus|messag|threa|group|peop|participan|author|offer|announ|confir)\\w*",
    "(?:questi|prefer|consid|remain|oppos|favo|appro|accep|reject|consens|call|chair|draft)\\w*",
  ].join("|")})$`,
);

/**
 * A sentence unrelated to its sources: less than a third of its words of substance are in the cited
 * messages, or none is in the quotes.
 */
function findForeign(sentence: string, { cited, names, quoteWords }: Ground): string | undefined {
  const words = [...new Set(wordsOf(sentence))].filter(
    (word) => (word.length >= 4 || word > "\u0e00") && !names.has(word) && !telling.test(word),
  );
  if (words.length === 0) return undefined;
  const stem = (word: string): string => word.slice(0, 5);
  const [inCited, inQuote] = [new Set([...cited].map(stem)), new Set([...quoteWords].map(stem))];
  const borne = words.filter((word) => inCited.has(stem(word)) || inQuote.has(stem(word)));
  if (borne.length * 3 < words.length) return "its words are not those of the cited messages";
  return words.some((word) => inQuote.has(stem(word))) ? undefined : "its words are not those of the quotes";
}

const months = "january february march april may june july august september october november december".split(
  " ",
);

/** The words of a message: text, subject, and author. */
export const messageWords = (post: Post): readonly string[] => [
  ...wordsOf(oneLine(post.clean)),
  ...wordsOf(post.subject),
  ...personWords(post),
];

/** The day of a message in figures and words. */
export function dayWords({ date }: Post): readonly string[] {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(date ?? "") ?? [];
  if (!year || !month || !day) return [];
  return [year, month, day, `${Number(month)}`, `${Number(day)}`, months[Number(month) - 1] ?? ""];
}

export const personWords = ({ from }: Post): readonly string[] => wordsOf(`${from.name} ${from.address}`);
