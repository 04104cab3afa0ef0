import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySignal } from "../../../test/support/any-signal.ts";
import { countSignals } from "./counters.ts";
import { prometheusText } from "./prometheus-text.ts";

const at = new Date("2026-01-02T03:04:05.678Z");
const sample =
  /^[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="([^"\\\n]|\\[\\n"])*"(,[a-zA-Z_]\w*="([^"\\\n]|\\[\\n"])*")*\})? \S+$/;

describe("metrics as text", () => {
  it("counters, gauges and histograms stand under their names", () => {
    const counters = countSignals();
    counters.heard({
      at,
      kind: "sweep.finished",
      ...{ owed: 2, freed: 0, died: 0, pulledIn: 0, durationMs: 30 },
      collections: [{ collection: "mails", requeued: 2, skippedBackoff: 0, died: 0, stuck: 4, failed: 0 }],
    });
    const text = prometheusText(counters.snapshot());
    expect(text).toContain(`# TYPE retry_job_documents_requeued_total counter
retry_job_documents_requeued_total{collection="mails"} 2
`);
    expect(text).toContain(`# TYPE retry_job_stuck_documents gauge
retry_job_stuck_documents{collection="mails"} 4
`);
    expect(text).toContain(`retry_job_duration_seconds_bucket{le="0.05"} 1
`);
    expect(text).toContain(`retry_job_duration_seconds_bucket{le="+Inf"} 1
retry_job_duration_seconds_sum 0.03
retry_job_duration_seconds_count 1
`);
  });

  it("whatever names and codes there are, every line can be read and each name is declared once", () => {
    fc.assert(
      fc.property(fc.array(anySignal, { maxLength: 30 }), (signals) => {
        const counters = countSignals();
        for (const signal of signals) counters.heard(signal);
        const lines = prometheusText(counters.snapshot()).split("\n").slice(0, -1);
        const types = lines.filter((line) => line.startsWith("# TYPE"));
        expect(new Set(types).size).toBe(types.length);
        for (const line of lines.filter((one) => !one.startsWith("#"))) expect(line).toMatch(sample);
      }),
      { numRuns: 50 },
    );
  });
});
