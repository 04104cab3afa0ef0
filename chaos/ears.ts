import { setTimeout as pause } from "node:timers/promises";
import { connect } from "amqplib";
import { routingKeyOf } from "../engine/src/decide/envelope.ts";
import { defaultExchange } from "../engine/src/dispatch/rabbitmq.ts";

/** An outside consumer with a queue for all announced events. */
export interface Ears {
  /** Event keys, with the number of deliveries. */
  readonly heard: ReadonlyMap<string, number>;
  /** Time from which no event may be missed; null: the broker does not know the queue. */
  readonly since: number | null;
  /** The broker was emptied, with all undelivered events. */
  forget(): void;
  close(): Promise<void>;
}

const queue = "chaos.ears";
const againMs = 200;

/** `types`: event types to receive. */
export function openEars(url: string, types: readonly string[]): Ears {
  const heard = new Map<string, number>();
  let since: number | null = null;
  let closed = false;
  let hangUp: () => Promise<void> = async () => undefined;

  /**
   * Until the end of the connection. Only the engine creates the exchange: a missing exchange tells it about an
   * emptied broker.
   */
  async function listen(): Promise<void> {
    const connection = await connect(url);
    const ended = new Promise<void>((resolve) =>
      connection.on("error", () => undefined).on("close", resolve),
    );
    hangUp = () => connection.close().catch(() => undefined);
    try {
      const channel = await connection.createChannel();
      channel.on("error", () => undefined).on("close", () => void hangUp());
      await channel.checkExchange(defaultExchange);
      await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
      for (const type of types) await channel.bindQueue(queue, defaultExchange, routingKeyOf(type));
      since ??= Date.now();
      await channel.consume(queue, (message) => {
        if (!message) return void hangUp();
        const key = String(message.properties.headers?.["event-key"]);
        heard.set(key, (heard.get(key) ?? 0) + 1);
        channel.ack(message);
      });
      await ended;
    } finally {
      await hangUp();
    }
  }
  async function run(): Promise<void> {
    while (!closed) {
      await listen().catch(() => undefined);
      await pause(againMs);
    }
  }
  const running = run();
  return {
    heard,
    get since() {
      return since;
    },
    forget() {
      since = null;
    },
    async close() {
      closed = true;
      await hangUp();
      await running;
    },
  };
}
