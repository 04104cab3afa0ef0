import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { series } from "../../engine/src/watch/series.ts";
import { dashboards } from "../../tools/grafana-dashboards.ts";
import { alertRules } from "../../tools/prometheus-rules.ts";
import { repo } from "../../tools/source.ts";
import { causes, repair } from "./causes.ts";
import { countNotices, measureCritical, noteMarks } from "./notices.ts";
import { missingSeedNames } from "./seed-names.ts";
import { measureStorm } from "./storm.ts";
import { openWorld, type WatchedWorld, waitFor } from "./world.ts";

const help = `Makes a real Headway misbehave beside a real Prometheus, Alertmanager and Pushgateway, and checks that every rule fires, every query
of every dashboard is answered, and every notice arrives. All times of the rules are divided by sixty.

  npm run watch:proof                       everything, with a storm of 100,000 deaths and a million documents; about ten minutes
  npm run watch:proof -- --quick            a storm of 10,000 deaths, no million, no waiting for ends; about five minutes
  npm run watch:proof -- --json             figures as one line of JSON at the end`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const startedAt = performance.now();
const tell = (text: string) =>
  process.stderr.write(
    `${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(4)} s  ${text}\n`,
  );

const everyQuery = dashboards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) => panel.queries.map((query) => ({ ...query, at: `${title}: ${panel.title}` }))),
);

async function countEmpty({ stack }: WatchedWorld): Promise<number> {
  let empty = 0;
  for (const { expr, at, mayBeEmpty } of everyQuery) {
    if ((await stack.ask(expr)) > 0 || mayBeEmpty) continue;
    tell(`empty: ${at}: ${expr}`);
    empty += 1;
  }
  return empty;
}

/** Quick orders all the time for comparison, then slow orders. */
function keepOrdering({ bring }: WatchedWorld) {
  const state = { ms: 0, stopped: false };
  const beat = async () => {
    while (!state.stopped) {
      await bring(["quick", "quick"], state.ms).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };
  const ended = beat();
  return {
    take(ms: number) {
      state.ms = ms;
    },
    stop: async () => {
      state.stopped = true;
      await ended;
    },
  };
}

/** Time of quick orders before the slow ones. */
const usualMs = 55_000;
const firingMs = 180_000;

async function bringAll(world: WatchedWorld, ordering: ReturnType<typeof keepOrdering>): Promise<number> {
  const { firing } = world.sink;
  let empty = 0;
  setTimeout(() => ordering.take(2_000), Math.max(0, usualMs - performance.now() + startedAt)).unref();
  for (const { title, rules, bring, mend } of causes) {
    tell(title);
    await bring(world);
    const missing = () => rules.filter((name) => !firing.has(name));
    await waitFor(title, () => missing().length === 0, firingMs).catch(() =>
      tell(`not fired: ${missing().join(", ")}`),
    );
    tell(`fired: ${rules.filter((name) => firing.has(name)).join(", ")}`);
    if (empty === 0 && rules.includes("HeadwayOutage")) empty = await countEmpty(world);
    await mend?.(world);
    ordering.take(0);
  }
  return empty;
}

async function live() {
  const world = await openWorld();
  try {
    await Promise.all([world.start("serve"), world.start("packing")]);
    await noteMarks(world);
    // Zeros are scraped before the first death: an increase needs both.
    await waitFor("Prometheus scrapes Headway", () => world.stack.ask("headway_stage_workers offset 2s"));
    const ordering = keepOrdering(world);
    const criticalToSinkP95Ms = await measureCritical(world, 20);
    tell(`critical notices: p95 ${criticalToSinkP95Ms} ms`);
    const dashboardQueriesEmpty = await bringAll(world, ordering);
    tell("repairs");
    await repair(world);
    const isLeft = (name: string) => name !== "HeadwayDown" && !world.sink.ended.has(name);
    const left = () => alertRules.map(({ alert }) => alert).filter(isLeft);
    if (!values.quick)
      await waitFor("every alert has ended", () => left().length === 0).catch(() =>
        tell(`not ended: ${left().join(", ")}`),
      );
    await waitFor("every notice is sent", async () => (await countNotices(world)).waiting === 0).catch(
      () => undefined,
    );
    const notices = await countNotices(world);
    await ordering.stop();
    await Promise.all([world.stop("serve"), world.stop("packing"), world.stop("shipping")]);
    await waitFor("the end of Headway is told", () => world.sink.firing.has("HeadwayDown")).catch(
      () => undefined,
    );
    return {
      rulesFiredLive: alertRules.filter(({ alert }) => world.sink.firing.has(alert)).length,
      rulesEndedLive: alertRules.filter(({ alert }) => world.sink.ended.has(alert)).length,
      dashboardQueries: everyQuery.length,
      dashboardQueriesEmpty,
      alertsSent: notices.sent,
      alertsLost: notices.lost,
      alertsMarkedTwice: notices.markedTwice,
      criticalToSinkP95Ms,
    };
  } finally {
    await world.close();
  }
}

/** The time of `status` with a million documents, from the benchmark of the census. */
async function measureStatus(): Promise<number | null> {
  if (values.quick) return null;
  tell("a million documents");
  const words = [
    "--conditions=@headway/source",
    "--import",
    "tsx",
    "bench/census.ts",
    "--only",
    "postgres",
    "--json",
  ];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: repo });
  return (JSON.parse(stdout) as { statusMs: number }).statusMs;
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(help);
    return 0;
  }
  const figures = await live();
  const storm = values.quick ? { deaths: 10_000, commits: 50 } : { deaths: 100_000, commits: 200 };
  tell(`a storm of ${storm.deaths} deaths`);
  const { alerts, messages } = await measureStorm(process.env.HEADWAY_TEST_POSTGRES ?? "", storm);
  const statusMsAt1M = await measureStatus();
  const missing = missingSeedNames();
  const summary = {
    series: series.length,
    seedNamesMissing: missing.length,
    rules: alertRules.length,
    ...figures,
    stormAlerts: alerts,
    stormMessages: messages,
    statusMsAt1M,
  };
  if (missing.length > 0) tell(`missing: ${missing.join(", ")}`);
  if (values.json) console.log(JSON.stringify(summary));
  else for (const [name, value] of Object.entries(summary)) console.log(`${name.padEnd(24)} ${value}`);
  const holds =
    missing.length === 0 &&
    figures.rulesFiredLive === alertRules.length &&
    figures.dashboardQueriesEmpty === 0 &&
    figures.alertsSent > 0 &&
    figures.alertsLost === 0 &&
    figures.alertsMarkedTwice === 0 &&
    alerts === 1 &&
    messages <= 2;
  return holds ? 0 : 1;
}

process.exitCode = await main();
