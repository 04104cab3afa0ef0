/** Evidence of a requirement: a test by file and title, a command, a page, or the ruling that replaces the requirement. */
export type Evidence =
  | { readonly test: string; readonly title: string }
  | { readonly command: string }
  | { readonly page: string }
  | { readonly ruling: string }
  | { readonly open: string };

export interface Requirement {
  readonly asks: string;
  readonly shown: Evidence;
}

const test =
  (file: string) =>
  (title: string): Evidence => ({ test: file, title });
const retries = test("test/behaviours/retries.test.ts");
const broker = test("test/behaviours/broker.test.ts");
const crashes = test("test/behaviours/crash-recovery.test.ts");
const duplicates = test("test/behaviours/duplicates.test.ts");
const seeing = test("test/operating/seeing.test.ts");
const failed = test("test/operating/failed.test.ts");
const sweep = test("test/operating/sweep-command.test.ts");
const counters = test("engine/src/watch/counters.test.ts");
const logs = test("engine/src/watch/logs.test.ts");
const seedWords = test("engine/src/decide/seed-words.test.ts");
const alerts = test("test/integration/alerts.test.ts");
const watched = test("test/operating/watched.test.ts");
const grafana = test("tools/grafana-files.test.ts");
const tally = test("test/integration/tally.test.ts");
const command = (words: string): Evidence => ({ command: words });
const page = (path: string): Evidence => ({ page: path });
const ruling = (text: string): Evidence => ({ ruling: text });
const open = (missing: string): Evidence => ({ open: missing });

/** Rows of one document, in the document's order. */
const rows = (...all: readonly (readonly [asks: string, shown: Evidence])[]): readonly Requirement[] =>
  all.map(([asks, shown]) => ({ asks, shown }));

