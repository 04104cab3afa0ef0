import { series } from "../../engine/src/watch/series.ts";

/** Metric names that the seeds document, with their labels. */
export const seedNames: Readonly<Record<string, readonly string[]>> = {
  events_processed_total: [],
  failures_total: ["error_type"],
  processing_duration_seconds: [],
  queue_depth: [],
  event_retry_success_total: ["service", "attempt"],
  event_retry_latency_seconds: ["service"],
  event_retry_dlq_total: ["service", "reason"],
  event_retry_attempt_count: ["service"],
  retry_job_documents_requeued_total: ["collection"],
  retry_job_documents_skipped_backoff_total: ["collection"],
  retry_job_documents_max_retries_exceeded_total: ["collection"],
  retry_job_runs_total: ["status"],
  retry_job_errors_total: ["error_type"],
  retry_job_stuck_documents: ["collection"],
  retry_job_failed_documents: ["collection"],
  retry_job_duration_seconds: [],
};

/** Names and labels of the seeds that no series has. */
export const missingSeedNames = (): string[] =>
  Object.entries(seedNames).flatMap(([name, labels]) => {
    const found = series.find((one) => one.name === name);
    if (!found) return [name];
    return labels.filter((label) => !(label in found.labels)).map((label) => `${name}{${label}}`);
  });
