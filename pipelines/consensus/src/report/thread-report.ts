import type { DocumentOf } from "@headway/engine";
import { findLinks, type Link, type LinkOptions } from "@headway/text";
import type { assessments, messages, positions, summaries, threads } from "../collections.ts";
import { type PersonKey, plainKey } from "./person-key.ts";
import { type StandingPosition, standingPositions } from "./standing-positions.ts";

export type ThreadDocument = DocumentOf<typeof threads>;
export type MessageDocument = DocumentOf<typeof messages>;
export type PositionDocument = DocumentOf<typeof positions>;
export type AssessmentDocument = DocumentOf<typeof assessments>;
export type SummaryDocument = DocumentOf<typeof summaries>;

export interface ThreadReportInput extends LinkOptions {
  readonly thread: ThreadDocument;
  /** Messages of the thread; an absent message is shown as missing. */
  readonly messages: readonly MessageDocument[];
  readonly assessment: AssessmentDocument | null;
  readonly positions: readonly PositionDocument[];
  readonly summary: SummaryDocument | null;
}

export interface Person {
  readonly name: string;
  readonly address: string;
}

/** Exact words with author and date; `number` is the message's rank in the tree. */
export interface Citation {
  readonly message: string;
  readonly number: number;
  readonly by: Person;
  readonly date: string | null;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

export interface TreeEntry {
  readonly message: string;
  readonly number: number;
  readonly depth: number;
  /** Null for an absent message of the thread. */
  readonly from: Person | null;
  readonly date: string | null;
  readonly excerpt: string;
  readonly flags: readonly string[];
  readonly attachments: number;
}

export interface FoundLink {
  readonly kind: Link["kind"];
  readonly label: string;
  readonly href: string | null;
  /** Numbers of the messages with this reference. */
  readonly numbers: readonly number[];
}

type Verdict = Pick<AssessmentDocument, "level" | "confidence" | "reasons">;

/** All facts about a thread, ready for display: plain data, the same in every format. */
export interface ThreadReport {
  readonly kind: "thread";
  readonly id: string;
  readonly list: string;
  readonly title: string;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly participants: readonly (Person & { readonly messages: number })[];
  readonly outcome: Verdict | null;
  /** What the thread asks, in the words of its proposer. */
  readonly question: (Citation & { readonly kind: string }) | null;
  /** Later questions, each with its own outcome. */
  readonly otherQuestions: readonly (Citation & { readonly kind: string } & Verdict)[];
  /** Agreement about something else than the question. */
  readonly asides: readonly (Citation & { readonly with: Person; readonly agrees: boolean })[];
  readonly summary: {
    readonly model: string;
    readonly sentences: readonly { readonly text: string; readonly citations: readonly Citation[] }[];
    /** Cost of the language model; missing: none was asked. */
    readonly used?: SummaryDocument["used"];
    /** Offline, because this language model failed. */
    readonly fallback?: SummaryDocument["fallback"];
  } | null;
  readonly decisions: readonly (Citation & { readonly kind: string })[];
  readonly calls: readonly (Citation & { readonly kind: string })[];
  readonly votes: readonly (Citation &
    Pick<AssessmentDocument["votes"][number], "value" | "binding" | "counts">)[];
  readonly tally: AssessmentDocument["tally"];
  readonly positions: readonly StandingPosition<Citation>[];
  /** What will change. */
  readonly commitments: readonly Citation[];
  readonly openQuestions: readonly Citation[];
  readonly tree: readonly TreeEntry[];
  readonly links: readonly FoundLink[];
  readonly flagged: readonly TreeEntry[];
  readonly verification: {
    /** The model's sentences without support in a message. */
    readonly dropped: number;
    /** Quotes not found word for word at their position; never shown. */
    readonly unverified: number;
    /** Removed stretches of the messages, by kind. */
    readonly removed: Readonly<Record<string, number>>;
  };
}

const excerptCharsMax = 240;
const linksMax = 200;

export function threadReport(input: ThreadReportInput, keyOf: PersonKey = plainKey): ThreadReport {
  const { thread, assessment, summary } = input;
  const tree = makeTree(input);
  const verify = makeVerifier(input, tree);
  const sentences = (summary?.sentences ?? []).map(({ text, citations }) => ({
    text,
    citations: citations.flatMap((each) => verify.cite(each, null)),
  }));
  const supported = sentences.filter(({ citations }) => citations.length > 0);
  const stances = standingPositions(input.positions, (each) => verify.cite(each, each.person), keyOf);
  const cited = <Each extends Quoted & { readonly by: Person }, Kept>(
    all: readonly Each[],
    keep: (each: Each) => Kept,
  ) => all.flatMap((each) => verify.cite(each, each.by).map((citation) => ({ ...citation, ...keep(each) })));
  const kindOf = ({ kind }: { readonly kind: string }) => ({ kind });
  return {
    kind: "thread",
    id: thread.id,
    list: thread.list,
    title: thread.subject,
    firstDate: thread.firstDate,
    lastDate: thread.lastDate,
    participants: countMessages(input),
    outcome: assessment && verdictOf(assessment),
    question: cited(assessment?.question?.quote ? [assessment.question] : [], kindOf)[0] ?? null,
    otherQuestions: cited(assessment?.otherQuestions ?? [], (each) => ({
      ...kindOf(each),
      ...verdictOf(each),
    })),
    asides: cited(assessment?.asides ?? [], ({ with: other, agrees }) => ({ with: other, agrees })),
    summary: summary && {
      model: summary.model,
      sentences: supported,
      ...(summary.used && { used: summary.used }),
      ...(summary.fallback && { fallback: summary.fallback }),
    },
    decisions: cited(assessment?.decisions ?? [], kindOf),
    calls: cited(assessment?.calls ?? [], kindOf),
    votes: cited(assessment?.votes ?? [], ({ value, binding, counts }) => ({ value, binding, counts })),
    tally: assessment?.tally ?? null,
    positions: stances.filter(({ stance }) => stance !== "question"),
    commitments: cited(assessment?.commitments ?? [], () => ({})),
    openQuestions: openQuestions(thread, input.positions).flatMap((each) => verify.cite(each, each.person)),
    tree,
    links: collectLinks(input, tree),
    flagged: tree.filter(({ flags }) => flags.length > 0),
    verification: {
      dropped: (summary?.dropped ?? 0) + sentences.length - supported.length,
      unverified: verify.unverified.size,
      removed: countRemovals(input.messages),
    },
  };
}

const verdictOf = ({ level, confidence, reasons }: Verdict): Verdict => ({ level, confidence, reasons });

/** Standing questions in messages without an answer. */
export function openQuestions(
  thread: ThreadDocument,
  all: readonly PositionDocument[],
): readonly PositionDocument[] {
  const answered = new Set(thread.messages.map(({ parent }) => parent));
  return all.filter(
    ({ stance, supersededBy, message }) =>
      stance === "question" && supersededBy === null && !answered.has(message),
  );
}

function makeTree({ thread, messages: known }: ThreadReportInput): readonly TreeEntry[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  const depths = new Map<string | null, number>([[null, -1]]);
  return thread.messages.map(({ message: id, parent }, place) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    const message = byId.get(id);
    return {
      message: id,
      number: place + 1,
      depth,
      from: message?.from ?? null,
      date: message?.date ?? null,
      excerpt: excerptOf(message?.clean ?? ""),
      flags: message?.flags ?? [],
      attachments: message?.attachments.length ?? 0,
    };
  });
}