/** Requirements of the five documents behind Headway, by the number of the document. */
export const seedRequirements: Readonly<Record<string, readonly Requirement[]>> = {
  "000": rows(
    [
      "An archive has a status: pending, processed, failed",
      ruling("the status of a finished document is `completed`; `processed` is accepted on import"),
    ],
    [
      "`embedding_generated` of a chunk says whether it has a vector",
      seedWords("say of a chunk, and of nothing else, whether it has a vector"),
    ],
    ["There is no intermediate state that a crash leaves behind", crashes("37: what a dead worker held")],
    ["A crash needs no cleaning up at start", crashes("49: claims of workers that ended long ago")],
    ["The same input twice has the same result and no error", duplicates("61: the same document handed in")],
    [
      "A duplicate is skipped at level debug",
      duplicates("65: what is there already is reported as unchanged"),
    ],
    [
      "Only a duplicate key counts as a duplicate; other errors are faults",
      duplicates("67: only a duplicate key counts as a duplicate"),
    ],
    ["A vector that exists is no error", ruling("vectors are upserted with their chunk's commit")],
    [
      "A message's key follows from its Message-ID",
      test("pipelines/consensus/src/mail/message-id.test.ts")(
        "is the same for the same message, and another for another",
      ),
    ],
    [
      "An expensive result that exists is not made again",
      test("test/conformance/store-commits.ts")("what turns out unchanged keeps its outputs"),
    ],
    ["Every stage has a test of idempotence", command("headway drill")],
    [
      "Transient faults are tried again, malformed data is not",
      retries("10: what was thrown decides whether and when a task is tried again"),
    ],
    ["A delivery is acknowledged after its work", broker("95: after the commit it is acknowledged")],
    ["A failed delivery comes again", broker("95, 41: news is not acknowledged before the commit it led to")],
    [
      "A malformed delivery is acknowledged, and does not loop",
      broker("31, 36: whatever does not parse or fit is set aside"),
    ],
    ["Nothing is requeued by a start", ruling("one continuous sweep instead of a requeue at start")],
    [
      "Retries: three by default, 5 s, doubled, at most 60 s",
      retries("3: with exponential backoff the delays grow"),
    ],
    ["A delay has a cap", retries("4: however often it fails, no delay is longer")],
    [
      "After the last try a `*Failed` event is announced",
      broker("30: dead letters are in the queue for them"),
    ],
    [
      "The exception is raised again after the last try",
      ruling("after the last try: acknowledge and dead letter, never back into the same queue"),
    ],
    [
      "Fields of a failed event: chunk_ids, error_message, error_type, retry_count, failed_at",
      seedWords("give a failed event the fields that a consumer of the seeds reads"),
    ],
    ["Queues `<service>.failed`", broker("each stage has its own dead letters")],
    [
      "Counters, histograms and gauges for each service",
      counters("what becomes of tasks is counted by stage and outcome"),
    ],
    [
      "`METRICS_BACKEND` chooses how metrics leave",
      test("cli/src/metrics-backend.test.ts")("decides whether a sweep pushes"),
    ],
    ["`ERROR_REPORTER_TYPE` chooses the reporter of errors", open("the variable is not read")],
    [
      "`POST /api/errors` takes errors, up to 10,000 are kept",
      test("test/integration/errors.test.ts")("a reporter of the seeds works unchanged"),
    ],
    ["A page shows errors", test("test/console/pages.test.ts")("can be read by everybody and stays text")],
    [
      "Log levels: debug for skips, error with the stack",
      logs("what is quieter than the level is not written"),
    ],
    [
      "Loki, Promtail and Grafana collect logs",
      test("test/operating/stack.test.ts")("has the whole stack, and mounts only what is there"),
    ],
    ["Prometheus alerts on failed queues", page("docs/operating/prometheus.md")],
    ["A dashboard “Failed Queues”", watched("answer every query of every dashboard with series")],
    [
      "`inspect parsing.failed --limit 10`",
      failed("are listed and grouped, by stage or by its failed queue"),
    ],
    ["`requeue parsing.failed --dry-run`", test("test/operating/dry-runs.test.ts")("says what would be")],
    ["`requeue parsing.failed`", failed("come back to life by requeueing: each one once")],
    ["`purge parsing.failed --dry-run`", test("test/operating/dry-runs.test.ts")("counts what is then done")],
    ["A checklist for new services", page("docs/guides/write-a-stage.md")],
  ),
  "001": rows(
    ["Transient failures heal by themselves", retries("1: a stage that failed is run again")],
    ["Retries are bounded", retries("7: a task is tried exactly as often as its policy says")],
    [
      "`attemptCount` and `lastAttemptTime` of every document",
      seeing("is the status, attempts and last attempt of documents, and which of them are stuck"),
    ],
    [
      "Limits by collection: archives 3, messages 3, chunks 5, threads 5",
      test("engine/src/define/retry-variables.test.ts")("limit the tries by collection"),
    ],
    [
      "A document without progress for 24 hours is stuck",
      sweep("what is stuck or waits for its next attempt is told"),
    ],
    ["24 hours have to pass before a retry", ruling("24 h is an alert, not a gate")],
    [
      "Delay: min(5 min × 2^(attempts − 1), 60 min)",
      test("engine/src/decide/settle.test.ts")(
        "gets quick attempts, and then the slow tail of 5, 10, 20, 40 and 60 minutes",
      ),
    ],
    [
      "The first delay is 10 minutes",
      ruling("the formula counts attempts already made: 5, 10, 20, 40, 60 min"),
    ],
    [
      "The retry job runs every 15 minutes, as a service",
      sweep("as a process of its own it sweeps again and again"),
    ],
    ["It looks for stuck documents and requeues them", sweep("what was forgotten is owed, and counted")],
    ["It counts attempts", ruling("one writer counts attempts: the worker's commit")],
    [
      "It publishes the triggering event again",
      ruling("tasks are owed in the database; events are announced once"),
    ],
    [
      "Past the maximum: `failed_max_retries`",
      ruling(
        "the maximum is decided at failure time, not by a later sweep; the status is shown under this name",
      ),
    ],
    [
      "Logged at level error with id, attempts and cause",
      logs("a line about a task carries its correlation id"),
    ],
    ["`retry_job_documents_requeued_total`", sweep("counted under the names of the retry job")],
    [
      "`retry_job_documents_skipped_backoff_total`",
      counters("a sweep is counted under the names of the retry job"),
    ],
    [
      "`retry_job_documents_max_retries_exceeded_total`",
      tally("documents that used up their attempts are counted by the commit"),
    ],
    ["`retry_job_runs_total`", tally("sweeps of different processes add up")],
    ["`retry_job_errors_total`", counters("a sweep that failed is counted with the kind of its error")],
    ["`retry_job_stuck_documents`, `retry_job_failed_documents`", page("docs/reference/metrics.md")],
    ["`retry_job_duration_seconds`", page("docs/reference/metrics.md")],
    [
      "Metrics are pushed to a Pushgateway",
      test("test/operating/pushgateway.test.ts")("shows rising totals"),
    ],
    [
      "Alerts StuckDocumentsWarning, MaxRetriesExceededCritical, RetryJobFailed",
      test("tools/prometheus-rules.test.ts")(
        "fire when their cause is there, and stay silent when it is not",
      ),
    ],
    ["A dashboard “Retry Policy Monitoring”", grafana("have the names that the seeds ask for")],
    ["Four tiers of escalation with owners and times", page("docs/operating/escalation.md")],
    ["Stuck documents can be listed", command("headway documents")],
    ["The retry job can be run by hand", command("headway sweep")],
    [
      "Dead letters can be exported: `export archives.failed --output FILE`",
      failed("are found by the seeds' names and exported with --output"),
    ],
    ["Attempts can be reset", failed("and those who wait are reset: attempts 0 and pending")],
    ["Dead letters can be purged", ruling("purge deletes dead letters, not content")],
    [
      "`RETRY_JOB_*` variables",
      test("engine/src/define/retry-variables.test.ts")("the environment variables of the seeds"),
    ],
    ["A compose service for the retry job", page("deploy/compose.yaml")],
    ["Error context of each document", command("headway explain")],
    ["Priorities of retries", test("test/behaviours/concurrency.test.ts")("60: what is urgent goes before")],
    [
      "Backoff by the health of a dependency",
      test("test/behaviours/outages.test.ts")("costs nobody an attempt"),
    ],
    ["Operators schedule retries", command("headway retry")],
    ["An archive of dead letters", command("headway failed list")],
    ["Root causes by grouping", command("headway failed groups")],
  ),
  "002": rows(
    [
      "An event that comes before its document waits for the document",
      broker("14: news of a document that is not visible yet waits for it"),
    ],
    [
      "`RETRY_MAX_ATTEMPTS`, `RETRY_BASE_DELAY_MS`, `RETRY_BACKOFF_FACTOR`, `RETRY_MAX_DELAY_SECONDS`, `RETRY_TTL_MINUTES`",
      test("engine/src/define/retry-variables.test.ts")(
        "shape the waiting for documents that are not there yet",
      ),
    ],
    ["Full jitter", retries("8: full jitter stays between nothing and the cap")],
    [
      "Validation and programming errors go to the dead letters at once",
      retries("25: a permanent fault goes straight"),
    ],
    ["Abandoned after the last attempt", retries("11: when the tries are used up that is told once")],
    ["Abandoned after a total time", retries("16: waits are counted apart from failures and have a limit")],
    [
      "An idempotency key of each event",
      test("engine/src/decide/envelope.test.ts")("has the same id for the same fact"),
    ],
    [
      "A dead letter carries the original event",
      retries("13: after the last attempt a task is dead, with its input"),
    ],
    [
      "Fields idempotency_key, last_error, abandoned_reason, service_name of a dead letter",
      seedWords("give a dead letter its original event, key, last error, reason and service"),
    ],
    ["`event_retry_success_total`, `event_retry_latency_seconds`", page("docs/reference/metrics.md")],
    ["`event_retry_dlq_total`, `event_retry_attempt_count`", page("docs/reference/metrics.md")],
    [
      "Levels: info for a retry, warning near the last, error at the dead letter",
      logs("a retry is info, the last one a warning, a death an error"),
    ],
    ["Tests with a real queue", test("test/conformance/dispatch.ts")("news of work")],
    [
      "An outbox instead of a race",
      test("test/conformance/dispatch.ts")("events are handed on once, all of them"),
    ],
  ),
  "003": rows(
    [
      "`pending → completed`; `processing` accepted for compatibility",
      test("test/app/commands.test.ts")(
        "documents are held against their schema, whatever status they bring",
      ),
    ],
    ["No work is lost by a crash", page("RELIABILITY.md")],
    ["Replays are harmless", crashes("46: completing a task twice is harmless")],
    ["Labels of low cardinality", counters("one more stage costs at most 90 series")],
    ["Logs by document id", logs("a line about a task carries its correlation id, stage and document")],
    ["Saved queries for log exploration", page("deploy/grafana/logs.json")],
    [
      "Versioned schemas of documents",
      test("tools/schema-changes.test.ts")("no schema breaks the readers of its version"),
    ],
    ["Alerts on stuck documents, used-up tries, failed retry jobs", page("docs/operating/prometheus.md")],
  ),
  "004": rows(
    ["No stage has a retry loop of its own", page("docs/guides/write-a-stage.md")],
    ["Faults are transient or permanent", test("engine/src/decide/recognise.test.ts")("an HTTP answer")],
    [
      "5xx, connection, timeout and 429 are retried",
      test("engine/src/decide/recognise.test.ts")("a system error"),
    ],
    [
      "4xx, validation and missing fields are not",
      retries("25: a permanent fault goes straight to the dead letters"),
    ],
    [
      "A fault names stage, document and cause",
      test("engine/src/decide/classify.test.ts")("anything thrown"),
    ],
    [
      "First retry after 1 s in place, later ones asynchronous",
      test("engine/src/decide/settle.test.ts")("a retry in place"),
    ],
    [
      "Markers with a SHA-256 of the input are checked before work",
      test("engine/src/decide/hash.test.ts")("a marker"),
    ],
    ["Changed input: old results go", duplicates("66: the same id with other content replaces it")],
    ["Old results are deleted first", ruling("write new before deleting old")],
    [
      "Markers carry facts: outputs, time",
      test("test/behaviours/result-facts.test.ts")(
        "are kept with it: time of the attempt, size of the batch, calls with their time and tokens",
      ),
    ],
    [
      "Correlation id `req_<uuid>.stage_<name>.retry_<n>`",
      logs("a line about a task carries its correlation id"),
    ],
    [
      "The whole story of a request by its id",
      seeing("is the whole story of a request, and of one document in it"),
    ],
    [
      "Log fields: timestamp, level, correlation_id, processor, document_id, message, metadata",
      logs("gives exactly one line of JSON with every field of a line"),
    ],
    ["Non-blocking locks, released in all cases", crashes("89: a leader that was given up loses its role")],
    ["32-bit lock keys", ruling("lock keys are 64 bit")],
    ["A second worker on the same document counts as success", ruling("`busy` is not success")],
    [
      "Alerts are queued, never sent by stages",
      alerts("a storm in many commits is one alert and two notices"),
    ],
    ["Alerts are aggregated by type, severity and window", alerts("many deaths of one cause are one notice")],
    [
      "Alert rules in the database: threshold, window, channels, recipients",
      alerts("rules are changed with a history"),
    ],
    ["Benchmarks refuse production", test("test/operating/bench-command.test.ts")("refuses production")],
    [
      "Fixed documents for benchmarks",
      test("pipelines/manuals/src/generated/generate-manual.test.ts")("has the same bytes each time"),
    ],
    ["A compose file for staging", page("deploy/compose.staging.yaml")],
    [
      "An anonymous copy for staging",
      test("test/operating/snapshot.test.ts")("nothing that was planted is anywhere in the copy"),
    ],
    [
      "`performance_baselines`, compared with the last run",
      test("test/operating/bench-command.test.ts")("tells a change against the last run"),
    ],
    [
      "Query counts, slow queries, calls, CPU, memory and I/O of a benchmark",
      test("test/operating/bench-command.test.ts")("stage by stage"),
    ],
    [
      "`retry_policies` in the database, changed at run time",
      test("test/operating/steering.test.ts")("policies are seen, set"),
    ],
    ["`pipeline_errors`: each failed attempt with its cause", command("headway failed inspect")],
    [
      "Faults of services simulated in tests",
      test("test/behaviours/outages.test.ts")("an outage of a dependency"),
    ],
  ),
};
