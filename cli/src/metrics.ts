import { monitorEventLoopDelay } from "node:perf_hooks";
import {
  type Count,
  type Counters,
  type Known,
  keptSnapshot,
  prometheusText,
  type Snapshot,
  type TextFormat,
  withoutKept,
} from "@headway/engine";
import {
  groupStates,
  type Operator,
  type StageLine,
  severities,
  type WorkerLine,
} from "@headway/engine/operate";

/** What the page of metrics is made of. */
export interface MetricsParts {
  readonly counters: Counters;
  readonly operator: Pick<
    Operator,
    "status" | "workers" | "breakers" | "tally" | "backlogs" | "listAlerts" | "now"
  >;
  readonly version: string;
  /** Names in the definitions, for series that exist before their first event. */
  readonly known: Known;
}

const readingMaxAgeMs = 15_000;
const readingTimeoutMs = 1_000;

/**
 * Makes the page for Prometheus: counters of this process, and gauges of the whole cluster from a reading kept for 15 s, so scrapes cost the database
 * next to nothing. A database without an answer within a second costs the cluster gauges only: the process's own series
 * are always there.
 */
export function makeMetrics(parts: MetricsParts): (format: TextFormat) => Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const reading = keepReading(async () => {
    const levels = await readLevels(parts);
    return { levels, kept: keptSnapshot(await parts.operator.tally(), parts.known) };
  });
  return async (format) => {
    const { counters, gauges, histograms, foldedSets } = withoutKept(parts.counters.snapshot());
    const { levels, kept } = await reading();
    const snapshot: Snapshot = {
      counters: [...counters, ...processCounters(), ...kept.counters],
      gauges: [
        ...gauges,
        ...processGauges(parts.version, delay.percentile(99), foldedSets),
        ...levels,
        ...kept.gauges,
      ],
      histograms: [...histograms, ...kept.histograms],
      foldedSets,
    };
    delay.reset();
    return prometheusText(snapshot, format);
  };
}

/** Series from the database. */
interface Reading {
  readonly levels: readonly Count[];
  readonly kept: Snapshot;
}

const nothing: Reading = {
  levels: [],
  kept: { counters: [], gauges: [], histograms: [], foldedSets: 0 },
};

/** One reading at a time; an answer that is late serves the next scrape. */
function keepReading(read: () => Promise<Reading>): () => Promise<Reading> {
  let last: { readonly reading: Reading; readonly atMs: number } | null = null;
  let underway: Promise<void> | null = null;
  return async () => {
    if (last && performance.now() - last.atMs < readingMaxAgeMs) return last.reading;
    underway ??= read()
      .then((reading) => {
        last = { reading, atMs: performance.now() };
      })
      .catch(() => undefined)
      .finally(() => {
        underway = null;
      });
    await Promise.race([underway, timeout(readingTimeoutMs)]);
    return last?.reading ?? nothing;
  };
}

const timeout = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

async function readLevels({ operator, known: { dependencies } }: MetricsParts): Promise<readonly Count[]> {
  const [stages, workers, open, backlogs, alerts] = await Promise.all([
    operator.status(),
    operator.workers(),
    operator.breakers(),
    operator.backlogs(),
    operator.listAlerts({ state: "open", limit: 10_000 }),
  ]);
  const now = operator.now();
  const names = new Set([...dependencies, ...open.map(({ name }) => name)]);
  const isOpen = (name: string) => Number(open.some((one) => one.name === name && one.open));
  const alive = workers.filter((one) => one.alive).length;
  return [
    ...stages.flatMap((line) => levelsOf(line, workers, now)),
    ...[...names].map((dependency) => gauge("headway_dependency_open", { dependency }, isOpen(dependency))),
    gauge("headway_workers", { state: "alive" }, alive),
    gauge("headway_workers", { state: "silent" }, workers.length - alive),
    ...severities.map((severity) =>
      gauge("headway_alerts_open", { severity }, alerts.filter((one) => one.severity === severity).length),
    ),
    ...backlogGauges(backlogs, now),
    gauge("headway_reading_timestamp_seconds", {}, now.getTime() / 1_000),
    ...countedAt(stages),
  ];
}

