import { severities } from "../decide/alert-rules.ts";
import { groupStates } from "../decide/error-report.ts";
import { exceededTotal, sweepBuckets } from "../decide/tally.ts";
import type { Pipeline } from "../define/pipeline.ts";

/**
 * Every series emitted by Headway. The table makes the zeros at the start, the HELP lines,
 * `docs/reference/metrics.md` and the check of rules and dashboards. Names of the seeds are unchanged; all new names
 * begin with `headway_`.
 */
export interface Series {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Values by label: a closed list, or a kind of name from the definitions. */
  readonly labels: Readonly<Record<string, Domain>>;
  readonly help: string;
  /**
   * `process`: counted from the process's own signals. `kept`: totals stored in the database, which survive every
   * process. `cluster`: gauges read from the database. The latter two are the same in every process.
   */
  readonly scope: "process" | "kept" | "cluster";
  /** Upper limits of a histogram's buckets, without infinity. */
  readonly buckets?: readonly number[];
}

/**
 * `stage`, `collection`, `dependency`: known from the definitions; `last-stage`: a stage without another after it. `service`: the label `stage` again, for queries of
 * the seeds. `open`: known only at the first event, so such a series has no zero.
 */
export type Domain =
  | "stage"
  | "last-stage"
  | "service"
  | "collection"
  | "dependency"
  | "open"
  | readonly string[];

/** Names defined by pipelines, known before the first signal. */
export interface Known {
  readonly stages: readonly string[];
  /** Stages whose outputs no stage reads. */
  readonly lastStages?: readonly string[];
  readonly collections: readonly string[];
  readonly dependencies: readonly string[];
}

/**
 * The names in these pipelines, for counters that start with 0.
 *
 * @example
 * import { countSignals, namesIn, type Pipeline } from "@headway/engine";
 *
 * export function countersOf(pipelines: readonly Pipeline[]) {
 *   const counters = countSignals();
 *   counters.expect(namesIn(pipelines));
 *   return counters;
 * }
 */
export function namesIn(pipelines: readonly Pipeline[]): Known {
  const stages = pipelines.flatMap((one) => one.stages);
  const unique = (names: readonly string[]) => [...new Set(names)];
  return {
    stages: unique(stages.map(({ name }) => name)),
    lastStages: unique(
      stages
        .filter(({ writes }) => !stages.some(({ reads }) => writes.includes(reads)))
        .map(({ name }) => name),
    ),
    collections: unique(pipelines.flatMap((one) => one.collections.map(({ name }) => name))),
    dependencies: unique(stages.flatMap(({ needs }) => needs.map(({ name }) => name))),
  };
}

const seconds = sweepBuckets;
const minutes = [1, 10, 60, 300, 900, 3_600, 14_400, 86_400];
const stage = { stage: "stage" } as const;
const ofRetry = { stage: "stage", service: "service" } as const;
const collection = { collection: "collection" } as const;
const tries = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "more"];

type Row = readonly [name: string, labels: Series["labels"], help: string, buckets?: readonly number[]];

