import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "amqplib";
import pg from "pg";
import { type Engine, startEngine } from "../../engine/src/index.ts";
import { repo } from "../../tools/source.ts";
import { type HeadwayProcess, startWith } from "../consensus/headway-process.ts";
import { freshVhost } from "../support/rabbitmq.ts";
import { orders, shop } from "./misbehaving-app/headway.config.ts";
import { freePort, startCable, startSink, startStack } from "./stack.ts";

/** Real servers, a real Headway between them, and cables to pull out. */
export type WatchedWorld = Awaited<ReturnType<typeof openWorld>>;

const urlOf = (service: "postgres" | "rabbitmq"): string => {
  const variable = `HEADWAY_TEST_${service.toUpperCase()}`;
  process.env[variable] ??= readFileSync(join(repo, `.cache/services/${service}.url`), "utf8").trim();
  return process.env[variable];
};

/** Waits for a condition; an error names the condition after the limit. */
export async function waitFor(what: string, is: () => unknown, withinMs = 120_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await is())) {
    if (performance.now() > end) throw new Error(`Not so within ${withinMs / 1_000} s: ${what}.`);
    await pause(200);
  }
}

export async function openWorld() {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closers.reverse()) await Promise.resolve(one()).catch(() => undefined);
  };
  try {
    return { ...(await build((one) => void closers.push(one))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type WhenClosed = (close: () => unknown) => void;

/** A database of its own on the test server. */
async function createDatabase(whenClosed: WhenClosed): Promise<URL> {
  const server = new URL(urlOf("postgres"));
  const name = `watch_${process.pid}`;
  const admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  whenClosed(() => admin.end());
  await admin.query(`create database ${name}`);
  whenClosed(() => admin.query(`drop database if exists ${name} with (force)`));
  server.pathname = `/${name}`;
  return server;
}

async function build(whenClosed: WhenClosed) {
  const folder = await mkdtemp(join(tmpdir(), "headway-watch-"));
  whenClosed(() => rm(folder, { recursive: true, force: true }));
  urlOf("rabbitmq");
  const server = await createDatabase(whenClosed);
  const vhost = await freshVhost();
  whenClosed(vhost.close);
  const sink = await startSink();
  whenClosed(sink.close);
  const database = await startCable(server, 5_432);
  whenClosed(database.close);
  const broker = await startCable(new URL(vhost.url), 5_672);
  whenClosed(broker.close);
  // Accepting processes also look for alerts and relay events.
  process.env.HEADWAY_ALERT_WEBHOOK_URL = `${sink.url}/headway`;
  const engine = await startEngine({
    pipelines: [shop],
    services: { carrier: { call: async () => undefined } },
    database: { url: database.url },
    broker: { url: broker.url },
    work: false,
    // Scraped processes are to find the dead workers.
    config: { watchMs: 60_000 },
  });
  whenClosed(() => engine.stop());
  const ports = { serve: await freePort(), packing: await freePort(), shipping: await freePort() };
  const targets = Object.values(ports).map((port) => `127.0.0.1:${port}`);
  const stack = await startStack(folder, { targets, sink: `${sink.url}/alertmanager` });
  whenClosed(stack.close);
  const db = new pg.Client({ connectionString: server.href });
  await db.connect();
  db.on("error", () => undefined);
  whenClosed(() => db.end());
  const urls = {
    database: database.url,
    broker: broker.url,
    sink: sink.url,
    direct: server.href,
    vhost: vhost.url,
  };
  const processes = roles({ folder, ports, urls });
  whenClosed(processes.kill);
  const { start, stop, headway } = processes;
  const acts = hands({ engine, db, vhostUrl: vhost.url });
  return { sink, stack, database, broker, folder, directUrl: server.href, start, stop, headway, ...acts };
}

interface Place {
  readonly folder: string;
  readonly ports: Readonly<Record<"serve" | "packing" | "shipping", number>>;
  readonly urls: Readonly<Record<"database" | "broker" | "sink" | "direct" | "vhost", string>>;
}

/** Processes of Headway: servers and workers use the cables, single commands connect directly. */
function roles({ folder, ports, urls }: Place) {
  const env = {
    HEADWAY_DATABASE_URL: urls.database,
    HEADWAY_BROKER_URL: urls.broker,
    HEADWAY_ALERT_WEBHOOK_URL: `${urls.sink}/headway`,
    CARRIER_URL: `${urls.sink}/carrier`,
    // The sweeps are the proof's own.
    RETRY_JOB_INTERVAL_SECONDS: "86400",
    HEADWAY_SLOTS: "16",
  };
  const words = (...rest: string[]) => [...rest, "--app", join(repo, "test/watch/misbehaving-app")];
  const processes = new Map<string, HeadwayProcess>();
  return {
    /** A server or worker with a port for scrapes. */
    async start(role: keyof typeof ports): Promise<void> {
      const command = role === "serve" ? ["serve"] : ["work", "--stages", role];
      const given = {
        ...env,
        HEADWAY_METRICS_LISTEN: `127.0.0.1:${ports[role]}`,
        HEADWAY_DATA: join(folder, role),
      };
      const all = words(...command, "--port", String(await freePort()));
      const running = startWith(all, { cwd: folder, env: given });
      processes.set(role, running);
      await running.saying(/Headway is up at/);
    },
    async stop(role: keyof typeof ports): Promise<void> {
      processes.get(role)?.signal("SIGTERM");
      await processes.get(role)?.ended;
    },
    /** A single command; resolves with exit code and output. `more` overrides the environment. */
    headway(command: readonly string[], more: Readonly<Record<string, string>> = {}) {
      const direct = { HEADWAY_DATABASE_URL: urls.direct, HEADWAY_BROKER_URL: urls.vhost };
      const given = { ...env, ...direct, HEADWAY_DATA: join(folder, "hand"), ...more };
      return startWith(words(...command), { cwd: folder, env: given }).ended;
    },
    kill() {
      for (const one of processes.values()) one.kill();
    },
  };
}

interface Held {
  readonly engine: Pick<Engine<typeof orders>, "accept">;
  readonly db: pg.Client;
  readonly vhostUrl: string;
}

/** Acts of people and of other systems. */
function hands({ engine, db, vhostUrl }: Held) {
  let brought = 0;
  return {
    /** Hands in orders: `what` names the fate of each order, `ms` the time of packing. */
    async bring(what: readonly string[], ms = 0): Promise<void> {
      await engine.accept(what.map((one) => orders.document(`order-${++brought}`, { what: one, ms })));
    },
    /** Hands in a named order; the same name again replaces the order. */
    async bringNamed(id: string, what: string): Promise<void> {
      await engine.accept(orders.document(id, { what, ms: 0 }));
    },
    async sql<Row extends object>(text: string): Promise<Row[]> {
      return (await db.query(text)).rows as Row[];
    },
    /** Publishes a delivery without an event. */
    async sendGarbage(): Promise<void> {
      const connection = await connect(vhostUrl);
      const channel = await connection.createConfirmChannel();
      channel.sendToQueue("headway.inbox", Buffer.from("this is no event"));
      await channel.waitForConfirms();
      await connection.close();
    },
  };
}
