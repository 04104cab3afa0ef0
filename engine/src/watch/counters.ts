import type { Fault } from "../decide/fault.ts";
import type { OfTask, Signal, SweptCollection } from "../decide/signal.ts";

/** In-memory counters fed by signals, for metrics exporters. */
export interface Counters {
  heard(signal: Signal): void;
  snapshot(): Snapshot;
}

export interface Snapshot {
  readonly counters: readonly Count[];
  readonly gauges: readonly Count[];
  readonly histograms: readonly Histogram[];
  /** Label sets folded into `other` because the limit was reached. */
  readonly foldedSets: number;
}

export type Labels = Readonly<Record<string, string>>;

export interface Count {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Histogram {
  readonly name: string;
  readonly labels: Labels;
  /** Cumulative counts by upper bound; the last bucket has no bound. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  readonly sum: number;
  readonly count: number;
}

const secondsLimits = [
  0.001,
  0.005,
  0.01,
  0.05,
  0.1,
  0.5,
  1,
  5,
  10,
  30,
  60,
  300,
  600,
  Number.POSITIVE_INFINITY,
];

export function countSignals({ labelSetsMax = 200 } = {}): Counters {
  const book = openBook(labelSetsMax);
  return {
    heard(signal) {
      try {
        for (const fact of factsOf(signal)) book.enter(fact);
      } catch {
        // An unreadable signal is not counted; counting must not harm the work.
      }
    },
    snapshot: book.snapshot,
  };
}

/** An increment of a counter, a new level of a gauge, or a duration for a histogram. */
type Fact =
  | { readonly kind: "count"; readonly name: string; readonly labels: Labels; readonly by: number }
  | { readonly kind: "level"; readonly name: string; readonly labels: Labels; readonly value: number }
  | { readonly kind: "time"; readonly name: string; readonly labels: Labels; readonly seconds: number };

const count = (name: string, labels: Labels = {}, by = 1): Fact => ({ kind: "count", name, labels, by });
const level = (name: string, labels: Labels, value: number): Fact => ({ kind: "level", name, labels, value });
const time = (name: string, labels: Labels, ms: number): Fact => ({
  kind: "time",
  name,
  labels,
  seconds: ms / 1_000,
});

/** Increments caused by a signal; the compiler rejects a kind missing here and in `factsOfWhole`. */
function factsOf(signal: Signal): Fact[] {
  switch (signal.kind) {
    case "task.done":
      return [
        count("events_processed_total", { stage: signal.stage, outcome: "done" }),
        count("documents_yielded_total", ofStage(signal), signal.outputs),
        time("processing_duration_seconds", ofStage(signal), signal.durationMs),
        ...(signal.attempt > 1
          ? [count("event_retry_success_total", { ...ofStage(signal), attempt: triesOf(signal) })]
          : []),
      ];
    case "task.skipped":
      return [count("events_processed_total", { stage: signal.stage, outcome: "skipped" })];
    case "task.retried":
      return [
        count("events_processed_total", { stage: signal.stage, outcome: "retried" }),
        count("event_retry_attempts_total", {
          ...ofStage(signal),
          place: signal.inPlace ? "in-place" : "later",
        }),
        count("failures_total", ofFault(signal)),
      ];
    case "task.held":
      return [count("tasks_held_total", { stage: signal.stage, dependency: signal.dependency })];
    case "task.waiting":
      return [count("tasks_waiting_total", { stage: signal.stage, reason: signal.reason })];
    case "task.released":
      return [count("tasks_released_total", ofStage(signal))];
    case "task.died":
      return [
        count("events_processed_total", { stage: signal.stage, outcome: "dead" }),
        count("event_retry_dlq_total", { stage: signal.stage, reason: signal.reason }),
        // The limit is applied when an attempt fails, so the count is here and not with the sweep.
        ...(signal.reason === "exhausted"
          ? [count("retry_job_documents_max_retries_exceeded_total", ofCollection(signal))]
          : []),
        count("failures_total", ofFault(signal)),
      ];
    case "batch.halved":
      return [count("batches_halved_total", ofStage(signal))];
    case "commit.refused":
      return [count("commits_refused_total", ofStage(signal), signal.tasks)];
    case "commit.failed":
      return [count("commits_failed_total", ofStage(signal))];
    case "policy.refused":
      return [count("policies_refused_total", ofStage(signal))];
    case "news.stale":
      return [count("news_stale_total", ofStage(signal), signal.notices)];
    default:
      return factsOfWhole(signal);
  }
}

type OfStage = Extract<Signal, { readonly stage: string }>;
type OfWhole = Exclude<Signal, OfStage> | Extract<Signal, { kind: "document.conflict" }>;

/** Signals about documents, workers, dependencies or the database, without a stage. */
function factsOfWhole(signal: OfWhole): Fact[] {
  switch (signal.kind) {
    case "documents.accepted":
      return (["inserted", "changed", "unchanged", "conflicts"] as const).map((outcome) =>
        count("documents_accepted_total", { collection: signal.collection, outcome }, signal[outcome]),
      );
    case "documents.removed":
      return [count("documents_removed_total", {}, signal.documents)];
    case "document.normalised":
      return [count("documents_normalised_total", { collection: signal.collection })];
    case "document.conflict":
      return [count("document_conflicts_total", { collection: signal.collection })];
    case "worker.started":
    case "worker.stopped":
    case "worker.lost":
      return [count("workers_total", { outcome: outcomeOf(signal) })];
    case "worker.evicted":
      return [
        count("workers_total", { outcome: outcomeOf(signal) }),
        count("tasks_recovered_total", {}, signal.freed),
      ];
    case "breaker.opened":
    case "breaker.probed":
    case "breaker.closed":
      return [count("breakers_total", { dependency: signal.dependency, outcome: outcomeOf(signal) })];
    case "events.relayed":
      return [count("events_relayed_total", {}, signal.events)];
    case "events.unrouted":
      return [count("events_unrouted_total", {}, signal.events)];
    case "event.received":
      return [count("events_received_total", { type: signal.type, effect: signal.effect })];
    case "delivery.quarantined":
      return [count("deliveries_quarantined_total", { queue: signal.queue, reason: signal.reason })];
    case "broker.lost":
      return [count("broker_lost_total", { code: signal.fault.code })];
    case "broker.back":
      return [time("broker_outage_seconds", {}, signal.downMs)];
    case "sweep.finished":
      return [
        count("retry_job_runs_total", { status: "success" }),
        count("retry_job_runs_total", { status: "failure" }, 0),
        time("retry_job_duration_seconds", {}, signal.durationMs),
        ...signal.collections.flatMap(factsOfSwept),
      ];
    case "sweep.failed":
      return [
        count("retry_job_runs_total", { status: "failure" }),
        count("retry_job_errors_total", { error_type: signal.fault.code }),
        time("retry_job_duration_seconds", {}, signal.durationMs),
      ];
    case "database.lost":
      return [count("database_lost_total", { code: signal.fault.code })];
    case "database.back":
      return [time("database_outage_seconds", {}, signal.downMs)];
  }
}

/** Per collection, including zeros: an alert cannot see a missing series. */
const factsOfSwept = (swept: SweptCollection): Fact[] => [
  count("retry_job_documents_requeued_total", ofCollection(swept), swept.requeued),
  count("retry_job_documents_skipped_backoff_total", ofCollection(swept), swept.skippedBackoff),
  count("retry_job_documents_max_retries_exceeded_total", ofCollection(swept), 0),
  level("retry_job_stuck_documents", ofCollection(swept), swept.stuck),
  level("retry_job_failed_documents", ofCollection(swept), swept.failed),
];

const ofCollection = ({ collection }: { readonly collection: string }): Labels => ({ collection });
const ofStage = ({ stage }: { readonly stage: string }): Labels => ({ stage });
const ofFault = ({ stage, fault: { kind, code } }: { stage: string; fault: Fault }): Labels => ({
  stage,
  kind,
  code,
});
const outcomeOf = ({ kind }: Signal): string => kind.split(".")[1] as string;
const triesOf = ({ attempt }: OfTask): string => (attempt > 10 ? "more" : String(attempt));

interface Cell {
  readonly name: string;
  readonly labels: Labels;
  readonly kind: Fact["kind"];
  readonly buckets: number[];
  sum: number;
}

interface Book {
  enter(fact: Fact): void;
  snapshot(): Snapshot;
}

/** Limits the label sets of each metric, because codes and names are unbounded; the rest is counted as `other`. */
function openBook(labelSetsMax: number): Book {
  const cells = new Map<string, Cell>();
  const setsOf = new Map<string, number>();
  const folded = new Set<string>();

  function cellOf({ kind, name, labels }: Fact): Cell {
    const short = mapLabels(labels, (value) => String(value).slice(0, 100));
    const key = keyOf(name, short);
    const known = cells.get(key);
    if (known) return known;
    const sets = setsOf.get(name) ?? 0;
    if (sets < labelSetsMax) {
      setsOf.set(name, sets + 1);
      return open(key, name, short, kind);
    }
    if (folded.size < foldedMax) folded.add(key);
    const others = mapLabels(short, () => "other");
    const otherKey = keyOf(name, others);
    return cells.get(otherKey) ?? open(otherKey, name, others, kind);
  }
  function open(key: string, name: string, labels: Labels, kind: Fact["kind"]): Cell {
    const buckets = kind === "time" ? secondsLimits.map(() => 0) : [];
    const cell: Cell = { name, labels, kind, buckets, sum: 0 };
    cells.set(key, cell);
    return cell;
  }
  const ofKind = (kind: Fact["kind"]) => [...cells.values()].filter((cell) => cell.kind === kind);
  return {
    enter(fact) {
      const amount = amountOf(fact);
      if (!Number.isFinite(amount) || amount < 0) return;
      // Adding zero creates no series, except where a missing series would look healthy.
      if (amount === 0 && fact.kind === "count" && !fact.name.startsWith("retry_job_")) return;
      const cell = cellOf(fact);
      cell.sum = fact.kind === "level" ? amount : cell.sum + amount;
      cell.buckets.forEach((held, at, buckets) => {
        if (amount <= (secondsLimits[at] as number)) buckets[at] = held + 1;
      });
    },
    snapshot: () => ({
      counters: ofKind("count").map(toCount),
      gauges: ofKind("level").map(toCount),
      histograms: ofKind("time").map(toHistogram),
      foldedSets: folded.size,
    }),
  };
}

function amountOf(fact: Fact): number {
  switch (fact.kind) {
    case "count":
      return fact.by;
    case "level":
      return fact.value;
    case "time":
      return fact.seconds;
  }
}

const foldedMax = 10_000;
const keyOf = (name: string, labels: Labels): string => JSON.stringify([name, labels]);
const mapLabels = (labels: Labels, change: (value: string) => string): Labels =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, change(value)]));
const toCount = ({ name, labels, sum }: Cell): Count => ({ name, labels, value: sum });
const toHistogram = ({ name, labels, sum, buckets }: Cell): Histogram => ({
  name,
  labels,
  buckets: secondsLimits.map((le, at) => ({ le, count: buckets[at] ?? 0 })),
  sum,
  count: buckets.at(-1) ?? 0,
});
