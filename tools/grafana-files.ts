import { type Dashboard, dashboards, type Panel, type Query } from "./grafana-dashboards.ts";

const folder = "deploy/grafana";

/** The files of Grafana that are made from the table of dashboards. */
export const grafanaFiles = (): readonly { readonly path: string; readonly text: string }[] =>
  dashboards.map((dashboard) => ({
    path: `${folder}/${dashboard.file}`,
    text: `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`,
  }));

const source = { type: "prometheus", uid: "prometheus" } as const;
const width = 12;
const height = 8;

function dashboardJson({ file, title, panels }: Dashboard) {
  return {
    uid: `headway-${file.replace(/\.json$/, "")}`,
    title,
    description: "Made from tools/grafana-dashboards.ts by `npm run reference`; a test compares.",
    tags: ["headway"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [variable("stage"), variable("collection")] },
    annotations: { list: [deploys] },
    panels: panels.map(panelJson),
  };
}

const deploys = {
  name: "Deploys",
  datasource: source,
  enable: true,
  iconColor: "blue",
  expr: "count by (version) (headway_build_info) unless count by (version) (headway_build_info offset 1m)",
  titleFormat: "{{version}}",
};

/** Names are read from the ledger, so that a dashboard shows every stage, also of a user's own pipeline. */
const variable = (name: "stage" | "collection") => ({
  name,
  label: name,
  type: "query",
  datasource: source,
  query: {
    query: `label_values(${name === "stage" ? "headway_task_state" : "headway_documents_accepted_total"}, ${name})`,
    refId: name,
  },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: ".*",
  current: { text: "All", value: "$__all" },
});

function panelJson(panel: Panel, index: number) {
  const { title, kind, unit = "short", queries, thresholds, about } = panel;
  return {
    id: index + 1,
    title,
    ...(about !== undefined && { description: about }),
    type: kind === "histogram" ? "bargauge" : kind,
    datasource: source,
    gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
    targets: queries.map((query, at) => targetJson(query, at, panel)),
    fieldConfig: {
      defaults: { unit, min: 0, ...(thresholds && { thresholds: steps(thresholds) }) },
      overrides: [],
    },
    options:
      kind === "timeseries" ? { tooltip: { mode: "multi" } } : { reduceOptions: { calcs: ["lastNotNull"] } },
  };
}

const targetJson = ({ expr, legend }: Query, at: number, { kind, unit }: Panel) => ({
  refId: String.fromCharCode(65 + at),
  datasource: source,
  expr,
  legendFormat: legend,
  ...(kind === "histogram" ? { format: "heatmap", instant: true } : { range: true }),
  exemplar: kind === "timeseries" && unit === "s" && expr.includes("_bucket"),
});

const steps = ([warning, critical]: readonly [number, number]) => ({
  mode: "absolute",
  steps: [
    { color: "green", value: null },
    { color: "yellow", value: warning },
    { color: "red", value: critical },
  ],
});
