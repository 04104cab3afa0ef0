import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { dashboards } from "../../tools/grafana-dashboards.ts";
import { prometheusFiles } from "../../tools/prometheus-files.ts";
import { repo } from "../../tools/source.ts";
import { type HeadwayProcess, runFromSources, startFromSources } from "../consensus/headway-process.ts";
import { until } from "../support/waiting.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const app = join(repo, "test/fixtures/shop-app");

/** Alerts that arrived, by name. */
const arrived = new Set<string>();
const folder = mkdtempSync(join(tmpdir(), "headway-watched-"));
const started: ChildProcess[] = [];
let sink: Server;
let up: HeadwayProcess;
let prometheus = "";

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const run = (command: string, words: readonly string[]): void => {
  started.push(spawn(command, words, { cwd: folder, stdio: "ignore" }));
};

/** The shipped rules without waiting times: what fires after minutes in production fires in seconds here. */
const hastened = (): string =>
  (prometheusFiles()[0]?.text ?? "").replace(/^ +for: .*\n/gm, "").replace("interval: 30s", "interval: 1s");

async function startWatching(headway: string): Promise<void> {
  const [port, alertmanager, gossip] = [await freePort(), await freePort(), await freePort()];
  const to = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  mkdirSync(join(folder, "alertmanager"));
  writeFileSync(join(folder, "rules.yml"), hastened());
  writeFileSync(
    join(folder, "alertmanager.yml"),
    `route: {receiver: sink, group_wait: 1s, group_interval: 1s, group_by: [alertname]}\nreceivers: [{name: sink, webhook_configs: [{url: "${to}"}]}]\n`,
  );
  writeFileSync(
    join(folder, "prometheus.yml"),
    [
      "global: {scrape_interval: 1s, evaluation_interval: 1s}",
      "rule_files: [rules.yml]",
      `alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:${alertmanager}"]}]}]}`,
      `scrape_configs: [{job_name: headway, static_configs: [{targets: ["${headway}"]}]}]`,
      "",
    ].join("\n"),
  );
  run("prometheus", [
    "--config.file=prometheus.yml",
    "--storage.tsdb.path=tsdb",
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  run("prometheus-alertmanager", [
    "--config.file=alertmanager.yml",
    "--storage.path=alertmanager",
    `--web.listen-address=127.0.0.1:${alertmanager}`,
    `--cluster.listen-address=127.0.0.1:${gossip}`,
  ]);
  prometheus = `http://127.0.0.1:${port}`;
}

/** Number of series in the answer to a query; 0 while Prometheus starts. */
async function ask(expr: string): Promise<number> {
  const given = expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$(stage|collection)/g, ".*");
  const url = `${prometheus}/api/v1/query?query=${encodeURIComponent(given)}`;
  const answer = await fetch(url).catch(() => null);
  if (!answer || answer.status === 503) return 0;
  const { status, error, data } = (await answer.json()) as {
    status: string;
    error?: string;
    data?: { result: unknown[] };
  };
  if (status !== "success") throw new Error(`${given}: ${error}`);
  return data?.result.length ?? 0;
}

beforeAll(async () => {
  const packages = ["prometheus", "prometheus-alertmanager"];
  execFileSync("bash", [join(repo, "tools/services.sh"), "install", ...packages], { stdio: "inherit" });
  sink = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { alerts } = JSON.parse(body) as { alerts: { labels: { alertname: string } }[] };
      for (const { labels } of alerts) arrived.add(labels.alertname);
      response.end();
    });
  });
  await listen(sink);
  const place = ["--app", app, "--data", join(folder, "data")];
  up = startFromSources(["up", ...place, "--port", String(await freePort())], { cwd: folder });
  const url = /Headway is up at (\S+)/.exec(await up.saying(/Headway is up at (\S+)/))?.[1] as string;
  await startWatching(new URL(url).host);
  // The zeros are scraped before the deaths: an increase needs both.
  await until(() => ask("headway_database_up offset 2s"), Boolean);
  const orders = Array.from({ length: 400 }, (_, index) => ({
    id: `order-${index}`,
    items: [index % 2 === 0 ? "bomb" : "pen"],
  }));
  writeFileSync(join(folder, "orders.json"), JSON.stringify(orders));
  await runFromSources(["accept", "orders", join(folder, "orders.json"), ...place], { cwd: folder });
  await runFromSources(["sweep", "--once", ...place], { cwd: folder });
  await until(
    () => ask('events_processed_total{outcome="dead"} > 100 and on () retry_job_stuck_documents'),
    Boolean,
  );
});
afterAll(() => {
  up?.signal("SIGKILL");
  for (const child of started) child.kill("SIGKILL");
  sink?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a real Prometheus and Alertmanager beside a real Headway", () => {
  it("answer every query of every dashboard with series", async () => {
    const queries = dashboards.flatMap(({ title, panels }) =>
      panels.flatMap((panel) => panel.queries.map((query) => ({ ...query, at: `${title}: ${panel.title}` }))),
    );
    await until(() => ask("headway_reading_timestamp_seconds"), Boolean);
    const empty: string[] = [];
    for (const { expr, at, mayBeEmpty } of queries)
      if ((await ask(expr)) === 0 && !mayBeEmpty) empty.push(`${at}: ${expr}`);
    expect(queries.length).toBeGreaterThan(40);
    expect(empty).toEqual([]);
  });

  it("bring deaths, and the end of Headway, to the people who are told", async () => {
    await until(
      () => [...arrived].filter((name) => /DeadLetters|DeathRatio/.test(name)).length,
      (count) => count === 2,
    );
    up.signal("SIGTERM");
    await up.ended;
    await until(
      () => arrived.has("HeadwayDown"),
      (told) => told,
    );
    expect([...arrived].filter((name) => !name.startsWith("Headway"))).toEqual([]);
  });
});
