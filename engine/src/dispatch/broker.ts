import type { ChannelModel, ConfirmChannel } from "amqplib";
import { loadConnect } from "./amqplib.ts";
import { closeConnection } from "./close-connection.ts";
import type { Timers } from "./timeout.ts";

/** Connection to RabbitMQ with automatic reconnect. Callers ask for the channel before each use. */
export interface Broker {
  /** Channel for publishing with confirms; null while the broker is unusable. */
  channel(): ConfirmChannel | null;
  /** Drops a connection to a broker that misbehaves, and reconnects. */
  giveUp(error: unknown): void;
  close(): Promise<void>;
}

export interface BrokerParts {
  readonly url: string;
  readonly name: string;
  readonly clock: Timers & { random(): number };
  /**
   * Declares exchange and queues and starts the consumers, after every connect. `broken` reports an unusable
   * connection.
   */
  readonly setUp: (connection: ChannelModel, channel: ConfirmChannel, broken: () => void) => Promise<void>;
  readonly lost: (error: unknown) => void;
  readonly back: () => void;
}

const firstWaitMs = 100;
const waitMsMax = 5_000;
const heartbeatSeconds = 10;
const connectMs = 10_000;
/** Longest wait for the broker at start; the worker then starts without a broker. */
const startMs = 3_000;

/**
 * Resolves when the first connection attempt ends, successfully or not, or after `startMs`: a starting broker may
 * take minutes.
 */
export async function openBroker({ url, name, clock, setUp, lost, back }: BrokerParts): Promise<Broker> {
  const connect = await loadConnect();
  const address = withHeartbeat(url);
  let connection: ChannelModel | null = null;
  let channel: ConfirmChannel | null = null;
  let blocked = false;
  let closed = false;
  let waits = 0;
  let cancel: () => void = () => undefined;

  function gone(error: unknown): void {
    const before = connection;
    if (!before || closed) return;
    connection = channel = null;
    void closeConnection(before, clock);
    lost(error);
    again();
  }
  function again(): void {
    const waitMs = Math.min(waitMsMax, firstWaitMs * 2 ** waits++) * (0.5 + clock.random() / 2);
    cancel = clock.after(waitMs, () => void establish());
  }
  async function establish(): Promise<void> {
    let fresh: ChannelModel | null = null;
    try {
      const clientProperties = { connection_name: name, product: "headway" };
      fresh = await connect(address, { noDelay: true, timeout: connectMs, clientProperties });
      const opened = fresh;
      let why: unknown = new Error("The broker closed the connection.");
      let over = false;
      // A connection that ends during set-up counts as never made.
      const ended = () => {
        over = true;
        if (connection === opened) gone(why);
      };
      opened.on("error", (error) => {
        why = error;
      });
      opened.on("close", ended);
      // Back-pressure: a broker short of memory or disk accepts nothing, so events stay in the database.
      opened.on("blocked", (reason) => {
        blocked = true;
        lost(new Error(`The broker takes nothing now: ${reason}`));
      });
      opened.on("unblocked", () => {
        blocked = false;
        back();
      });
      const confirming = await opened.createConfirmChannel();
      confirming.on("error", (error) => {
        why = error;
      });
      confirming.on("close", ended);
      await setUp(opened, confirming, ended);
      if (over) throw why;
      if (closed) return await closeConnection(opened, clock);
      connection = opened;
      channel = confirming;
      blocked = false;
      waits = 0;
      back();
    } catch (error) {
      if (fresh) await closeConnection(fresh, clock);
      if (closed) return;
      lost(error);
      again();
    }
  }
  await new Promise<void>((resolve) => {
    const stopWaiting = clock.after(startMs, () => {
      lost(new Error("The broker has not answered yet."));
      resolve();
    });
    void establish().then(() => {
      stopWaiting();
      resolve();
    });
  });
  return {
    channel: () => (blocked ? null : channel),
    giveUp(error) {
      // A blocked broker announces its own recovery (`unblocked`), so the connection stays.
      if (!blocked) gone(error);
    },
    async close() {
      closed = true;
      cancel();
      const last = connection;
      connection = channel = null;
      if (last) await closeConnection(last, clock);
    },
  };
}

/** Adds a heartbeat: only silence reveals a broker on a vanished machine. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has("heartbeat")) address.searchParams.set("heartbeat", String(heartbeatSeconds));
  return address.href;
}
