import { setTimeout as pause } from "node:timers/promises";
import { type Channel, connect, type GetMessage } from "amqplib";
import { failedType } from "../engine/src/decide/envelope.ts";
import { queuesOf as plannedQueues } from "../engine/src/dispatch/queues.ts";
import type { Pipeline } from "../engine/src/index.ts";
import { openGate } from "../test/support/gate.ts";
import { countQueues, startBroker } from "../test/support/rabbitmq.ts";
import { type Ears, openEars } from "./ears.ts";
import { inTurn, pickMs } from "./storm.ts";

/** The storm's own broker, free to be stopped, emptied, cut off and meddled with. */
export interface BrokerHouse {
  /** Options for `startEngine`. */
  readonly engine: { readonly broker: { readonly url: string } };
  /** An outside consumer of the announced events. */
  readonly ears: Ears;
  restart(downMs: number, turn: number): Promise<void>;
  wipe(): Promise<void>;
  cutOff(lot: number, turn: number): Promise<void>;
  /** Takes deliveries away and returns them twice, in another order, once more, or not at all. */
  meddle(turn: number): Promise<number>;
  heal(): void;
  close(): Promise<void>;
}

const madeMs = 30_000;
const electedMs = 500;
const queues = ["opening", "copying", "pricing", "binding", "parsing"];

export async function openBrokerHouse(pipelines: readonly Pipeline[]): Promise<BrokerHouse> {
  const broker = await startBroker();
  const gate = await openGate(broker.url);
  const announced = pipelines.flatMap(({ stages }) => stages.map((one) => one.announces));
  const types = announced.flatMap((one) => [one.done ?? [], failedType(one)].flat());
  const ears = openEars(broker.url, [...new Set(types)]);
  const planned = pipelines.flatMap(({ stages }) => plannedQueues({ stages, receives: [] }));
  /** Plus the consumer's queue. */
  const expected = planned.length + 1;
  /**
   * RabbitMQ 3.10 killed during the creation of a queue leaves a queue without a leader for ever ("leader not
   * known"): a fault of RabbitMQ, which can only be reported. So a new broker is left alone until all queues exist.
   */
  const allMade = async () => {
    const until = Date.now() + madeMs;
    while ((await countQueues(broker.url).catch(() => 0)) < expected && Date.now() < until) await pause(100);
    await pause(electedMs);
  };
  let changing: Promise<unknown> = allMade();
  /** Serialised: a stopped broker cannot be stopped. */
  const change = (act: () => Promise<void>): Promise<void> => {
    const changed = changing.then(act);
    changing = changed.catch(() => undefined);
    return changed;
  };
  return {
    engine: { broker: { url: gate.url } },
    ears,
    restart: (downMs, turn) =>
      change(async () => {
        await (turn % 2 === 0 ? broker.stop() : broker.kill());
        await pause(downMs);
        await broker.start();
      }),
    wipe: () =>
      change(async () => {
        await broker.wipe();
        ears.forget();
        await broker.start();
        await allMade();
      }),
    async cutOff(lot, turn) {
      if (turn % 2 === 0) return gate.cutAfter(pickMs(0, 3_000, lot));
      gate.swallow();
      await pause(pickMs(500, 4_000, lot));
      gate.release(lot < 0.5 ? "deliver" : "break");
    },
    // A queue without a leader delivers nothing, silently.
    meddle: (turn) => Promise.race([meddle(broker.url, turn), pause(3 * meddleMs).then(() => 0)]),
    heal() {
      gate.delay(0);
      // Workers alive now survive: at least these have to reconnect.
      gate.release("break");
    },
    async close() {
      await ears.close();
      await gate.close();
      await broker.close();
    },
  };
}

const ways = ["twice", "backwards", "once more", "never"] as const;
const meddleMs = 3_000;

async function meddle(url: string, turn: number): Promise<number> {
  const connection = await connect(url);
  connection.on("error", () => undefined);
  try {
    const channel = await connection.createChannel();
    channel.on("error", () => undefined);
    const until = Date.now() + meddleMs;
    let count = 0;
    while (Date.now() < until) {
      for (const queue of queues) count += await meddleWith(channel, queue, inTurn(ways, turn));
      await pause(5);
    }
    return count;
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function meddleWith(channel: Channel, queue: string, way: (typeof ways)[number]): Promise<number> {
  const taken: GetMessage[] = [];
  for (
    let message = await channel.get(queue);
    message && taken.length < 5;
    message = await channel.get(queue)
  )
    taken.push(message);
  const giveBack = ({ content, properties }: GetMessage) => channel.sendToQueue(queue, content, properties);
  for (const message of way === "backwards" ? taken.reverse() : taken) {
    if (way === "once more") {
      channel.nack(message, false, true);
      continue;
    }
    if (way !== "never") giveBack(message);
    if (way === "twice") giveBack(message);
    channel.ack(message);
  }
  return taken.length;
}