type Backlogs = Awaited<ReturnType<MetricsParts["operator"]["backlogs"]>>;

function backlogGauges(backlogs: Backlogs, now: Date): Count[] {
  const of = (kind: string) => backlogs.filter((one) => one.kind === kind);
  const ageOf = (kind: string) =>
    Math.max(0, ...of(kind).map(({ since }) => (since ? (now.getTime() - since.getTime()) / 1_000 : 0)));
  const sum = (kind: string) => of(kind).reduce((all, { count }) => all + count, 0);
  return [
    gauge("headway_outbox_waiting", {}, sum("outbox")),
    gauge("headway_outbox_oldest_seconds", {}, ageOf("outbox")),
    gauge("headway_alert_delivery_oldest_seconds", {}, ageOf("undelivered")),
    gauge("headway_quarantine", {}, sum("quarantine")),
    gauge("headway_conflicts", {}, sum("conflict")),
    ...groupStates.map((state) =>
      gauge("headway_error_groups", { state }, of("errors").find(({ key }) => key === state)?.count ?? 0),
    ),
  ];
}

/** The oldest count behind the ledger; none before there is a stage. */
const countedAt = (stages: readonly StageLine[]): Count[] =>
  stages.length === 0
    ? []
    : [
        gauge(
          "headway_census_timestamp_seconds",
          {},
          Math.min(...stages.map((line) => line.ledger.at.getTime())) / 1_000,
        ),
      ];

/** The gauges of a stage. */
function levelsOf(line: StageLine, workers: readonly WorkerLine[], now: Date): Count[] {
  const { stage, waiting, held, later, claimed, done, dead, ledger } = line;
  const open = ledger.waiting + ledger.later + ledger.claimed;
  const due = waiting - held;
  const states = { waiting: due, later, held, claimed, done, dead };
  const ageMs = line.oldest ? now.getTime() - line.oldest.getTime() : 0;
  return [
    ...(["waiting", "later", "held"] as const).map((state) =>
      gauge("queue_depth", { stage, state }, states[state]),
    ),
    ...Object.entries(states).map(([state, tasks]) => gauge("headway_task_state", { stage, state }, tasks)),
    gauge(
      "headway_ledger_difference",
      { stage },
      ledger.accepted - ledger.done - open - ledger.dead - ledger.deleted,
    ),
    gauge("headway_unexpected_results", { stage }, line.unexpected),
    gauge("headway_oldest_due_seconds", { stage }, Math.max(0, ageMs / 1_000)),
    ...(line.etaSeconds === null ? [] : [gauge("headway_eta_seconds", { stage }, line.etaSeconds)]),
    gauge(
      "headway_stage_workers",
      { stage },
      workers.filter((one) => one.alive && one.stages.includes(stage)).length,
    ),
    gauge("headway_stage_paused", { stage }, Number(line.paused !== null)),
  ];
}

function processCounters(): Count[] {
  const { user, system } = process.cpuUsage();
  return [gauge("process_cpu_seconds_total", {}, (user + system) / 1e6)];
}

function processGauges(version: string, delayNs: number, foldedSets: number): Count[] {
  const { rss, heapUsed } = process.memoryUsage();
  return [
    gauge("headway_build_info", { version, node: process.version }, 1),
    gauge("headway_folded_label_sets", {}, foldedSets),
    gauge("process_start_time_seconds", {}, performance.timeOrigin / 1_000),
    gauge("process_resident_memory_bytes", {}, rss),
    gauge("nodejs_heap_size_used_bytes", {}, heapUsed),
    gauge("nodejs_eventloop_lag_p99_seconds", {}, delayNs / 1e9),
  ];
}

const gauge = (name: string, labels: Count["labels"], value: number): Count => ({ name, labels, value });
