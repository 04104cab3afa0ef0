import { requestOf, traceIdOf } from "../decide/trace.ts";
import type { Count, Exemplar, Histogram, Labels, Snapshot } from "./counters.ts";
import { seriesNamed } from "./series.ts";

/** The text formats of metrics. */
export type TextFormat = "prometheus" | "openmetrics";

/**
 * A snapshot in the text format that Prometheus scrapes and a Pushgateway takes, or as OpenMetrics.
 *
 * @example
 * import { countSignals, prometheusText } from "@headway/engine";
 *
 * console.log(prometheusText(countSignals().snapshot(), "openmetrics"));
 */
export function prometheusText(
  { counters, gauges, histograms }: Snapshot,
  format: TextFormat = "prometheus",
): string {
  const families = [
    ...familiesOf("counter", counters, lineOf, format),
    ...familiesOf("gauge", gauges, lineOf, format),
    ...familiesOf("histogram", histograms, bucketLines(format), format),
  ];
  const text = families.map((family) => `${family.join("\n")}\n`).join("");
  return format === "openmetrics" ? `${text}# EOF\n` : text;
}

/** All series of a name stand together, after the lines that say what they are. OpenMetrics names a counter without `_total`. */
function familiesOf<One extends { readonly name: string }>(
  type: string,
  all: readonly One[],
  lines: (one: One) => string[],
  format: TextFormat,
): string[][] {
  const byName = new Map<string, One[]>();
  for (const one of all) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [...byName.keys()].sort().map((name) => {
    const family = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
    const help = seriesNamed(name)?.help;
    return [
      ...(help ? [`# HELP ${family} ${help}`] : []),
      `# TYPE ${family} ${type}`,
      ...(byName.get(name) ?? []).flatMap(lines),
    ];
  });
}

const lineOf = ({ name, labels, value }: Count): string[] => [`${name}${labelText(labels)} ${value}`];

const bucketLines =
  (format: TextFormat) =>
  ({ name, labels, buckets, sum, count, exemplar }: Histogram): string[] => {
    const slowest = exemplar && buckets.find(({ le }) => exemplar.value <= le);
    return [
      ...buckets.map((bucket) => {
        const le = Number.isFinite(bucket.le) ? String(bucket.le) : "+Inf";
        const shown =
          exemplar && bucket === slowest && format === "openmetrics" ? exemplarText(exemplar) : "";
        return `${name}_bucket${labelText({ ...labels, le })} ${bucket.count}${shown}`;
      }),
      `${name}_sum${labelText(labels)} ${sum}`,
      `${name}_count${labelText(labels)} ${count}`,
    ];
  };

const exemplarText = ({ value, at, correlationId }: Exemplar): string =>
  ` # {trace_id="${traceIdOf(requestOf(correlationId))}"} ${value} ${at.getTime() / 1_000}`;

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
