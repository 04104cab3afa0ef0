import type { Fault } from "./fault.ts";
import type { SweptCollection } from "./signal.ts";

/**
 * An entry about the retry job under a name of a series: `add` to a total, `set` a level, `observe` a duration in
 * seconds.
 */
export interface TallyEntry {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly how: "add" | "set" | "observe";
  readonly amount: number;
}

/** A total or level as stored: a histogram is stored as `NAME_bucket` with the label `le`, `NAME_sum` and `NAME_count`. */
export type Tallied = Omit<TallyEntry, "how" | "amount"> & { readonly value: number };

/** The total of documents that used up their attempts: counted by the commit that buries the task. */
export const exceededTotal = "retry_job_documents_max_retries_exceeded_total";

/** Upper limits of the buckets of `retry_job_duration_seconds`. */
export const sweepBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600] as const;

interface Ended {
  readonly at: Date;
  readonly durationMs: number;
}

/** Entries of a successful sweep, with a 0 for every collection: an alert cannot see a missing series. */
export const entriesOfSweep = (
  swept: Ended & { readonly collections: readonly SweptCollection[] },
): TallyEntry[] => [
  entry("add", "retry_job_runs_total", { status: "success" }, 1),
  entry("add", "retry_job_runs_total", { status: "failure" }, 0),
  entry("observe", "retry_job_duration_seconds", {}, swept.durationMs / 1_000),
  entry("set", "retry_job_last_success_timestamp_seconds", {}, swept.at.getTime() / 1_000),
  ...swept.collections.flatMap(entriesOfCollection),
];

export const entriesOfFailure = ({ fault, durationMs }: Ended & { readonly fault: Fault }): TallyEntry[] => [
  entry("add", "retry_job_runs_total", { status: "failure" }, 1),
  entry("add", "retry_job_errors_total", { error_type: fault.code }, 1),
  entry("observe", "retry_job_duration_seconds", {}, durationMs / 1_000),
];

function entriesOfCollection({ collection, ...swept }: SweptCollection): TallyEntry[] {
  const of = { collection };
  return [
    entry("add", "retry_job_documents_requeued_total", of, swept.requeued),
    entry("add", "retry_job_documents_skipped_backoff_total", of, swept.skippedBackoff),
    entry("add", exceededTotal, of, 0),
    entry("set", "retry_job_stuck_documents", of, swept.stuck),
    entry("set", "retry_job_failed_documents", of, swept.failed),
  ];
}

const entry = (
  how: TallyEntry["how"],
  name: string,
  labels: TallyEntry["labels"],
  amount: number,
): TallyEntry => ({ name, labels, how, amount });

/** The rows of entries in the table: values to add, and values to set. */
export function rowsOfEntries(entries: readonly TallyEntry[]): {
  readonly add: readonly Tallied[];
  readonly set: readonly Tallied[];
} {
  const row = ({ name, labels, amount }: TallyEntry): Tallied => ({ name, labels, value: amount });
  return {
    add: entries.flatMap((one) =>
      one.how === "add" ? [row(one)] : one.how === "observe" ? rowsOfDuration(one) : [],
    ),
    set: entries.filter(({ how }) => how === "set").map(row),
  };
}

const rowsOfDuration = ({ name, labels, amount }: TallyEntry): Tallied[] => [
  ...[...sweepBuckets, Number.POSITIVE_INFINITY].map((le) => ({
    name: `${name}_bucket`,
    labels: { ...labels, le: Number.isFinite(le) ? String(le) : "+Inf" },
    value: amount <= le ? 1 : 0,
  })),
  { name: `${name}_sum`, labels, value: amount },
  { name: `${name}_count`, labels, value: 1 },
];
