import type { ChannelModel } from "amqplib";
import { type Timers, within } from "./patience.ts";

const goodbyeMs = 1_000;

/** Closes a connection gracefully, or by force: a broker short of memory does not even read the close. */
export async function sayGoodbye(connection: ChannelModel, timers: Timers): Promise<void> {
  await within(timers, goodbyeMs, connection.close()).catch(() => undefined);
  // Field of amqplib missing in its type declarations.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
