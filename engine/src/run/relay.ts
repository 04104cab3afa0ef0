import type { Emit } from "../decide/signal.ts";
import { NotHandedOn } from "../dispatch/dispatch.ts";

/** Events handed on at once. */
export const relayBatch = 500;

/** Hands on all waiting events; returns their number. */
export async function relayAll(worker: { relay(): Promise<number> }, emit: Emit): Promise<number> {
  let relayed = 0;
  try {
    for (;;) {
      const events = await worker.relay();
      relayed += events;
      if (events > 0) emit({ kind: "events.relayed", events });
      if (events < relayBatch) return relayed;
    }
  } catch (error) {
    // The receiver is away; the events stay in the outbox.
    if (!(error instanceof NotHandedOn)) throw error;
    return relayed;
  }
}
