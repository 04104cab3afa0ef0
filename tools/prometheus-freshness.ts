import type { AlertRule } from "./prometheus-rule.ts";

/** Six documents a minute complete within five minutes, and as many later. */
const freshness = (inTime: string, all: string) => ({
  'headway_freshness_seconds_bucket{stage="parsing",le="300"}': inTime,
  'headway_freshness_seconds_count{stage="parsing"}': all,
});
/** Share of documents that became complete later than five minutes after their acceptance. */
const lateShare = (window: string) =>
  `1 - sum by (stage) (rate(headway_freshness_seconds_bucket{le=~"300(\\\\.0)?"}[${window}]))
    / sum by (stage) (rate(headway_freshness_seconds_count[${window}]))`;
const ofParsing = { stage: "parsing" };

/** Objective: 99 of 100 documents are complete within five minutes. Rates of use of the hundredth as in the SRE workbook. */
export const freshnessRules: readonly AlertRule[] = [
  {
    alert: "HeadwayFreshness",
    expr: `${lateShare("1h")} > 14.4 * 0.01
  and ${lateShare("5m")} > 14.4 * 0.01`,
    forMinutes: 0,
    severity: "critical",
    summary:
      "{{ $value | humanizePercentage }} of the documents were complete at {{ $labels.stage }} later than five minutes after acceptance",
    command: "headway status",
    runbook: "stuck-documents.md",
    fires: { series: freshness("0+3x90", "0+6x90"), minutes: 80, labels: ofParsing },
    silent: { series: freshness("0+6x90", "0+6x90"), minutes: 80 },
  },
  {
    alert: "HeadwayFreshnessSlow",
    expr: `${lateShare("6h")} > 6 * 0.01
  and ${lateShare("30m")} > 6 * 0.01`,
    forMinutes: 0,
    severity: "warning",
    summary:
      "{{ $value | humanizePercentage }} of the documents of six hours were complete at {{ $labels.stage }} later than five minutes after acceptance",
    command: "headway status",
    runbook: "stuck-documents.md",
    fires: { series: freshness("0+9x400", "0+10x400"), minutes: 390, labels: ofParsing },
    silent: { series: freshness("0+98x400", "0+100x400"), minutes: 390 },
  },
];
