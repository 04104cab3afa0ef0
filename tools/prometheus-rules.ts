import { freshnessRules } from "./prometheus-freshness.ts";
import type { AlertRule } from "./prometheus-rule.ts";

const deaths = 'event_retry_dlq_total{stage="parsing",service="parsing",reason="permanent"}';
const past = 'retry_job_documents_max_retries_exceeded_total{collection="mails"}';
const failed = 'retry_job_failed_documents{collection="mails"}';
const stuck = 'retry_job_stuck_documents{collection="mails"}';
const oldest = 'headway_oldest_due_seconds{stage="parsing"}';
const openBreaker = 'headway_dependency_open{dependency="embedder"}';
const waiting = 'queue_depth{stage="parsing",state="waiting"}';
const done = 'events_processed_total{stage="parsing",outcome="done"}';
const dead = 'events_processed_total{stage="parsing",outcome="dead"}';
const workers = 'headway_stage_workers{stage="parsing"}';
const paused = 'headway_stage_paused{stage="parsing"}';
/** Ten attempts a minute within half a second for a week, then ten a minute within 30 s. */
const slowBuckets = [
  'processing_duration_seconds_bucket{stage="parsing",le="0.5"}',
  'processing_duration_seconds_bucket{stage="parsing",le="30"}',
  'processing_duration_seconds_bucket{stage="parsing",le="+Inf"}',
] as const;
const slowing = {
  [slowBuckets[0]]: "0+10x10090 100900+0x200",
  [slowBuckets[1]]: "0+10x10300",
  [slowBuckets[2]]: "0+10x10300",
};
const ofParsing = { stage: "parsing" };
const ofMails = { collection: "mails" };

const documents: readonly AlertRule[] = [
  {
    alert: "HeadwayDeadLetters",
    expr: 'sum by (stage) (increase(event_retry_dlq_total{reason!="cancelled"}[1h])) > 10',
    forMinutes: 0,
    severity: "warning",
    summary: 'About {{ $value | printf "%.0f" }} documents died at {{ $labels.stage }} within the hour',
    command: "headway failed groups",
    runbook: "dead-letters-after-a-deploy.md",
    fires: { series: { [deaths]: "0 20+0x59" }, minutes: 30, labels: ofParsing },
    silent: { series: { [deaths]: "0 5+0x59" }, minutes: 30 },
  },
  {
    alert: "HeadwayDeathRatio",
    expr: `sum by (stage) (increase(events_processed_total{outcome="dead"}[15m]))
  / sum by (stage) (increase(events_processed_total[15m])) > 0.05
  and sum by (stage) (increase(events_processed_total[15m])) > 100`,
    forMinutes: 5,
    severity: "critical",
    summary: "{{ $value | humanizePercentage }} of the attempts at {{ $labels.stage }} end as dead letters",
    command: "headway failed groups",
    runbook: "dead-letters-after-a-deploy.md",
    fires: { series: { [done]: "0+20x60", [dead]: "0+5x60" }, minutes: 30, labels: ofParsing },
    silent: { series: { [done]: "0+200x60", [dead]: "0+5x60" }, minutes: 30 },
  },
  {
    alert: "HeadwayMaxRetriesExceeded",
    expr: "max by (collection) (increase(retry_job_documents_max_retries_exceeded_total[1h])) > 10",
    forMinutes: 0,
    severity: "critical",
    summary:
      'About {{ $value | printf "%.0f" }} documents of {{ $labels.collection }} used up their attempts within the hour',
    command: "headway failed list",
    runbook: "dead-letters-after-a-deploy.md",
    fires: { series: { [past]: "0 12+0x59" }, minutes: 30, labels: ofMails },
    silent: { series: { [past]: "0 3+0x59" }, minutes: 30 },
  },
  {
    alert: "HeadwayFailedAccumulating",
    expr: "max by (collection) (retry_job_failed_documents) > 100",
    forMinutes: 60,
    severity: "warning",
    summary: "{{ $value }} dead letters of {{ $labels.collection }} wait for a person",
    command: "headway failed groups",
    runbook: "dead-letters-after-a-deploy.md",
    fires: { series: { [failed]: "150+0x90" }, minutes: 70, labels: ofMails },
    silent: { series: { [failed]: "150+0x30 20+0x60" }, minutes: 70 },
  },
  {
    alert: "HeadwayFailedEmergency",
    expr: "max by (collection) (retry_job_failed_documents) > 1000",
    forMinutes: 15,
    severity: "critical",
    summary: "{{ $value }} dead letters of {{ $labels.collection }} wait for a person",
    command: "headway failed groups",
    runbook: "dead-letters-after-a-deploy.md",
    fires: { series: { [failed]: "1500+0x30" }, minutes: 20, labels: ofMails },
    silent: { series: { [failed]: "900+0x30" }, minutes: 20 },
  },
];

