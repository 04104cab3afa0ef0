import type {
  AssessmentDocument,
  Person,
  PositionDocument,
  SummaryDocument,
  ThreadReport,
} from "./thread-report.ts";

/** Words of reports, in every format. */
export const levelWords: Readonly<Record<AssessmentDocument["level"], string>> = {
  strong: "Strong consensus",
  rough: "Rough consensus",
  contested: "Contested",
  none: "Nothing to decide",
  undecided: "Undecided",
};

/**
 * The level of a thread in words. Less than two people on a side make no consensus: a level above "undecided" is then
 * the decision of a maintainer or chair.
 */
export function levelTold({ outcome, positions, tally }: ThreadReport): string {
  if (outcome === null) return "";
  const sides = positions.filter(({ stance }) => stance === "support" || stance === "object").length;
  const isAlone = outcome.level === "rough" && sides + (tally === null ? 0 : tally.for + tally.against) < 2;
  return isAlone ? "Decided without a discussion" : levelWords[outcome.level];
}

export const stanceWords: Readonly<Record<PositionDocument["stance"], string>> = {
  support: "supports",
  object: "objects",
  neutral: "neutral",
  question: "asks",
};

export const asideWords = ({ by, with: other, agrees }: ThreadReport["asides"][number]): string =>
  `${nameOf(by)} ${agrees ? "agrees" : "disagrees"} with ${nameOf(other)}`;

export const linkWords = {
  draft: "Drafts",
  rfc: "RFCs",
  issue: "Issues",
  pull: "Pull requests",
  cve: "Vulnerabilities",
  message: "Other messages",
  url: "Other links",
} as const;

export const nameOf = ({ name, address }: Person): string =>
  cleanLine(name) || cleanLine(address) || "somebody";

export const dayOf = (date: string | null): string =>
  date === null ? "undated" : cleanLine(date.slice(0, 10));

export const minuteOf = (date: string | null): string =>
  date === null ? "undated" : cleanLine(date.slice(0, 16).replace("T", " "));

export function spanOf(first: string | null, last: string | null): string {
  const [from, to] = [dayOf(first), dayOf(last)];
  return from === to ? from : `${from} – ${to}`;
}

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export const percentOf = (share: number): string => `${Math.round(Math.min(Math.max(share, 0), 1) * 100)} %`;

export const voteOf = (value: number): string => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "±0");

/** `call-for-adoption` in plain words. */
export const kindOf = (kind: string): string => cleanLine(kind.replace(/[-_.]/g, " "));

/** A sentence made of its cited words needs no repetition of the quote. */
export const isSaid = (sentence: string, quote: string): boolean =>
  cleanLine(sentence).includes(cleanLine(quote));

/** Longer text is no longer read but scrolled past; the JSON report has all of it. */
const lineCharsMax = 4_000;

/**
 * Text from a mail as one line: no line breaks, nothing invisible, and no change of writing direction, which could
 * make a report read differently.
 */
export function cleanLine(text: string): string {
  const line = text
    .slice(0, lineCharsMax)
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, "")
    .trim();
  return text.length > lineCharsMax ? `${line}…` : line;
}

/** Whether a report may link there: only to the web, and only to a valid address. */
export const mayLink = (href: string | null): href is string =>
  href !== null && href.length <= 2_000 && /^https?:\/\//i.test(href);

interface Noted {
  readonly id: string;
  readonly summary: Pick<SummaryDocument, "used" | "fallback"> | null;
}

/** The mark of a summary made offline because the language model failed. */
export const fallbackWords = ({ summary }: Pick<Noted, "summary">): readonly string[] =>
  summary?.fallback === undefined
    ? []
    : [
        `Chosen offline, because ${cleanLine(summary.fallback.model)} failed: ${cleanLine(summary.fallback.why)}`,
      ];

/** For operators: another try with the model, and its cost for this thread. */
export const summaryNotes = ({ id, summary }: Noted): readonly string[] => [
  ...(summary?.fallback === undefined
    ? []
    : [`Ask the model again: headway reprocess --stage summarizing --ids ${cleanLine(id)} --apply`]),
  ...(summary?.used === undefined
    ? []
    : [
        `Language model: ${countOf(summary.used.calls, "call")}, ${summary.used.tokensIn} tokens in, ${summary.used.tokensOut} out.`,
      ]),
];
