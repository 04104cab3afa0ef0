import type { AlertRule, History } from "./prometheus-rule.ts";
import { alertRules } from "./prometheus-rules.ts";

const folder = "deploy/prometheus";
const made =
  "# Made from tools/prometheus-rules.ts by `npm run reference`; a test compares. Change the table, not this file.\n";

/** The files of Prometheus that are made from the table of rules. JSON is YAML, so texts are written as JSON strings. */
export const prometheusFiles = (): readonly { readonly path: string; readonly text: string }[] => [
  { path: `${folder}/headway.rules.yml`, text: rulesFile() },
  { path: `${folder}/headway.rules.test.yml`, text: testFile() },
];

const rulesFile = (): string =>
  [`${made}groups:`, "- name: headway", "  interval: 30s", "  rules:", ...alertRules.map(ruleText), ""].join(
    "\n",
  );

const ruleText = ({ alert, expr, forMinutes, severity, summary, command, runbook }: AlertRule): string =>
  [
    `  - alert: ${alert}`,
    "    expr: |-",
    ...expr.split("\n").map((line) => `      ${line}`),
    ...(forMinutes > 0 ? [`    for: ${forMinutes}m`] : []),
    `    labels: {severity: ${severity}}`,
    "    annotations:",
    `      summary: ${JSON.stringify(summary)}`,
    `      description: ${JSON.stringify(`Begin with: ${command}`)}`,
    `      runbook: ${JSON.stringify(`docs/operating/${runbook}`)}`,
  ].join("\n");

const testFile = (): string =>
  [
    `${made}rule_files: [headway.rules.yml]`,
    "evaluation_interval: 1m",
    "tests:",
    ...alertRules.flatMap((rule) => [testText(rule, rule.fires, true), testText(rule, rule.silent, false)]),
    "",
  ].join("\n");

function testText(
  { alert, severity }: AlertRule,
  { series, minutes, labels = {} }: History,
  fires: boolean,
): string {
  const expected = { alertname: alert, alertstate: "firing", severity, ...labels };
  const pairs = Object.entries(expected).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const samples = fires
    ? ["", `      - labels: ${quoted(`ALERTS{${pairs.join(", ")}}`)}`, "        value: 1"]
    : [" []"];
  return [
    `- name: ${quoted(`${alert} ${fires ? "fires" : "stays silent"}`)}`,
    "  interval: 1m",
    "  input_series:",
    ...Object.entries(series).flatMap(([name, values]) => [
      `  - series: ${quoted(name)}`,
      `    values: ${quoted(values)}`,
    ]),
    "  promql_expr_test:",
    `  - expr: ${quoted(`ALERTS{alertname="${alert}", alertstate="firing"}`)}`,
    `    eval_time: ${minutes}m`,
    `    exp_samples:${samples.join("\n")}`,
  ].join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