const counters: readonly Row[] = [
  [
    "events_processed_total",
    { ...stage, outcome: ["done", "skipped", "retried", "dead"] },
    "Attempts, by outcome.",
  ],
  ["failures_total", { ...stage, kind: "open", error_type: "open" }, "Faults, by kind and code."],
  ["event_retry_attempts_total", { ...ofRetry, place: ["in-place", "later"] }, "Retries that were decided."],
  ["event_retry_success_total", { ...ofRetry, attempt: tries }, "Tasks done after a retry, by attempt."],
  [
    "event_retry_dlq_total",
    { ...ofRetry, reason: ["max_attempts", "ttl_exceeded", "permanent", "worker_lost", "cancelled"] },
    "Tasks that became dead letters, by reason.",
  ],
  [
    "headway_documents_accepted_total",
    { ...collection, outcome: ["inserted", "changed", "unchanged", "conflicts"] },
    "Documents handed in, by outcome.",
  ],
  ["headway_documents_yielded_total", stage, "Documents that results yielded."],
  ["headway_results_unexpected_total", stage, "Results that their stage did not expect."],
  ["headway_documents_removed_total", {}, "Documents erased."],
  ["headway_documents_normalised_total", collection, "Documents with bytes replaced at acceptance."],
  ["headway_document_conflicts_total", collection, "Documents refused because their id was taken."],
  ["headway_tasks_held_total", { ...stage, dependency: "open" }, "Tasks held because a dependency was down."],
  ["headway_tasks_waiting_total", { ...stage, reason: "open" }, "Tasks put off without a fault, by reason."],
  ["headway_tasks_released_total", stage, "Attempts given back by a worker that stops."],
  ["headway_tasks_recovered_total", {}, "Tasks taken over from evicted workers."],
  ["headway_batches_halved_total", stage, "Batches halved to find a faulty document."],
  ["headway_commits_refused_total", stage, "Results refused by the fence: their claim was gone."],
  ["headway_commits_failed_total", stage, "Commits that failed."],
  ["headway_policies_refused_total", stage, "Retry policies that were refused."],
  ["headway_news_stale_total", stage, "Notifications that led to no claim."],
  ["headway_worker_starts_total", {}, "Workers started by this process."],
  [
    "headway_worker_ends_total",
    { outcome: ["stopped", "evicted", "lost"] },
    "Workers that ended, as this process saw it.",
  ],
  [
    "headway_breaker_changes_total",
    { dependency: "dependency", outcome: ["opened", "probed", "closed"] },
    "Changes of circuit breakers.",
  ],
  [
    "headway_alert_deliveries_total",
    {
      channel: ["mail", "slack", "webhook", "pagerduty", "alertmanager"],
      outcome: ["sent", "failed", "given_up"],
    },
    "Attempts to send notices about alerts.",
  ],
  ["headway_events_relayed_total", {}, "Events published from the outbox."],
  ["headway_events_unrouted_total", {}, "Events without a queue."],
  ["headway_events_received_total", { type: "open", effect: ["accepted", "known"] }, "Events received."],
  ["headway_deliveries_quarantined_total", { queue: "open", reason: "open" }, "Deliveries quarantined."],
  ["headway_spans_dropped_total", {}, "Spans that the collector of traces did not take."],
  ["headway_broker_losses_total", { error_type: "open" }, "Losses of the broker."],
  ["headway_broker_outages_seconds_total", {}, "Seconds without the broker."],
  ["headway_database_losses_total", { error_type: "open" }, "Losses of the database."],
  ["headway_database_outages_seconds_total", {}, "Seconds without the database."],
];

const keptCounters: readonly Row[] = [
  ["retry_job_documents_requeued_total", collection, "Documents that sweeps put back to work."],
  [
    "retry_job_documents_skipped_backoff_total",
    collection,
    "Documents that sweeps left alone until their next attempt is due.",
  ],
  [exceededTotal, collection, "Documents that used up their attempts."],
  ["retry_job_runs_total", { status: ["success", "failure"] }, "Sweeps, by outcome."],
  ["retry_job_errors_total", { error_type: "open" }, "Errors of sweeps, by code."],
];

const keptHistograms: readonly Row[] = [
  ["retry_job_duration_seconds", {}, "Duration of sweeps.", sweepBuckets],
];

const keptGauges: readonly Row[] = [
  ["retry_job_stuck_documents", collection, "Documents owed for longer than allowed, at the last sweep."],
  ["retry_job_failed_documents", collection, "Dead letters that wait for a person, at the last sweep."],
  ["retry_job_last_success_timestamp_seconds", {}, "Moment of the last sweep that succeeded."],
];

const histograms: readonly Row[] = [
  ["processing_duration_seconds", stage, "Duration of attempts that ended well.", seconds],
  ["event_retry_latency_seconds", ofRetry, "First attempt to done, of tasks that were retried.", minutes],
  [
    "headway_freshness_seconds",
    { stage: "last-stage" },
    "Acceptance to the first result of the last stage; requests with an id of their caller's are not counted.",
    minutes,
  ],
  ["event_retry_attempt_count", ofRetry, "Attempts of tasks that are done or dead.", [1, 2, 3, 5, 8, 13]],
];

const gauges: readonly Row[] = [
  [
    "retry_job_last_run_failed",
    {},
    "1 if the last run of `headway sweep` failed, for any reason; pushed by that command only.",
  ],
  ["headway_database_up", {}, "1 while this process reaches the database."],
  ["headway_broker_up", {}, "1 while this process reaches the broker; absent without a broker."],
  ["headway_folded_label_sets", {}, "Label sets counted under `other` because a name had too many."],
  ["headway_build_info", { version: "open", node: "open" }, "1; labels name the build."],
  ["process_start_time_seconds", {}, "Start of the process."],
  ["process_resident_memory_bytes", {}, "Resident memory."],
  ["nodejs_heap_size_used_bytes", {}, "Heap in use."],
  ["nodejs_eventloop_lag_p99_seconds", {}, "99th percentile of event-loop delay since the last scrape."],
];