const backlog: readonly AlertRule[] = [
  {
    alert: "HeadwayStuckDocuments",
    expr: "max by (collection) (retry_job_stuck_documents) > 50",
    forMinutes: 60,
    severity: "warning",
    summary: "{{ $value }} documents of {{ $labels.collection }} are owed for longer than allowed",
    command: "headway documents",
    runbook: "stuck-documents.md",
    fires: { series: { [stuck]: "60+0x90" }, minutes: 70, labels: ofMails },
    silent: { series: { [stuck]: "40+0x90" }, minutes: 70 },
  },
  {
    alert: "HeadwayStuckEmergency",
    expr: "max by (collection) (retry_job_stuck_documents) > 1000",
    forMinutes: 15,
    severity: "critical",
    summary: "{{ $value }} documents of {{ $labels.collection }} are owed for longer than allowed",
    command: "headway documents",
    runbook: "stuck-documents.md",
    fires: { series: { [stuck]: "1200+0x30" }, minutes: 20, labels: ofMails },
    silent: { series: { [stuck]: "800+0x30" }, minutes: 20 },
  },
  {
    alert: "HeadwayStuckForAWeek",
    expr: "max by (stage) (headway_oldest_due_seconds) > 604800",
    forMinutes: 15,
    severity: "critical",
    summary: "The oldest open task of {{ $labels.stage }} is {{ $value | humanizeDuration }} old",
    command: "headway documents",
    runbook: "stuck-documents.md",
    fires: { series: { [oldest]: "604900+60x30" }, minutes: 20, labels: ofParsing },
    silent: { series: { [oldest]: "600000+60x30" }, minutes: 20 },
  },
  {
    alert: "HeadwayBacklogOld",
    expr: "max by (stage) (headway_oldest_due_seconds) > 3600 unless on () max(headway_dependency_open) == 1",
    forMinutes: 10,
    severity: "warning",
    summary: "The oldest open task of {{ $labels.stage }} is {{ $value | humanizeDuration }} old",
    command: "headway status",
    runbook: "stuck-documents.md",
    fires: { series: { [oldest]: "4000+60x30", [openBreaker]: "0+0x30" }, minutes: 20, labels: ofParsing },
    silent: { series: { [oldest]: "4000+60x30", [openBreaker]: "1+0x30" }, minutes: 20 },
  },
  {
    alert: "HeadwayNoProgress",
    expr: `max by (stage) (queue_depth{state="waiting"}) > 0
  and sum by (stage) (increase(events_processed_total[15m])) == 0
  unless max by (stage) (headway_stage_paused) == 1
  unless on () max(headway_dependency_open) == 1`,
    forMinutes: 15,
    severity: "critical",
    summary:
      "{{ $labels.stage }} has {{ $value }} tasks that are due and has ended no attempt for 15 minutes",
    command: "headway status",
    runbook: "stuck-documents.md",
    fires: {
      series: { [waiting]: "7+0x60", [done]: "50+0x60", [paused]: "0+0x60" },
      minutes: 40,
      labels: ofParsing,
    },
    silent: { series: { [waiting]: "7+0x60", [done]: "50+0x60", [paused]: "1+0x60" }, minutes: 40 },
  },
  {
    alert: "HeadwayNoWorker",
    expr: `max by (stage) (headway_stage_workers) == 0 and max by (stage) (queue_depth{state="waiting"}) > 0`,
    forMinutes: 5,
    severity: "critical",
    summary: "Tasks of {{ $labels.stage }} wait, and no worker runs that stage",
    command: "headway workers",
    runbook: "stuck-documents.md",
    fires: { series: { [workers]: "0+0x30", [waiting]: "3+0x30" }, minutes: 10, labels: ofParsing },
    silent: { series: { [workers]: "1+0x30", [waiting]: "3+0x30" }, minutes: 10 },
  },
];

