import type { Fault } from "../decide/fault.ts";
import { seedDeathReasons } from "../decide/seed-words.ts";
import type { OfTask, Signal } from "../decide/signal.ts";
import { entriesOfFailure, entriesOfSweep, exceededTotal } from "../decide/tally.ts";
import { type Known, knownLabelSets, series, seriesNamed } from "./series.ts";

/** Counts signals in memory, for `/metrics` and the Pushgateway. */
export interface Counters {
  /** Counts a signal; for `onSignal`. */
  heard(signal: Signal): void;
  /** Makes the counters of these names, at 0 until something is counted. */
  expect(known: Known): void;
  /** All counts of now. */
  snapshot(): Snapshot;
}

/** All counts at a moment. */
export interface Snapshot {
  readonly counters: readonly Count[];
  readonly gauges: readonly Count[];
  readonly histograms: readonly Histogram[];
  /** Label sets that were counted under `other` because there were too many. */
  readonly foldedSets: number;
}

export type Labels = Readonly<Record<string, string>>;

/** One series with its value. */
export interface Count {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Histogram {
  readonly name: string;
  readonly labels: Labels;
  /** How many were at most so long; the last bucket has no limit. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  readonly sum: number;
  readonly count: number;
  /** The slowest of the last minute. */
  readonly exemplar?: Exemplar | undefined;
}

export interface Exemplar {
  readonly value: number;
  readonly at: Date;
  readonly correlationId: string;
}

/**
 * Counts signals in memory; `labelSetsMax` bounds the label sets of a series.
 *
 * @example
 * import { countSignals, prometheusText } from "@headway/engine";
 *
 * const counters = countSignals();
 * export const onSignal = counters.heard;
 * export const metrics = () => prometheusText(counters.snapshot());
 */
export function countSignals({ labelSetsMax = 200 } = {}): Counters {
  const book = openBook(labelSetsMax);
  return {
    heard(signal) {
      try {
        for (const fact of factsOf(signal)) book.enter(fact);
      } catch {
        // A signal that cannot be read is not counted; counting must not harm the work.
      }
    },
    expect(known) {
      for (const one of series) {
        if (one.type === "gauge") continue;
        for (const labels of knownLabelSets(one, known)) book.open(one.name, labels);
      }
    },
    snapshot: book.snapshot,
  };
}

/** An amount for a series: added to a counter, put into a histogram's buckets, or the new value of a gauge. */
interface Fact {
  readonly name: string;
  readonly labels: Labels;
  readonly amount: number;
  /** The task behind it, for an exemplar. */
  readonly of?: { readonly at: Date; readonly correlationId: string };
}

const count = (name: string, labels: Labels = {}, by = 1): Fact => ({ name, labels, amount: by });
const level = (name: string, labels: Labels, value: number): Fact => ({ name, labels, amount: value });
const time = (name: string, labels: Labels, ms: number): Fact => ({ name, labels, amount: ms / 1_000 });

/** The facts of a signal; a kind that is missing here or in `factsOfWhole` does not compile. */
function factsOf(signal: Signal): Fact[] {
  switch (signal.kind) {
    case "task.done":
      return [
        count("events_processed_total", ofOutcome(signal, "done")),
        count("headway_documents_yielded_total", ofStage(signal), signal.outputs),
        { ...time("processing_duration_seconds", ofStage(signal), signal.durationMs), of: signal },
        count("event_retry_attempt_count", ofRetry(signal), signal.attempt),
        ...(signal.attempt > 1
          ? [count("event_retry_success_total", { ...ofRetry(signal), attempt: triesOf(signal) })]
          : []),
        ...(signal.sinceFirstMs === undefined
          ? []
          : [time("event_retry_latency_seconds", ofRetry(signal), signal.sinceFirstMs)]),
        ...(signal.sinceAcceptedMs === undefined
          ? []
          : [time("headway_freshness_seconds", ofStage(signal), signal.sinceAcceptedMs)]),
      ];
    case "task.unexpected":
      return [count("headway_results_unexpected_total", ofStage(signal))];
    case "task.skipped":
      return [count("events_processed_total", ofOutcome(signal, "skipped"))];
    case "task.retried":
      return [
        count("events_processed_total", { stage: signal.stage, outcome: "retried" }),
        count("event_retry_attempts_total", {
          ...ofRetry(signal),
          place: signal.inPlace ? "in-place" : "later",
        }),
        count("failures_total", ofFault(signal)),
      ];
    case "task.held":
      return [count("headway_tasks_held_total", { stage: signal.stage, dependency: signal.dependency })];
    case "task.waiting":
      return [count("headway_tasks_waiting_total", { stage: signal.stage, reason: signal.reason })];
    case "task.released":
      return [count("headway_tasks_released_total", ofStage(signal))];
    case "task.died":
      return [
        count("events_processed_total", { stage: signal.stage, outcome: "dead" }),
        count("event_retry_dlq_total", { ...ofRetry(signal), reason: seedDeathReasons[signal.reason].label }),
        count("event_retry_attempt_count", ofRetry(signal), signal.attempt),
        // The limit is applied when an attempt fails, so it is counted here and not with the sweep.
        ...(signal.reason === "exhausted" ? [count(exceededTotal, ofCollection(signal))] : []),
        count("failures_total", ofFault(signal)),
      ];
    case "batch.halved":
      return [count("headway_batches_halved_total", ofStage(signal))];
    case "commit.refused":
      return [count("headway_commits_refused_total", ofStage(signal), signal.tasks)];
    case "commit.failed":
      return [count("headway_commits_failed_total", ofStage(signal))];
    case "policy.refused":
      return [count("headway_policies_refused_total", ofStage(signal))];
    case "news.stale":
      return [count("headway_news_stale_total", ofStage(signal), signal.notices)];
    default:
      return factsOfWhole(signal);
  }
}

type OfStage = Extract<Signal, { readonly stage: string }>;
type OfWhole = Exclude<Signal, OfStage> | Extract<Signal, { kind: "document.conflict" }>;

/** Signals about documents, workers, dependencies or the database, of no stage in particular. */
function factsOfWhole(signal: OfWhole): Fact[] {
  switch (signal.kind) {
    case "documents.accepted":
      return (["inserted", "changed", "unchanged", "conflicts"] as const).map((outcome) =>
        count(
          "headway_documents_accepted_total",
          { collection: signal.collection, outcome },
          signal[outcome],
        ),
      );
    case "documents.removed":
      return [count("headway_documents_removed_total", {}, signal.documents)];
    case "document.normalised":
      return [count("headway_documents_normalised_total", { collection: signal.collection })];
    case "document.conflict":
      return [count("headway_document_conflicts_total", { collection: signal.collection })];
    case "worker.started":
      return [count("headway_worker_starts_total"), level("headway_database_up", {}, 1)];
    case "worker.stopped":
    case "worker.lost":
      return [count("headway_worker_ends_total", { outcome: outcomeOf(signal) })];
    case "worker.evicted":
      return [
        count("headway_worker_ends_total", { outcome: outcomeOf(signal) }),
        count("headway_tasks_recovered_total", {}, signal.freed),
      ];
    case "breaker.opened":
    case "breaker.probed":
    case "breaker.closed":
      return [
        count("headway_breaker_changes_total", { dependency: signal.dependency, outcome: outcomeOf(signal) }),
      ];
    case "events.relayed":
      return [count("headway_events_relayed_total", {}, signal.events)];
    case "events.unrouted":
      return [count("headway_events_unrouted_total", {}, signal.events)];
    case "event.received":
      return [count("headway_events_received_total", { type: signal.type, effect: signal.effect })];
    case "delivery.quarantined":
      return [count("headway_deliveries_quarantined_total", { queue: signal.queue, reason: signal.reason })];
    default:
      return factsOfServers(signal);
  }
}

type OfServers = Extract<
  OfWhole,
  { kind: `${"alert" | "broker" | "database" | "spans" | "sweep"}.${string}` }
>;

/** Signals about the broker, the database and sweeps. */
function factsOfServers(signal: OfServers): Fact[] {
  switch (signal.kind) {
    case "alert.delivery":
      return [count("headway_alert_deliveries_total", { channel: signal.channel, outcome: signal.outcome })];
    case "broker.lost":
      return [
        count("headway_broker_losses_total", { error_type: signal.fault.code }),
        level("headway_broker_up", {}, 0),
      ];
    case "broker.back":
      return [
        time("headway_broker_outages_seconds_total", {}, signal.downMs),
        level("headway_broker_up", {}, 1),
      ];
    case "spans.dropped":
      return [count("headway_spans_dropped_total", {}, signal.spans)];
    case "sweep.finished":
      return entriesOfSweep(signal);
    case "sweep.failed":
      return entriesOfFailure(signal);
    case "database.lost":
      return [
        count("headway_database_losses_total", { error_type: signal.fault.code }),
        level("headway_database_up", {}, 0),
      ];
    case "database.back":
      return [
        time("headway_database_outages_seconds_total", {}, signal.downMs),
        level("headway_database_up", {}, 1),
      ];
  }
}

const ofCollection = ({ collection }: { readonly collection: string }): Labels => ({ collection });
const ofStage = ({ stage }: { readonly stage: string }): Labels => kept("s", stage, () => ({ stage }));
const ofOutcome = ({ stage }: { readonly stage: string }, outcome: string): Labels =>
  kept(outcome, stage, () => ({ stage, outcome }));
const ofFault = ({ stage, fault: { kind, code } }: { stage: string; fault: Fault }): Labels => ({
  stage,
  kind,
  error_type: code,
});
const ofRetry = ({ stage }: { readonly stage: string }): Labels =>
  kept("r", stage, () => ({ stage, service: stage }));
const outcomeOf = ({ kind }: Signal): string => kind.split(".")[1] as string;
const triesOf = ({ attempt }: OfTask): string => (attempt > 10 ? "more" : String(attempt));

/** Label sets of stages are kept, for finding cells without a new key. */
const keptLabels = new Map<string, Map<string, Labels>>();
const keptMax = 1_000;
function kept(kind: string, stage: string, make: () => Labels): Labels {
  const ofKind = keptLabels.get(kind) ?? new Map<string, Labels>();
  if (ofKind.size === 0) keptLabels.set(kind, ofKind);
  const found = ofKind.get(stage);
  if (found || ofKind.size >= keptMax) return found ?? make();
  const labels = make();
  ofKind.set(stage, labels);
  return labels;
}

interface Cell {
  readonly name: string;
  readonly labels: Labels;
  /** Upper limits of a histogram's buckets, the last one infinite; empty for counters and gauges. */
  readonly limits: readonly number[];
  readonly buckets: number[];
  sum: number;
  exemplar?: Exemplar;
}

interface Book {
  enter(fact: Fact): void;
  open(name: string, labels: Labels): void;
  snapshot(): Snapshot;
}

/** Labels come from codes and names that authors choose: each series has room for so many sets, further ones are `other`. */
function openBook(labelSetsMax: number): Book {
  const cells = new Map<string, Cell>();
  const setsOf = new Map<string, number>();
  const folded = new Set<string>();
  const quick = new WeakMap<Labels, Map<string, Cell>>();

  function cellOf(name: string, labels: Labels): Cell {
    const near = quick.get(labels);
    const there = near?.get(name);
    if (there) return there;
    const cell = findCell(name, labels);
    if (near) near.set(name, cell);
    else quick.set(labels, new Map([[name, cell]]));
    return cell;
  }
  function findCell(name: string, labels: Labels): Cell {
    const known = cells.get(keyOf(name, labels));
    if (known) return known;
    const short = mapLabels(labels, (value) => String(value).slice(0, labelLengthMax));
    const key = keyOf(name, short);
    const cut = cells.get(key);
    if (cut) return cut;
    const sets = setsOf.get(name) ?? 0;
    if (sets < labelSetsMax) {
      setsOf.set(name, sets + 1);
      return make(key, name, short);
    }
    if (folded.size < foldedMax) folded.add(key);
    const others = mapLabels(short, () => "other");
    const otherKey = keyOf(name, others);
    return cells.get(otherKey) ?? make(otherKey, name, others);
  }
  function make(key: string, name: string, labels: Labels): Cell {
    const limits = limitsOf(name);
    const cell: Cell = { name, labels, limits, buckets: limits.map(() => 0), sum: 0 };
    cells.set(key, cell);
    return cell;
  }
  const ofType = (type: string) =>
    [...cells.values()].filter(({ name }) => (seriesNamed(name)?.type ?? "counter") === type);
  return {
    enter({ name, labels, amount, of }) {
      if (!Number.isFinite(amount) || amount < 0) return;
      const cell = cellOf(name, labels);
      cell.sum = seriesNamed(name)?.type === "gauge" ? amount : cell.sum + amount;
      if (of && isTelling(cell.exemplar, amount, of.at))
        cell.exemplar = { value: amount, at: of.at, correlationId: of.correlationId };
      const { buckets, limits } = cell;
      for (let at = 0; at < limits.length; at++)
        if (amount <= (limits[at] as number)) buckets[at] = (buckets[at] as number) + 1;
    },
    open: cellOf,
    snapshot: () => ({
      counters: ofType("counter").map(toCount),
      gauges: ofType("gauge").map(toCount),
      histograms: ofType("histogram").map(toHistogram),
      foldedSets: folded.size,
    }),
  };
}

const labelLengthMax = 100;
const foldedMax = 10_000;
const keyOf = (name: string, labels: Labels): string => {
  let key = name;
  for (const label in labels) key += `\0${labels[label]}`;
  return key;
};
const limitsOf = (name: string): readonly number[] => {
  const buckets = seriesNamed(name)?.buckets;
  return buckets ? [...buckets, Number.POSITIVE_INFINITY] : [];
};
const mapLabels = (labels: Labels, change: (value: string) => string): Labels =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, change(value)]));
const toCount = ({ name, labels, sum }: Cell): Count => ({ name, labels, value: sum });
const toHistogram = ({ name, labels, sum, limits, buckets, exemplar }: Cell): Histogram => ({
  name,
  labels,
  buckets: limits.map((le, at) => ({ le, count: buckets[at] ?? 0 })),
  sum,
  count: buckets.at(-1) ?? 0,
  exemplar,
});

const exemplarMaxAgeMs = 60_000;
const isTelling = (before: Exemplar | undefined, value: number, at: Date): boolean =>
  !before || value >= before.value || at.getTime() - before.at.getTime() > exemplarMaxAgeMs;
