import type { Database } from "../store/database.ts";
import { controlChannel, notify, workChannel } from "../store/news.ts";
import type { Dispatch, Hears } from "./dispatch.ts";

const coalesceMs = 2;

type Timers = { after(delayMs: number, ring: () => void): () => void };

/** Notifications by NOTIFY after the commit, coalesced. Events stay in the outbox for readers. */
export async function startDatabaseDispatch(db: Database, timers: Timers, hears: Hears): Promise<Dispatch> {
  const stops = [
    await db.listen(workChannel, (payload) => hears.work(payload.split(",").map(Number))),
    await db.listen(controlChannel, () => hears.controls()),
  ];
  const waiting = new Set<number>();
  let timer: (() => void) | null = null;
  let sending: Promise<unknown> = Promise.resolve();

  const tell = (channel: string, payload: string) => {
    // A lost notification costs at most a poll interval, so failures are ignored.
    sending = notify(db, channel, payload).catch(() => undefined);
  };
  /** Sends the first notification at once and coalesces the following for `coalesceMs`. */
  const flush = () => {
    timer = null;
    if (waiting.size === 0) return;
    tell(workChannel, [...waiting].join(","));
    waiting.clear();
    timer = timers.after(coalesceMs, flush);
  };
  return {
    announce(stages) {
      for (const stage of stages) waiting.add(stage);
      if (!timer) flush();
    },
    announceControls: () => tell(controlChannel, ""),
    publish: async () => undefined,
    async close() {
      timer?.();
      await sending;
      for (const stop of stops) await stop();
    },
  };
}