const servers: readonly AlertRule[] = [
  {
    alert: "HeadwayOutage",
    expr: "max by (dependency) (headway_dependency_open) == 1",
    forMinutes: 5,
    severity: "critical",
    summary: "{{ $labels.dependency }} is down; its documents are held and lose no attempt",
    command: "headway status",
    runbook: "dependency-outage.md",
    fires: { series: { [openBreaker]: "1+0x30" }, minutes: 10, labels: { dependency: "embedder" } },
    silent: { series: { [openBreaker]: "1 1 1 0+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwayWorkersDying",
    expr: 'sum(increase(headway_worker_ends_total{outcome!="stopped"}[15m])) > 3',
    forMinutes: 0,
    severity: "warning",
    summary: 'About {{ $value | printf "%.0f" }} workers died within 15 minutes',
    command: "headway workers",
    runbook: "stuck-documents.md",
    fires: { series: { 'headway_worker_ends_total{outcome="evicted"}': "0+1x30" }, minutes: 20, labels: {} },
    silent: { series: { 'headway_worker_ends_total{outcome="stopped"}': "0+1x30" }, minutes: 20 },
  },
  {
    alert: "HeadwayLedgerUnbalanced",
    expr: "max by (stage) (headway_ledger_difference) != 0",
    forMinutes: 5,
    severity: "critical",
    summary:
      "{{ $labels.stage }}: accepted differs from done + waiting + claimed + dead + deleted by {{ $value }}",
    command: "headway verify",
    runbook: "ledger.md",
    fires: {
      series: { 'headway_ledger_difference{stage="parsing"}': "1+0x30" },
      minutes: 10,
      labels: ofParsing,
    },
    silent: { series: { 'headway_ledger_difference{stage="parsing"}': "0 1 0+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwayReadingOld",
    expr: "time() - max(headway_reading_timestamp_seconds) > 600",
    forMinutes: 0,
    severity: "warning",
    summary: "The gauges of the cluster are {{ $value | humanizeDuration }} old",
    command: "headway doctor",
    runbook: "ledger.md",
    fires: { series: { headway_reading_timestamp_seconds: "0+0x60" }, minutes: 30, labels: {} },
    silent: { series: { headway_reading_timestamp_seconds: "0+60x60" }, minutes: 30 },
  },
  {
    alert: "HeadwayDatabaseAway",
    expr: "min(headway_database_up) == 0",
    forMinutes: 2,
    severity: "critical",
    summary: "A process does not reach the database",
    command: "headway doctor",
    runbook: "database-away.md",
    fires: { series: { headway_database_up: "0+0x30" }, minutes: 5, labels: {} },
    silent: { series: { headway_database_up: "1 0 1+0x30" }, minutes: 5 },
  },
  {
    alert: "HeadwayRetryJobFailed",
    expr: 'max(increase(retry_job_runs_total{status="failure"}[30m])) > 0',
    forMinutes: 0,
    severity: "warning",
    summary: "A sweep failed",
    command: "headway sweep --once",
    runbook: "stuck-documents.md",
    fires: { series: { 'retry_job_runs_total{status="failure"}': "0 0 0 1+0x30" }, minutes: 10, labels: {} },
    silent: { series: { 'retry_job_runs_total{status="failure"}': "0+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwayRetryJobUnable",
    expr: "max(retry_job_last_run_failed) == 1",
    forMinutes: 0,
    severity: "warning",
    summary: "The last run of headway sweep could not begin or failed",
    command: "headway sweep --once",
    runbook: "stuck-documents.md",
    fires: { series: { retry_job_last_run_failed: "0 1+0x30" }, minutes: 10, labels: {} },
    silent: { series: { retry_job_last_run_failed: "1 0+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwayRetryJobMissing",
    expr: "time() - max(retry_job_last_success_timestamp_seconds) > 2700",
    forMinutes: 0,
    severity: "warning",
    summary: "The last sweep that succeeded was {{ $value | humanizeDuration }} ago",
    command: "headway sweep --once",
    runbook: "stuck-documents.md",
    fires: { series: { retry_job_last_success_timestamp_seconds: "0+0x90" }, minutes: 60, labels: {} },
    silent: { series: { retry_job_last_success_timestamp_seconds: "0+60x90" }, minutes: 60 },
  },
  {
    alert: "HeadwayFolded",
    expr: "max(headway_folded_label_sets) > 0",
    forMinutes: 60,
    severity: "info",
    summary: "{{ $value }} label sets are counted under other: fault codes that vary",
    command: "headway failed groups",
    runbook: "README.md",
    fires: { series: { headway_folded_label_sets: "3+0x90" }, minutes: 70, labels: {} },
    silent: { series: { headway_folded_label_sets: "0+0x90" }, minutes: 70 },
  },
  {
    alert: "HeadwayDown",
    expr: "absent(headway_build_info)",
    forMinutes: 5,
    severity: "critical",
    summary: "No process of Headway is scraped",
    command: "headway up",
    runbook: "README.md",
    fires: { series: { up: "0+0x30" }, minutes: 10, labels: {} },
    silent: { series: { 'headway_build_info{version="0.1.0",node="v20"}': "1+0x30" }, minutes: 10 },
  },
];

const delivery: readonly AlertRule[] = [
  {
    alert: "HeadwayOutboxOld",
    expr: "max(headway_outbox_oldest_seconds) > 900",
    forMinutes: 5,
    severity: "warning",
    summary: "The oldest event that was not handed on is {{ $value | humanizeDuration }} old",
    command: "headway events",
    runbook: "broker-lost.md",
    fires: { series: { headway_outbox_oldest_seconds: "1000+60x30" }, minutes: 10, labels: {} },
    silent: { series: { headway_outbox_oldest_seconds: "1000 1060 0+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwayQuarantine",
    // A level, not an increase: the counter by queue is born with its first delivery, which increase() does not see.
    expr: "max(headway_quarantine) > 0",
    forMinutes: 0,
    severity: "warning",
    summary: "{{ $value }} deliveries are set aside and wait for a person",
    command: "headway failed list --quarantine",
    runbook: "broker-lost.md",
    fires: { series: { headway_quarantine: "0 0 1+0x30" }, minutes: 5, labels: {} },
    silent: { series: { headway_quarantine: "1 0+0x30" }, minutes: 5 },
  },
  {
    alert: "HeadwayUnexpectedResults",
    expr: "max by (stage) (headway_unexpected_results) > 0",
    forMinutes: 5,
    severity: "warning",
    summary: "{{ $labels.stage }} stored {{ $value }} results that it did not expect",
    command: "headway unexpected",
    runbook: "alerts.md",
    fires: {
      series: { 'headway_unexpected_results{stage="parsing"}': "0 3+0x30" },
      minutes: 10,
      labels: { stage: "parsing" },
    },
    silent: { series: { 'headway_unexpected_results{stage="parsing"}': "3 0+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwayAlertsUnsent",
    expr: "max(headway_alert_delivery_oldest_seconds) > 900",
    forMinutes: 5,
    severity: "critical",
    summary: "The oldest notice that was not sent is {{ $value | humanizeDuration }} old",
    command: "headway alerts test",
    runbook: "alerts-not-delivered.md",
    fires: { series: { headway_alert_delivery_oldest_seconds: "1000+60x30" }, minutes: 10, labels: {} },
    silent: { series: { headway_alert_delivery_oldest_seconds: "600+0x30" }, minutes: 10 },
  },
  {
    alert: "HeadwaySlow",
    expr: `histogram_quantile(0.95, sum by (stage, le) (rate(processing_duration_seconds_bucket[30m]))) > 1
  and histogram_quantile(0.95, sum by (stage, le) (rate(processing_duration_seconds_bucket[30m])))
  > 3 * histogram_quantile(0.95, sum by (stage, le) (rate(processing_duration_seconds_bucket[30m] offset 1w)))`,
    forMinutes: 30,
    severity: "info",
    summary:
      "{{ $labels.stage }} takes {{ $value | humanizeDuration }} (p95), three times as long as a week ago",
    command: "headway bench",
    runbook: "slow-stage.md",
    fires: { series: slowing, minutes: 10_180, labels: ofParsing },
    silent: { series: { ...slowing, [slowBuckets[0]]: "0+10x10300" }, minutes: 10_180 },
  },
];

export const alertRules: readonly AlertRule[] = [
  ...documents,
  ...backlog,
  ...servers,
  ...freshnessRules,
  ...delivery,
];
