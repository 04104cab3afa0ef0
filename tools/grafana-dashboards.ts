/** A panel: one picture of one or more queries. */
export interface Panel {
  readonly title: string;
  readonly kind: "timeseries" | "stat" | "gauge" | "histogram";
  readonly unit?: "s" | "short" | "ops" | "bytes" | "percentunit" | "dateTimeFromNow";
  readonly queries: readonly Query[];
  /** Limits of yellow and red. */
  readonly thresholds?: readonly [warning: number, critical: number];
  readonly about?: string;
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
  /** Exists only after its cause, such as a first fault: an empty answer is fine. */
  readonly mayBeEmpty?: true;
}

export interface Dashboard {
  readonly file: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const query = (expr: string, legend: string): Query => ({ expr, legend });
const maybe = (expr: string, legend: string): Query => ({ expr, legend, mayBeEmpty: true });
const byStage = '{stage=~"$stage"}';
const ofCollection = '{collection=~"$collection"}';
const line = (
  title: string,
  queries: readonly Query[],
  more: Partial<Pick<Panel, "unit" | "about" | "thresholds">> = {},
): Panel => ({ title, kind: "timeseries", queries, ...more });
const number = (
  title: string,
  one: Query,
  more: Partial<Pick<Panel, "unit" | "about" | "thresholds">> = {},
): Panel => ({ title, kind: "stat", queries: [one], ...more });
const percentiles = (name: string, by: string): Query[] =>
  [0.5, 0.95, 0.99].map((share) =>
    query(
      `histogram_quantile(${share}, sum by (le) (rate(${name}_bucket${by}[$__rate_interval])))`,
      `p${share * 100}`,
    ),
  );

/** The cluster's gauges are the same in every process: the largest value is the value. */
const level = (name: string, by: string, matching = byStage): string => `max by (${by}) (${name}${matching})`;
const rate = (name: string, by: string, matching = byStage): string =>
  `sum by (${by}) (rate(${name}${matching}[$__rate_interval]))`;

const pipelineFlow: Dashboard = {
  file: "pipeline-flow.json",
  title: "Pipeline Flow",
  panels: [
    line(
      "Done per second",
      [query(rate("events_processed_total", "stage", '{stage=~"$stage", outcome="done"}'), "{{stage}}")],
      { unit: "ops" },
    ),
    line("Waiting, later, held", [query(level("queue_depth", "stage, state"), "{{stage}} {{state}}")]),
    line("Age of the oldest open task", [query(level("headway_oldest_due_seconds", "stage"), "{{stage}}")], {
      unit: "s",
    }),
    line("Time until all is done", [maybe(level("headway_eta_seconds", "stage"), "{{stage}}")], {
      unit: "s",
    }),
    line("Duration of attempts", percentiles("processing_duration_seconds", byStage), { unit: "s" }),
    line("Claimed", [
      query(level("headway_task_state", "stage", '{stage=~"$stage", state="claimed"}'), "{{stage}}"),
    ]),
    line(
      "Documents yielded per second",
      [query(rate("headway_documents_yielded_total", "stage"), "{{stage}}")],
      { unit: "ops" },
    ),
    line("Commits refused and failed", [
      query(rate("headway_commits_refused_total", "stage"), "{{stage}} refused"),
      query(rate("headway_commits_failed_total", "stage"), "{{stage}} failed"),
    ]),
  ],
};

const failedQueues: Dashboard = {
  file: "failed-queues.json",
  title: "Failed Queues",
  panels: [
    line("Dead letters by stage", [
      query(level("headway_task_state", "stage", '{stage=~"$stage", state="dead"}'), "{{stage}}"),
    ]),
    line("Deaths per hour by reason", [
      query(`sum by (stage, reason) (increase(event_retry_dlq_total${byStage}[1h]))`, "{{stage}} {{reason}}"),
    ]),
    line(
      "Faults by kind and code",
      [maybe(rate("failures_total", "stage, kind, error_type"), "{{stage}} {{kind}} {{error_type}}")],
      { unit: "ops" },
    ),
    line(
      "Success after retries, by attempt",
      [query(rate("event_retry_success_total", "attempt"), "attempt {{attempt}}")],
      { unit: "ops" },
    ),
    line("Deliveries in quarantine", [
      maybe(
        "sum by (queue, reason) (increase(headway_deliveries_quarantined_total[1h]))",
        "{{queue}} {{reason}}",
      ),
    ]),
    line(
      "Messages in failed queues of RabbitMQ",
      [maybe('sum by (queue) (rabbitmq_queue_messages_ready{queue=~".*\\\\.failed"})', "{{queue}}")],
      {
        about: "Emitted by RabbitMQ's own plugin rabbitmq_prometheus.",
      },
    ),
  ],
};

const retryPolicy: Dashboard = {
  file: "retry-policy-monitoring.json",
  title: "Retry Policy Monitoring",
  panels: [
    {
      title: "Stuck Documents",
      kind: "gauge",
      queries: [query(level("retry_job_stuck_documents", "collection", ofCollection), "{{collection}}")],
      thresholds: [50, 200],
    },
    line(
      "Retry Rate",
      [
        query(
          `max by (collection) (rate(retry_job_documents_requeued_total${ofCollection}[5m]))`,
          "{{collection}}",
        ),
      ],
      { unit: "ops" },
    ),
    number(
      "Max Retries Exceeded",
      query(
        `sum(max by (collection) (retry_job_documents_max_retries_exceeded_total${ofCollection}))`,
        "documents",
      ),
      { thresholds: [1, 10] },
    ),
    line("Backoff Skipped", [
      query(level("retry_job_documents_skipped_backoff_total", "collection", ofCollection), "{{collection}}"),
    ]),
    {
      title: "Job Duration",
      kind: "histogram",
      unit: "s",
      queries: [query("max by (le) (retry_job_duration_seconds_bucket)", "{{le}}")],
    },
    line("Runs by outcome", [query("max by (status) (increase(retry_job_runs_total[1h]))", "{{status}}")]),
    number("Last successful sweep", maybe("max(retry_job_last_success_timestamp_seconds) * 1000", "sweep"), {
      unit: "dateTimeFromNow",
    }),
    line("First attempt to done, of retried tasks", percentiles("event_retry_latency_seconds", byStage), {
      unit: "s",
    }),
    line(
      "Retries decided",
      [query(rate("event_retry_attempts_total", "stage, place"), "{{stage}} {{place}}")],
      { unit: "ops" },
    ),
  ],
};

const documentStatus: Dashboard = {
  file: "document-status.json",
  title: "Document Status",
  panels: [
    line("Ledger by state", [
      query(`sum by (state) (${level("headway_task_state", "stage, state")})`, "{{state}}"),
    ]),
    number("Ledger difference", query(`sum(${level("headway_ledger_difference", "stage")})`, "difference"), {
      thresholds: [1, 1],
      about: "Accepted minus all states: 0, or a bug.",
    }),
    line(
      "Accepted per second",
      [
        query(
          rate("headway_documents_accepted_total", "collection, outcome", ofCollection),
          "{{collection}} {{outcome}}",
        ),
      ],
      { unit: "ops" },
    ),
    line(
      "Removed per second",
      [query("sum(rate(headway_documents_removed_total[$__rate_interval]))", "removed")],
      { unit: "ops" },
    ),
    line("Conflicts and replaced characters", [
      query(rate("headway_document_conflicts_total", "collection", ofCollection), "{{collection}} conflicts"),
      query(
        rate("headway_documents_normalised_total", "collection", ofCollection),
        "{{collection}} replaced",
      ),
    ]),
    number("Age of these figures", query("time() - max(headway_reading_timestamp_seconds)", "age"), {
      unit: "s",
      thresholds: [60, 300],
    }),
  ],
};

const workersAndOutages: Dashboard = {
  file: "workers-and-outages.json",
  title: "Workers and Outages",
  panels: [
    line("Workers", [query(level("headway_workers", "state", ""), "{{state}}")]),
    line("Workers by stage", [query(level("headway_stage_workers", "stage"), "{{stage}}")]),
    line("Ends of workers", [
      query("sum by (outcome) (increase(headway_worker_ends_total[10m]))", "{{outcome}}"),
    ]),
    line(
      "Tasks taken over",
      [query("sum(rate(headway_tasks_recovered_total[$__rate_interval]))", "recovered")],
      { unit: "ops" },
    ),
    line("Services that are down", [
      maybe(level("headway_dependency_open", "dependency", ""), "{{dependency}}"),
    ]),
    line("Database and broker", [
      query("min by (instance) (headway_database_up)", "database {{instance}}"),
      maybe("min by (instance) (headway_broker_up)", "broker {{instance}}"),
    ]),
    line("Memory", [query("max by (instance) (process_resident_memory_bytes)", "{{instance}}")], {
      unit: "bytes",
    }),
    line(
      "Event-loop delay, p99",
      [query("max by (instance) (nodejs_eventloop_lag_p99_seconds)", "{{instance}}")],
      { unit: "s" },
    ),
    line(
      "Processor",
      [query("sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval]))", "{{instance}}")],
      { unit: "percentunit" },
    ),
    number("Paused stages", query(`sum(${level("headway_stage_paused", "stage")})`, "paused"), {
      thresholds: [1, 5],
    }),
  ],
};

const alertsAndErrors: Dashboard = {
  file: "alerts-and-errors.json",
  title: "Alerts and Errors",
  panels: [
    line("Open alerts", [query(level("headway_alerts_open", "severity", ""), "{{severity}}")]),
    line("Notices by channel", [
      query(
        "sum by (channel, outcome) (increase(headway_alert_deliveries_total[1h]))",
        "{{channel}} {{outcome}}",
      ),
    ]),
    line("Faults by code", [
      maybe(`topk(10, sum by (error_type) (increase(failures_total${byStage}[1h])))`, "{{error_type}}"),
    ]),
    line("Losses of database and broker", [
      maybe("sum by (error_type) (increase(headway_database_losses_total[1h]))", "database {{error_type}}"),
      maybe("sum by (error_type) (increase(headway_broker_losses_total[1h]))", "broker {{error_type}}"),
    ]),
  ],
};

/** The four dashboards of the seeds by name, then workers and alerts. */
export const dashboards: readonly Dashboard[] = [
  pipelineFlow,
  failedQueues,
  retryPolicy,
  documentStatus,
  workersAndOutages,
  alertsAndErrors,
];
