import { type Domain, type Series, series } from "../engine/src/watch/series.ts";

/** `docs/reference/metrics.md`, from the table of series. */
export const metricsPage = (madeBy: (from: string) => string): string => `# Metrics

${madeBy("engine/src/watch/series.ts")}

\`GET /metrics\` of \`headway up\`, \`work\` and \`serve\`, in the text format of Prometheus, or as OpenMetrics for a client that accepts
\`application/openmetrics-text\`. \`headway sweep --pushgateway URL\` pushes the totals below. The address is on this machine
only and needs no token.

Counters whose labels are known from the pipelines' definitions exist with 0 from the start, because \`increase()\` does not see the
birth of a series. Labels never hold documents, people or messages. A series has at most 200 label sets; further sets are counted
under \`other\`, and \`headway_folded_label_sets\` says so.

## Of each process

Counted from the signals of that process; sum over processes.

${table("process")}

## Totals that survive processes

Stored in the database by the sweep and by the commit that buries a task, so a restart or a run of \`headway sweep --once\` goes on
counting: the same in every process and at the Pushgateway. Ask with \`max by (…)\`, never with \`sum\`.

${table("kept")}

## Of the whole cluster

Read from the database at most every 15 s and the same in every process: ask with \`max by (…)\`. While the database does not answer
they keep their last values, and \`headway_reading_timestamp_seconds\` stands still.

${table("cluster")}
`;

function table(scope: Series["scope"]): string {
  const rows = series.filter((one) => one.scope === scope).map(row);
  return ["| name | type | labels | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

const row = ({ name, type, labels, help }: Series): string =>
  `| \`${name}\` | ${type} | ${Object.entries(labels).map(labelText).join(", ") || "–"} | ${help} |`;

const labelText = ([label, domain]: [string, Domain]): string =>
  typeof domain === "string" ? label : `${label} (${domain.join(", ")})`;
