import type { ChannelModel } from "amqplib";

const goodbyeMs = 1_000;

/** Ends a connection in good order, or all the same: a broker that is short of memory does not even read a goodbye. */
export async function sayGoodbye(
  connection: ChannelModel,
  { after }: { after(delayMs: number, ring: () => void): () => void },
): Promise<void> {
  let stopWaiting: () => void = () => undefined;
  const patience = new Promise<void>((resolve) => {
    stopWaiting = after(goodbyeMs, resolve);
  });
  await Promise.race([connection.close().catch(() => undefined), patience]);
  stopWaiting();
  // amqplib knows it and does not declare it.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
