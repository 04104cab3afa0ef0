import type { Count, Histogram, Labels, Snapshot } from "./counters.ts";

/** Counters in the text format scraped by Prometheus and accepted by a Pushgateway. */
export function prometheusText({ counters, gauges, histograms }: Snapshot): string {
  const families = [
    ...familiesOf("counter", counters, lineOf),
    ...familiesOf("gauge", gauges, lineOf),
    ...familiesOf("histogram", histograms, bucketLines),
  ];
  return families.map((family) => `${family.join("\n")}\n`).join("");
}

/** Groups all series of a name behind one `# TYPE` line. */
function familiesOf<One extends { readonly name: string }>(
  type: string,
  all: readonly One[],
  lines: (one: One) => string[],
): string[][] {
  const names = [...new Set(all.map(({ name }) => name))].sort();
  return names.map((name) => [
    ...(about[name] ? [`# HELP ${name} ${about[name]}`] : []),
    `# TYPE ${name} ${type}`,
    ...all.filter((one) => one.name === name).flatMap(lines),
  ]);
}

const lineOf = ({ name, labels, value }: Count): string[] => [`${name}${labelText(labels)} ${value}`];

const bucketLines = ({ name, labels, buckets, sum, count }: Histogram): string[] => [
  ...buckets.map((bucket) => {
    const le = Number.isFinite(bucket.le) ? String(bucket.le) : "+Inf";
    return `${name}_bucket${labelText({ ...labels, le })} ${bucket.count}`;
  }),
  `${name}_sum${labelText(labels)} ${sum}`,
  `${name}_count${labelText(labels)} ${count}`,
];

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

/** The seeds' descriptions of the sweep's metrics. */
const about: Readonly<Record<string, string>> = {
  retry_job_documents_requeued_total: "Documents that the sweep put back to work.",
  retry_job_documents_skipped_backoff_total:
    "Documents that the sweep left alone until their next attempt is due.",
  retry_job_documents_max_retries_exceeded_total: "Documents that used up their attempts.",
  retry_job_runs_total: "Sweeps, by how they ended.",
  retry_job_errors_total: "Errors of sweeps.",
  retry_job_stuck_documents: "Documents that are owed for longer than they may be.",
  retry_job_failed_documents: "Dead letters that wait for a person.",
  retry_job_duration_seconds: "How long sweeps took.",
};
