/** A saved query of Loki, as a panel of the dashboard "Logs"; Explore opens it from there. */
export interface LogQuery {
  readonly title: string;
  readonly expr: string;
}

const lines = '{service=~"server|worker|retry"} | json';

/** The questions that people ask logs, with the labels that deploy/promtail/promtail.yaml makes. */
export const logQueries: readonly LogQuery[] = [
  { title: "One document, all stages", expr: `${lines} | document_id=~"$document"` },
  { title: "One request, all consequences", expr: `${lines} | correlation_id=~"req_$request.*"` },
  { title: "Dead letters", expr: `{level="error"} | json | metadata_kind="task.died"` },
  { title: "Errors by stage", expr: `sum by (processor) (count_over_time({level="error"} [$__auto]))` },
  { title: "Last attempts (warnings)", expr: `{level="warn"} | json | metadata_kind="task.retried"` },
  { title: "Done after retries", expr: `{level="info"} | json | metadata_kind="task.done"` },
  { title: "Outages", expr: `${lines} | metadata_kind=~"breaker.*|database.*|broker.*"` },
];

const source = { type: "loki", uid: "loki" };
const textBox = (name: string) => ({
  name,
  label: name,
  type: "textbox",
  query: ".*",
  current: { text: ".*", value: ".*" },
});

export const logsFile = (): { readonly path: string; readonly text: string } => ({
  path: "deploy/grafana/logs.json",
  text: `${JSON.stringify(
    {
      uid: "headway-logs",
      title: "Logs",
      description: "Made from tools/grafana-logs.ts by `npm run reference`; a test compares.",
      tags: ["headway"],
      schemaVersion: 39,
      version: 1,
      editable: true,
      time: { from: "now-6h", to: "now" },
      templating: { list: [textBox("document"), textBox("request")] },
      panels: logQueries.map(({ title, expr }, index) => ({
        id: index + 1,
        title,
        type: expr.startsWith("sum") ? "timeseries" : "logs",
        datasource: source,
        gridPos: { x: 0, y: index * 8, w: 24, h: 8 },
        targets: [{ refId: "A", datasource: source, expr }],
      })),
    },
    null,
    2,
  )}\n`,
});