const clusterGauges: readonly Row[] = [
  ["queue_depth", { ...stage, state: ["waiting", "later", "held"] }, "Tasks owed, by state."],
  [
    "headway_task_state",
    { ...stage, state: ["waiting", "later", "held", "claimed", "done", "dead"] },
    "Tasks by state: the ledger.",
  ],
  ["headway_ledger_difference", stage, "Accepted minus all states; 0, or a bug."],
  ["headway_unexpected_results", stage, "Stored results that their stage did not expect."],
  ["headway_oldest_due_seconds", stage, "Age of the oldest open task; 0 without any."],
  ["headway_eta_seconds", stage, "Time until all open tasks are done; absent while unknown."],
  ["headway_stage_workers", stage, "Live workers of the stage."],
  ["headway_stage_paused", stage, "1 while the stage is paused."],
  ["headway_workers", { state: ["alive", "silent"] }, "Workers, by sign of life."],
  ["headway_dependency_open", { dependency: "dependency" }, "1 while the circuit breaker is open."],
  ["headway_alerts_open", { severity: severities }, "Open alerts, by severity."],
  ["headway_outbox_waiting", {}, "Events not handed on yet."],
  ["headway_outbox_oldest_seconds", {}, "Age of the oldest event not handed on; 0 without any."],
  ["headway_alert_delivery_oldest_seconds", {}, "Age of the oldest notice not sent; 0 without any."],
  ["headway_quarantine", {}, "Deliveries set aside that wait for a person."],
  ["headway_conflicts", {}, "Documents with refused content of another origin."],
  ["headway_error_groups", { state: groupStates }, "Groups of reported errors, by state."],
  ["headway_reading_timestamp_seconds", {}, "Moment at which the cluster gauges were read."],
  ["headway_census_timestamp_seconds", {}, "Moment of the count behind the ledger and the done."],
];

const processCounters: readonly Row[] = [["process_cpu_seconds_total", {}, "Processor time of the process."]];

const rowsOf =
  (type: Series["type"], scope: Series["scope"]) =>
  ([name, labels, help, buckets]: Row): Series => ({
    name,
    type,
    labels,
    help,
    scope,
    ...(buckets && { buckets }),
  });

/**
 * Every series of the metrics, with its meaning.
 *
 * @example
 * import { series } from "@headway/engine";
 *
 * for (const { name, help } of series) console.log(name, help);
 */
export const series: readonly Series[] = [
  ...counters.map(rowsOf("counter", "process")),
  ...processCounters.map(rowsOf("counter", "process")),
  ...histograms.map(rowsOf("histogram", "process")),
  ...gauges.map(rowsOf("gauge", "process")),
  ...keptCounters.map(rowsOf("counter", "kept")),
  ...keptHistograms.map(rowsOf("histogram", "kept")),
  ...keptGauges.map(rowsOf("gauge", "kept")),
  ...clusterGauges.map(rowsOf("gauge", "cluster")),
];

const byName = new Map(series.map((one) => [one.name, one]));

/** The row of a series; undefined for an unknown name. */
export const seriesNamed = (name: string): Series | undefined => byName.get(name);

/**
 * All label sets of a series known in advance: `increase()` misses the first event of a new counter, so every such
 * set starts with 0. None with an open label.
 */
export function knownLabelSets(
  { labels }: Pick<Series, "labels">,
  known: Known,
): readonly Readonly<Record<string, string>>[] {
  let sets: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, domain] of Object.entries(labels))
    sets = sets.flatMap((set) => valuesOf(domain, set, known).map((value) => ({ ...set, [label]: value })));
  return sets;
}

function valuesOf(domain: Domain, set: Readonly<Record<string, string>>, known: Known): readonly string[] {
  switch (domain) {
    case "stage":
      return known.stages;
    case "last-stage":
      return known.lastStages ?? [];
    case "service":
      return [set.stage as string];
    case "collection":
      return known.collections;
    case "dependency":
      return known.dependencies;
    case "open":
      return [];
    default:
      return domain;
  }
}
