import type { ChannelModel } from "amqplib";
import { type Timers, within } from "./patience.ts";

const goodbyeMs = 1_000;

/** Ends a connection in good order, or all the same: a broker that is short of memory does not even read a goodbye. */
export async function sayGoodbye(connection: ChannelModel, timers: Timers): Promise<void> {
  await within(timers, goodbyeMs, connection.close()).catch(() => undefined);
  // amqplib knows it and does not declare it.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
