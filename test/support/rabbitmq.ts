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

/** Current state of a queue. */
export interface QueueView {
  readonly name: string;
  readonly type: "quorum" | "classic" | "stream";
  /** Ready deliveries; unacknowledged deliveries are not counted. */
  readonly depth: number;
  readonly consumers: number;
}

/** A virtual host of the shared broker, exclusive to a test. */
export interface Vhost {
  readonly url: string;
  queues(): Promise<QueueView[]>;
  /** Cuts every connection, as a broker's restart does; resolves with their number. */
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

/** The queues of the virtual host in an AMQP URL, by name. */
export async function queuesOf(url: string): Promise<QueueView[]> {
  const name = new URL(url).pathname.slice(1) || "%2F";
  const rows = (await ask(url, "GET", `queues/${name}?columns=name,type&sort=name`)) as QueueView[];
  const connection = await connect(url);
  try {
    const channel = await connection.createChannel();
    const views: QueueView[] = [];
    // Numbers from AMQP are current, numbers from the management API seconds old.
    for (const row of rows) {
      const { messageCount, consumerCount } = await channel.checkQueue(row.name);
      views.push({ name: row.name, type: row.type, depth: messageCount, consumers: consumerCount });
    }
    return views;
  } finally {
    await connection.close();
  }
}

/** Number of queues, responsive or not. */
export async function countQueues(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1) || "%2F";
  return ((await ask(url, "GET", `queues/${name}?columns=name`)) as unknown[]).length;
}

/** A RabbitMQ for one test alone, free to be stopped, killed and wiped. The address stays the same. */
export interface Broker {
  readonly url: string;
  /** Graceful shutdown: clients are told, the disk is written. */
  stop(): Promise<void>;
  /** Kills the broker, as a power cut would. */
  kill(): Promise<void>;
  /** Ends a running broker and deletes all its data. */
  wipe(): Promise<void>;
  start(): Promise<void>;
  /** Makes a queue unresponsive, as after losing its leader, while the rest of the broker works. */
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

/** One call of the management API, on AMQP's port + 10000 as on any RabbitMQ. */
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