function excerptOf(text: string): string {
  // Enough for the excerpt, so a message of megabytes is not rewritten for one line.
  const words = text
    .slice(0, excerptCharsMax * 4)
    .replace(/\s+/g, " ")
    .trim();
  if (words.length <= excerptCharsMax) return words;
  const cut = words.slice(0, excerptCharsMax);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), excerptCharsMax / 2))}…`;
}

type Quoted = Pick<Citation, "message" | "start" | "end" | "quote">;

/** Cites only words found in the message at their position; the rest is counted. */
function makeVerifier({ messages: known }: ThreadReportInput, tree: readonly TreeEntry[]) {
  const byId = new Map(known.map((message) => [message.id, message]));
  const numbers = new Map(tree.map(({ message, number }) => [message, number]));
  const unverified = new Set<string>();
  const cite = ({ message: id, start, end, quote }: Quoted, by: Person | null): readonly Citation[] => {
    const message = byId.get(id);
    const number = numbers.get(id);
    if (message === undefined || number === undefined || message.clean.slice(start, end) !== quote) {
      unverified.add(JSON.stringify([id, start, end, quote]));
      return [];
    }
    return [{ message: id, number, by: by ?? message.from, date: message.date, start, end, quote }];
  };
  return { cite, unverified };
}

function countMessages({ thread, messages: known }: ThreadReportInput): ThreadReport["participants"] {
  const counts = new Map<string, number>();
  for (const { from } of known) counts.set(keyOf(from), (counts.get(keyOf(from)) ?? 0) + 1);
  return thread.participants
    .map(({ name, address }) => ({ name, address, messages: counts.get(keyOf({ name, address })) ?? 0 }))
    .sort((a, b) => b.messages - a.messages);
}

const keyOf = ({ name, address }: Person): string => (address || name).toLowerCase();

function collectLinks(
  { messages: known, issueBase }: ThreadReportInput,
  tree: readonly TreeEntry[],
): readonly FoundLink[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  const options = issueBase === undefined ? {} : { issueBase };
  const found = new Map<string, { link: Link; numbers: number[] }>();
  for (const { message, number } of tree) {
    for (const link of findLinks(byId.get(message)?.clean ?? "", options)) {
      const key = `${link.kind} ${link.label}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { link, numbers: [number] });
      else if (known.numbers.at(-1) !== number) known.numbers.push(number);
    }
  }
  const kinds: readonly Link["kind"][] = ["draft", "rfc", "issue", "pull", "cve", "message", "url"];
  return [...found.values()]
    .map(({ link: { kind, label, href }, numbers }) => ({ kind, label, href, numbers }))
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .slice(0, linksMax);
}

function countRemovals(known: readonly MessageDocument[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { removed } of known) {
    for (const { kind } of removed) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
