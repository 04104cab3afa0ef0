import { type PersonKey, plainKey } from "./person-key.ts";
import {
  type AssessmentDocument,
  openQuestions,
  type Person,
  type PositionDocument,
  type SummaryDocument,
  type ThreadDocument,
} from "./thread-report.ts";

export interface ListDigestInput {
  readonly list: string;
  /** Documents of each thread, without messages. */
  readonly threads: readonly {
    readonly thread: ThreadDocument;
    readonly assessment: AssessmentDocument | null;
    readonly positions: readonly PositionDocument[];
    readonly summary: SummaryDocument | null;
  }[];
}

export interface Remark {
  readonly by: Person;
  readonly message: string;
  readonly quote: string;
}

export interface DigestEntry {
  readonly thread: string;
  readonly title: string;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly messages: number;
  readonly participants: number;
  readonly level: AssessmentDocument["level"] | null;
  readonly confidence: number | null;
  /** The first sentence of the summary, empty if none. */
  readonly line: string;
  readonly decisions: readonly (Remark & { readonly kind: string })[];
  readonly openQuestions: readonly Remark[];
  readonly tally: AssessmentDocument["tally"];
}

/** A list at a glance: its threads, the newest activity first. */
export interface ListDigest {
  readonly kind: "digest";
  readonly list: string;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly threads: number;
  readonly messages: number;
  readonly participants: number;
  /** Threads per level; threads not weighed yet are left out. */
  readonly levels: Readonly<Record<AssessmentDocument["level"], number>>;
  readonly entries: readonly DigestEntry[];
}

export function listDigest({ list, threads }: ListDigestInput, keyOf: PersonKey = plainKey): ListDigest {
  const levels = { strong: 0, rough: 0, contested: 0, none: 0, undecided: 0 };
  const people = new Set<string>();
  for (const { thread, assessment } of threads) {
    if (assessment !== null) levels[assessment.level] += 1;
    for (const person of thread.participants) people.add(keyOf(person));
  }
  const dates = threads
    .flatMap(({ thread }) => [thread.firstDate, thread.lastDate])
    .filter((each) => each !== null);
  const span = dates.sort();
  return {
    kind: "digest",
    list,
    firstDate: span[0] ?? null,
    lastDate: span.at(-1) ?? null,
    threads: threads.length,
    messages: threads.reduce((sum, { thread }) => sum + thread.messages.length, 0),
    participants: people.size,
    levels,
    entries: threads.map(makeEntry).sort(byActivity),
  };
}

function makeEntry({
  thread,
  assessment,
  positions,
  summary,
}: ListDigestInput["threads"][number]): DigestEntry {
  return {
    thread: thread.id,
    title: thread.subject,
    firstDate: thread.firstDate,
    lastDate: thread.lastDate,
    messages: thread.messages.length,
    participants: thread.participants.length,
    level: assessment?.level ?? null,
    confidence: assessment?.confidence ?? null,
    line: summary?.sentences[0]?.text ?? "",
    decisions: (assessment?.decisions ?? []).map(({ kind, by, message, quote }) => ({
      kind,
      by,
      message,
      quote,
    })),
    openQuestions: openQuestions(thread, positions).map(({ person, message, quote }) => ({
      by: person,
      message,
      quote,
    })),
    tally: assessment?.tally ?? null,
  };
}

/** Threads without a date come last. */
function byActivity(a: DigestEntry, b: DigestEntry): number {
  const [one, other] = [a.lastDate ?? "", b.lastDate ?? ""];
  if (one !== other) return one < other ? 1 : -1;
  return a.thread < b.thread ? -1 : a.thread > b.thread ? 1 : 0;
}
