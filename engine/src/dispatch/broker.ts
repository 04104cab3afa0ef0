import { type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import { sayGoodbye } from "./goodbye.ts";
import type { Timers } from "./patience.ts";

/** A connection to RabbitMQ that comes back by itself. Whoever uses it asks for the channel each time. */
export interface Broker {
  /** For publishing, with confirms; null while the broker cannot be used. */
  channel(): ConfirmChannel | null;
  /** It is there and does not do what it should: this connection is given up, and another one made. */
  giveUp(error: unknown): void;
  close(): Promise<void>;
}

export interface BrokerParts {
  readonly url: string;
  readonly name: string;
  readonly clock: Timers & { random(): number };
  /** Declares what we need and begins to consume; called after every connect. `broken`: it cannot be used any more. */
  readonly setUp: (connection: ChannelModel, channel: ConfirmChannel, broken: () => void) => Promise<void>;
  readonly lost: (error: unknown) => void;
  readonly back: () => void;
}

const firstWaitMs = 100;
const waitMsMax = 5_000;
const heartbeatSeconds = 10;
const connectMs = 10_000;
/** Who starts waits so long for the broker, and works without it after that. */
const startMs = 3_000;

/** Resolves when the first attempt to connect has ended, well or not, and does not wait for long: one that is starting may take minutes. */
export async function openBroker({ url, name, clock, setUp, lost, back }: BrokerParts): Promise<Broker> {
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
    void sayGoodbye(before, clock);
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
      // It may end while it is still being set up: then it is as good as never made.
      const ended = () => {
        over = true;
        if (connection === opened) gone(why);
      };
      opened.on("error", (error) => {
        why = error;
      });
      opened.on("close", ended);
      // A broker that is short of memory or disk takes nothing: what it would lose in our hands stays in the database.
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
      if (closed) return await sayGoodbye(opened, clock);
      connection = opened;
      channel = confirming;
      blocked = false;
      waits = 0;
      back();
    } catch (error) {
      if (fresh) await sayGoodbye(fresh, clock);
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
      // One that takes nothing for a while has said so, and says when it does again.
      if (!blocked) gone(error);
    },
    async close() {
      closed = true;
      cancel();
      const last = connection;
      connection = channel = null;
      if (last) await sayGoodbye(last, clock);
    },
  };
}

/** A broker whose machine vanished is noticed by its silence. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has("heartbeat")) address.searchParams.set("heartbeat", String(heartbeatSeconds));
  return address.href;
}
