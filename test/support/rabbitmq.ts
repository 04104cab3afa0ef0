import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "amqplib";

const execute = promisify(execFile);
const services = fileURLToPath(new URL("../../tools/services.sh", import.meta.url));

/** A queue as the broker sees it now. */
export interface QueueView {
  readonly name: string;
  readonly type: "quorum" | "classic" | "stream";
  /** How many deliveries wait in it; those that were handed out and not acknowledged are not counted. */
  readonly depth: number;
  readonly consumers: number;
}

/** A virtual host of the shared broker, in which a test is alone. */
export interface Vhost {
  readonly url: string;
  queues(): Promise<QueueView[]>;
  /** Cuts every connection to it, as a broker that restarts does; resolves with their number. */
  cutConnections(): Promise<number>;
  close(): Promise<void>;
}

export async function freshVhost(): Promise<Vhost> {
  const broker = process.env.HEADWAY_TEST_RABBITMQ ?? "";
  const name = `headway-${randomUUID().slice(0, 8)}`;
  await ask(broker, "PUT", `vhosts/${name}`);
  await ask(broker, "PUT", `permissions/${name}/${new URL(broker).username}`, {
    configure: ".*",
    write: ".*",
    read: ".*",
  });
  return {
    url: `${broker}/${name}`,
    queues: () => queuesOf(`${broker}/${name}`),
    async cutConnections() {
      const open = (await ask(broker, "GET", `vhosts/${name}/connections`)) as { name: string }[];
      for (const one of open) await ask(broker, "DELETE", `connections/${encodeURIComponent(one.name)}`);
      return open.length;
    },
    async close() {
      await ask(broker, "DELETE", `vhosts/${name}`);
    },
  };
}

/** The queues of the virtual host that an AMQP address names, in order of their names. */
export async function queuesOf(url: string): Promise<QueueView[]> {
  const name = new URL(url).pathname.slice(1) || "%2F";
  const rows = (await ask(url, "GET", `queues/${name}?columns=name,type&sort=name`)) as QueueView[];
  const connection = await connect(url);
  try {
    const channel = await connection.createChannel();
    const views: QueueView[] = [];
    // The numbers of the management API are seconds old, those of AMQP are not.
    for (const row of rows) {
      const { messageCount, consumerCount } = await channel.checkQueue(row.name);
      views.push({ name: row.name, type: row.type, depth: messageCount, consumers: consumerCount });
    }
    return views;
  } finally {
    await connection.close();
  }
}

/** How many queues there are, whether they answer or not. */
export async function countQueues(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1) || "%2F";
  return ((await ask(url, "GET", `queues/${name}?columns=name`)) as unknown[]).length;
}

/** A RabbitMQ for one test alone, which may therefore be stopped, killed and wiped. It keeps its address. */
export interface Broker {
  readonly url: string;
  /** Ends it in order: its clients are told, its disk is written. */
  stop(): Promise<void>;
  /** Ends it as a power cut of its process would. */
  kill(): Promise<void>;
  /** Ends it if it runs and deletes everything it knew. */
  wipe(): Promise<void>;
  start(): Promise<void>;
  /** A queue that answers nothing and takes nothing, as one that has lost its leader, while all else goes on. */
  hang(queue: string): Promise<void>;
  unhang(queue: string): Promise<void>;
  close(): Promise<void>;
}

export async function startBroker(): Promise<Broker> {
  const folder = await mkdtemp(join(tmpdir(), "headway-broker-"));
  const order = async (word: string, ...rest: string[]) =>
    (await execute("bash", [services, "broker", word, folder, ...rest])).stdout.trim();
  const url = await order("start");
  const obey = (word: string) => async () => {
    await order(word);
  };
  return {
    url,
    stop: obey("stop"),
    kill: obey("kill"),
    wipe: obey("wipe"),
    start: obey("start"),
    async hang(queue) {
      await order("eval", `sys:suspend('%2F_${queue}').`);
    },
    async unhang(queue) {
      await order("eval", `sys:resume('%2F_${queue}').`);
    },
    async close() {
      await order("wipe");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One call of the management API, which listens 10000 above AMQP: on the shared broker as on any RabbitMQ. */
async function ask(broker: string, method: string, path: string, body?: object): Promise<unknown> {
  const { hostname, port, username, password } = new URL(broker);
  const answer = await fetch(`http://${hostname}:${Number(port || 5672) + 10_000}/api/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
      "content-type": "application/json",
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`RabbitMQ answered ${answer.status} to ${method} ${path}.`);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
}
