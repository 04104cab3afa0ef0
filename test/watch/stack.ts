import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { repo } from "../../tools/source.ts";
import { fastRules } from "./fast-rules.ts";

export const listen = (server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A cable to a server that can be pulled out and put back. */
export async function startCable(target: URL, usualPort: number) {
  const open = new Set<Socket>();
  let cut = false;
  const server = createTcpServer((near) => {
    if (cut) return near.destroy();
    const far = connect(Number(target.port || usualPort), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(await listen(server));
  return {
    url: url.href,
    cut() {
      cut = true;
      for (const one of open) one.destroy();
    },
    mend() {
      cut = false;
    },
    close() {
      for (const one of open) one.destroy();
      server.close();
    },
  };
}

/** A notice of Headway at a receiver of webhooks. */
export interface Arrived {
  readonly id: string;
  readonly rule: string;
  readonly key: string;
  readonly subject: string;
  readonly at: number;
}

/** An HTTP server: receiver of Alertmanager and Headway, and carrier of the shop. */
export async function startSink() {
  const firing = new Set<string>();
  const ended = new Set<string>();
  const notices: Arrived[] = [];
  const state = { refuses: false, carrierDown: false };
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const given = JSON.parse(body || "{}");
      if (request.url === "/carrier") response.statusCode = state.carrierDown ? 503 : 200;
      else if (request.url === "/headway") {
        const { rule, key, subject } = given.data;
        const id = String(request.headers["webhook-id"]);
        if (!state.refuses) notices.push({ id, rule, key, subject, at: Date.now() });
        response.statusCode = state.refuses ? 500 : 200;
      } else
        for (const { status, labels } of given.alerts as { status: string; labels: { alertname: string } }[])
          (status === "firing" ? firing : ended).add(labels.alertname);
      response.end();
    });
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, firing, ended, notices, state, close: () => server.close() };
}

/** Prometheus with the fast rules, Alertmanager and Pushgateway of Debian as plain processes. */
export async function startStack(
  folder: string,
  { targets, sink }: { targets: readonly string[]; sink: string },
) {
  const packages = ["prometheus", "prometheus-alertmanager", "prometheus-pushgateway"];
  execFileSync("bash", [join(repo, "tools/services.sh"), "install", ...packages], { stdio: "ignore" });
  const [web, alertmanager, gossip, gateway] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  mkdirSync(join(folder, "alertmanager"));
  writeFileSync(join(folder, "rules.yml"), fastRules());
  const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
  write("alertmanager.yml", {
    route: { receiver: "sink", group_wait: "1s", group_interval: "1s", group_by: ["alertname"] },
    receivers: [{ name: "sink", webhook_configs: [{ url: sink, send_resolved: true }] }],
  });
  const at = (port: number) => `127.0.0.1:${port}`;
  write("prometheus.yml", {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yml"],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [at(alertmanager)] }] }] },
    scrape_configs: [
      { job_name: "headway", static_configs: [{ targets }] },
      { job_name: "pushed", honor_labels: true, static_configs: [{ targets: [at(gateway)] }] },
    ],
  });
  const children: ChildProcess[] = [];
  const run = (command: string, words: readonly string[]) =>
    void children.push(spawn(command, words, { cwd: folder, stdio: "ignore" }));
  run("prometheus", [
    "--config.file=prometheus.yml",
    "--storage.tsdb.path=tsdb",
    `--web.listen-address=${at(web)}`,
  ]);
  run("prometheus-alertmanager", [
    "--config.file=alertmanager.yml",
    "--storage.path=alertmanager",
    `--web.listen-address=${at(alertmanager)}`,
    `--cluster.listen-address=${at(gossip)}`,
  ]);
  run("prometheus-pushgateway", [`--web.listen-address=${at(gateway)}`]);
  return {
    gateway: `http://${at(gateway)}`,
    /** Number of series in the answer; 0 while Prometheus starts. */
    async ask(expr: string): Promise<number> {
      const given = expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$(stage|collection)/g, ".*");
      const answer = await fetch(`http://${at(web)}/api/v1/query?query=${encodeURIComponent(given)}`).catch(
        () => null,
      );
      if (!answer || answer.status === 503) return 0;
      const { status, error, data } = (await answer.json()) as {
        status: string;
        error?: string;
        data?: { result: unknown[] };
      };
      if (status !== "success") throw new Error(`${given}: ${error}`);
      return data?.result.length ?? 0;
    },
    close() {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}
