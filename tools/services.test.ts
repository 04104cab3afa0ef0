import { connect } from "amqplib";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pooled } from "../test/support/pgbouncer.ts";
import { type Broker, freshVhost, queuesOf, startBroker } from "../test/support/rabbitmq.ts";

/** Leaves one persistent letter in a quorum queue. */
async function leaveLetter(url: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue("letters", { durable: true, arguments: { "x-queue-type": "quorum" } });
  channel.sendToQueue("letters", Buffer.from("a letter"), { persistent: true });
  await channel.waitForConfirms();
  await connection.close();
}

const letters = { name: "letters", type: "quorum", depth: 1, consumers: 0 };

describe("the test RabbitMQ", () => {
  it("gives a test a virtual host of its own, shows its queues and cuts its connections", async () => {
    const one = await freshVhost();
    const other = await freshVhost();
    await leaveLetter(one.url);
    expect(await one.queues()).toEqual([letters]);
    expect(await other.queues()).toEqual([]);
    const connection = await connect(one.url);
    const cut = new Promise((resolve) => connection.on("close", resolve));
    await vi.waitFor(async () => expect(await one.cutConnections()).toBe(1), { timeout: 10_000 });
    await cut;
    await one.close();
    await other.close();
    await expect(connect(one.url)).rejects.toThrow();
  });
});

describe("a broker for one test alone", () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker();
  }, 60_000);
  afterAll(() => broker.close());

  it("keeps its address when it is wiped, and nothing else", async () => {
    await leaveLetter(broker.url);
    expect(await queuesOf(broker.url)).toEqual([letters]);
    await broker.kill();
    await expect(connect(broker.url)).rejects.toThrow();
    await broker.wipe();
    await broker.start();
    expect(await queuesOf(broker.url)).toEqual([]);
    await broker.stop();
    await expect(connect(broker.url)).rejects.toThrow();
  }, 90_000);
});

describe("the test PgBouncer", () => {
  it("lends a session of the server for one transaction at a time", async () => {
    const client = new pg.Client({ connectionString: pooled(process.env.HEADWAY_TEST_POSTGRES as string) });
    const crowd = new pg.Pool({
      connectionString: pooled(process.env.HEADWAY_TEST_POSTGRES as string),
      max: 40,
    });
    await client.connect();
    const { rows } = await client.query("select pg_backend_pid() as session");
    const backends = new Set<number>();
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const one = await crowd.query("select pg_backend_pid() as session from pg_sleep(0.02)");
        backends.add(one.rows[0].session);
      }),
    );
    // Forty clients, at most twenty sessions: some were lent to several.
    expect(backends.size).toBeLessThanOrEqual(20);
    expect(rows).toHaveLength(1);
    await crowd.end();
    await client.end();
  });
});
