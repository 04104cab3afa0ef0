import type { Database } from "../store/database.ts";
import { isHeld, takeSingleton } from "../store/singletons.ts";
import { addMs, type Clock } from "./clock.ts";
import type { Membership } from "./membership.ts";

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly settings: { readonly silenceMs: number };
  readonly channels: readonly unknown[];
  readonly bell?: { hasRung(): boolean };
}

interface SingleWorker {
  readonly membership: Pick<Membership, "number">;
}

interface Alerting extends SingleWorker {
  alert(options?: { readonly waits: boolean }): Promise<unknown>;
}

/** Runs a task of a single worker; false for all other workers. */
export async function asSingleton(
  name: string,
  worker: SingleWorker,
  parts: Parts,
  run: () => Promise<unknown>,
): Promise<boolean> {
  const ours = await takeRole(name, worker.membership.number(), parts);
  if (ours) await run();
  return ours;
}

export async function takeRole(
  name: string,
  worker: number,
  { db, clock, settings }: Parts,
): Promise<boolean> {
  const now = clock.now();
  return await takeSingleton(db, { name, worker, now, until: addMs(now, settings.silenceMs) });
}

/**
 * One worker looks for alerts at an interval, and each worker with a channel after deaths of own documents. A process
 * without a channel looks only in the absence of processes with a channel: nobody would be told.
 */
export async function alertAsOne(worker: Alerting, parts: Parts): Promise<void> {
  const { db, clock, channels, bell } = parts;
  const tells = channels.length > 0;
  if (bell?.hasRung() && tells) return void (await worker.alert({ waits: false }));
  if (!tells && (await isHeld(db, { name: "alerts", now: clock.now() }))) return;
  await asSingleton(tells ? "alerts" : "alerts-untold", worker, parts, () => worker.alert());
}
