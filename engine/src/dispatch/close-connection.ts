import type { ChannelModel } from "amqplib";
import { type Timers, within } from "./timeout.ts";

const closeMs = 1_000;

/** Closes a connection gracefully, or by force: a broker short of memory does not even read the close. */
export async function closeConnection(connection: ChannelModel, timers: Timers): Promise<void> {
  await within(timers, closeMs, connection.close()).catch(() => undefined);
  // Field of amqplib missing in its type declarations.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
