import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySignal } from "../../../test/support/any-signal.ts";
import { classify } from "../decide/classify.ts";
import { permanent } from "../decide/fault.ts";
import type { Signal, SignalBody } from "../decide/signal.ts";
import { countSignals, type Labels } from "./counters.ts";
import { prometheusText } from "./prometheus-text.ts";
import { seriesNamed } from "./series.ts";

const at = new Date("2026-01-02T03:04:05.678Z");
const aTask = { stage: "parsing", documentId: "d", subject: 1, correlationId: "req_1", attempt: 1 };
const fault = classify(permanent("letter.empty", "It is empty."));

function count(...bodies: readonly SignalBody[]) {
  const counters = countSignals();
  for (const body of bodies) counters.heard({ at, ...body } as Signal);
  const { counters: found, gauges, histograms } = counters.snapshot();
  const value = (name: string) =>
    [...found, ...gauges]
      .filter((one) => one.name === name)
      .map(({ labels, value }) => [...Object.values(labels), value].join(" "));
  return { value, histograms };
}

describe("counters", () => {
  it("what becomes of tasks is counted by stage and outcome", () => {
    const { value } = count(
      { kind: "task.done", outputs: 3, durationMs: 1, ...aTask },
      { kind: "task.done", outputs: 0, durationMs: 1, ...aTask, attempt: 2 },
      { kind: "task.skipped", ...aTask },
      { kind: "task.died", durationMs: 12, reason: "permanent", fault, collection: "mails", ...aTask },
      { kind: "task.retried", durationMs: 12, fault, nextAt: at, inPlace: true, left: 2, ...aTask },
    );
    expect(value("events_processed_total")).toEqual([
      "parsing done 2",
      "parsing skipped 1",
      "parsing dead 1",
      "parsing retried 1",
    ]);
    expect(value("headway_documents_yielded_total")).toEqual(["parsing 3"]);
    expect(value("event_retry_success_total")).toEqual(["parsing parsing 2 1"]);
    expect(value("event_retry_dlq_total")).toEqual(["parsing parsing permanent 1"]);
    expect(value("failures_total")).toEqual(["parsing permanent letter.empty 2"]);
  });

  it("a sweep is counted under the names of the retry job", () => {
    const { value, histograms } = count({
      kind: "sweep.finished",
      owed: 1,
      freed: 2,
      died: 3,
      pulledIn: 4,
      durationMs: 1_500,
      collections: [
        { collection: "archives", requeued: 0, skippedBackoff: 0, died: 0, stuck: 0, failed: 0 },
        { collection: "mails", requeued: 7, skippedBackoff: 5, died: 3, stuck: 2, failed: 1 },
      ],
    });
    expect(value("retry_job_runs_total")).toEqual(["success 1", "failure 0"]);
    expect(value("retry_job_documents_requeued_total")).toEqual(["archives 0", "mails 7"]);
    expect(value("retry_job_documents_skipped_backoff_total")).toEqual(["archives 0", "mails 5"]);
    expect(value("retry_job_documents_max_retries_exceeded_total")).toEqual(["archives 0", "mails 0"]);
    expect(value("retry_job_stuck_documents")).toEqual(["archives 0", "mails 2"]);
    expect(value("retry_job_failed_documents")).toEqual(["archives 0", "mails 1"]);
    expect(histograms).toMatchObject([{ name: "retry_job_duration_seconds", sum: 1.5, count: 1 }]);
  });

  it("a gauge says how it is now, a counter how often it was", () => {
    const swept = (stuck: number) => ({
      kind: "sweep.finished" as const,
      ...{ owed: 0, freed: 0, died: 0, pulledIn: 0, durationMs: 1 },
      collections: [{ collection: "mails", requeued: 1, skippedBackoff: 0, died: 0, stuck, failed: 0 }],
    });
    const { value } = count(swept(5), swept(3));
    expect(value("retry_job_stuck_documents")).toEqual(["mails 3"]);
    expect(value("retry_job_documents_requeued_total")).toEqual(["mails 2"]);
  });

  it("a sweep that failed is counted with the kind of its error", () => {
    const { value } = count({ kind: "sweep.failed", fault, durationMs: 1 });
    expect(value("retry_job_runs_total")).toEqual(["failure 1"]);
    expect(value("retry_job_errors_total")).toEqual(["letter.empty 1"]);
  });

  it("only deaths by used-up tries count as past the maximum", () => {
    const { value } = count(
      { kind: "task.died", durationMs: 12, reason: "exhausted", fault, collection: "mails", ...aTask },
      { kind: "task.died", durationMs: 12, reason: "permanent", fault, collection: "mails", ...aTask },
    );
    expect(value("retry_job_documents_max_retries_exceeded_total")).toEqual(["mails 1"]);
  });

  it("counters of known names are there with 0 before anything happens", () => {
    const known = { stages: ["parsing"], collections: ["mails"], dependencies: ["embedder"] };
    const counters = countSignals();
    counters.expect(known);
    const { counters: found, histograms } = counters.snapshot();
    const zero = (name: string, labels: Labels) => expect(found).toContainEqual({ name, labels, value: 0 });
    zero("events_processed_total", { stage: "parsing", outcome: "dead" });
    zero("event_retry_dlq_total", { stage: "parsing", service: "parsing", reason: "max_attempts" });
    zero("retry_job_documents_max_retries_exceeded_total", { collection: "mails" });
    zero("headway_breaker_changes_total", { dependency: "embedder", outcome: "opened" });
    expect(histograms.map(({ name }) => name)).toContain("event_retry_latency_seconds");
    expect(found.filter(({ name }) => name === "failures_total")).toEqual([]);
  });

  it("every series that a signal raises is in the table, under the labels it has there", () => {
    fc.assert(
      fc.property(anySignal, (signal) => {
        const counters = countSignals();
        counters.heard(signal);
        const { counters: found, gauges, histograms } = counters.snapshot();
        for (const { name, labels } of [...found, ...gauges, ...histograms])
          expect(Object.keys(labels)).toEqual(Object.keys(seriesNamed(name)?.labels ?? { missing: name }));
      }),
      { numRuns: 300 },
    );
  });

  it("one more stage costs at most 90 series", () => {
    const size = (stages: readonly string[]) => {
      const known = { stages, collections: ["mails"], dependencies: ["embedder"] };
      const counters = countSignals();
      counters.expect(known);
      const text = prometheusText(counters.snapshot());
      return text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
    };
    expect(size(["one", "two"]) - size(["one"])).toBeLessThanOrEqual(90);
  });

  it("the tasks of evicted workers are counted as recovered", () => {
    const { value } = count(
      { kind: "worker.evicted", worker: 1, because: "its session ended", freed: 5 },
      { kind: "worker.evicted", worker: 2, because: "its heartbeat stopped", freed: 2 },
    );
    expect(value("headway_tasks_recovered_total")).toEqual(["7"]);
    expect(value("headway_worker_ends_total")).toEqual(["evicted 2"]);
  });

  it("durations fall into every bucket that is long enough", () => {
    const { histograms } = count(
      { kind: "task.done", outputs: 0, durationMs: 5, ...aTask },
      { kind: "task.done", outputs: 0, durationMs: 7_200_000, ...aTask },
    );
    const found = histograms.find(({ name }) => name === "processing_duration_seconds");
    expect(found?.buckets.map((bucket) => bucket.count)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    expect(found?.count).toBe(2);
  });

  it("more label sets than there is room for are counted together as other", () => {
    const counters = countSignals({ labelSetsMax: 3 });
    for (let i = 0; i < 10; i++) {
      const own = { ...fault, code: `code.${i}` };
      counters.heard({
        at,
        kind: "task.died",
        durationMs: 12,
        reason: "permanent",
        fault: own,
        collection: "mails",
        ...aTask,
      });
    }
    const { counters: found, foldedSets } = counters.snapshot();
    const failures = found.filter((one) => one.name === "failures_total");
    expect(failures.map((one) => one.value)).toEqual([1, 1, 1, 7]);
    expect(failures.at(-1)?.labels).toEqual({ stage: "other", kind: "other", error_type: "other" });
    expect(foldedSets).toBe(7);
  });

  it("whatever comes, there is room for all of it and only counts grow", () => {
    fc.assert(
      fc.property(fc.array(anySignal, { maxLength: 60 }), (signals) => {
        const counters = countSignals({ labelSetsMax: 4 });
        let before = 0;
        for (const signal of signals) {
          counters.heard(signal);
          const { counters: found, histograms } = counters.snapshot();
          const now = [...found.map((one) => one.value), ...histograms.map((one) => one.count)];
          expect(Math.min(0, ...now)).toBe(0);
          const sum = now.reduce((all, one) => all + one, 0);
          expect(sum).toBeGreaterThanOrEqual(before);
          before = sum;
        }
        const { counters: found } = counters.snapshot();
        const names = new Set(found.map((one) => one.name));
        for (const name of names)
          expect(found.filter((one) => one.name === name).length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 50 },
    );
  });

  it("what is no signal is not counted and harms nobody", () => {
    const counters = countSignals();
    for (const strange of [null, undefined, {}, { kind: "brand.new" }, { kind: "task.died" }]) {
      expect(() => counters.heard(strange as never)).not.toThrow();
    }
  });
});
