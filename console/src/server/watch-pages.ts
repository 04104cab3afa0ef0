import { type Baseline, compareSamples, readBaselineHistory } from "@headway/engine/internal";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";

export async function alerts({ operator }: PageContext, query: Query) {
  const state = query.choice("state", ["open", "resolved", "all"]) ?? "open";
  const rows = await operator.listAlerts(given({ state, limit: rowsMax + 1, before: query.number("after") }));
  return { at: operator.now(), rows: rows.slice(0, rowsMax), more: rows.length > rowsMax };
}

export async function alert({ operator }: PageContext, query: Query) {
  const { alert: found, deliveries } = await operator.showAlert(query.number("id") ?? 0);
  const sent = deliveries.map(({ body, ...row }) => ({ ...row, subject: body.subject }));
  return { at: operator.now(), alert: found, deliveries: sent };
}

export async function alertRules({ operator }: PageContext) {
  const weekAgo = new Date(operator.now().getTime() - 7 * 86_400_000);
  const recent = (await operator.listAlerts({ state: "all", limit: 1_000 })).filter(
    (one) => one.openedAt >= weekAgo,
  );
  const raised = (name: string) => recent.filter(({ rule }) => rule === name).length;
  return {
    at: operator.now(),
    rules: (await operator.listAlertRules()).map((rule) => ({ ...rule, raised: raised(rule.name) })),
    history: await operator.alertRuleHistory({ limit: rowsMax }),
  };
}

const baselinesMax = 2_000;

/** Figures of benchmarks by test, each with its runs, the oldest first, and the change against the run before. */
export async function bench({ operator, database }: PageContext) {
  const series = new Map<string, Baseline[]>();
  for (const row of await readBaselineHistory(database, baselinesMax)) {
    const name = JSON.stringify([row.environment, row.test, row.documentSet, row.figure]);
    series.set(name, [...(series.get(name) ?? []), row]);
  }
  return { at: operator.now(), series: [...series.values()].map(toSeries) };
}

function toSeries(runs: readonly Baseline[]) {
  const { environment, test, documentSet, figure } = runs[0] as Baseline;
  const better = figure === "throughput" ? "more" : "less";
  return {
    environment,
    test,
    documentSet,
    figure,
    better,
    runs: runs.map(({ run, at, commit, samples, machine }, index) => {
      const before = runs[index - 1];
      const change = before ? compareSamples(before.samples, samples, better) : null;
      return { run, at, commit, samples, machine: JSON.stringify(machine).slice(0, 500), change };
    }),
  } as const;
}
