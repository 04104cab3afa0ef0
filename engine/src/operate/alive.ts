import type { LivingWorkerRow } from "../store/workers.ts";
import type { Operating } from "./context.ts";

/** The longest configurable heartbeat. */
const silentMs = 60_000;

/**
 * Whether a worker is alive. Dead workers are evicted by living workers; without survivors the last worker would look alive for
 * ever. A late heartbeat alone is no death: a worker with a locked session, or with a door that has just answered, is busy.
 */
export const isAlive = (
  context: Pick<Operating, "alone" | "clock" | "database">,
  worker: Pick<LivingWorkerRow, "heartbeat_at" | "session_held" | "host" | "pid">,
): boolean => !context.alone && (!isLate(context, worker) || worker.session_held || isOwner(context, worker));

/** Since when a worker that is alive has been too busy to beat; null: its heart beats. */
export const busySince = (
  context: Pick<Operating, "alone" | "clock" | "database">,
  worker: Pick<LivingWorkerRow, "heartbeat_at" | "session_held" | "host" | "pid">,
): Date | null => (isLate(context, worker) && isAlive(context, worker) ? worker.heartbeat_at : null);

const isLate = (
  { clock }: Pick<Operating, "clock">,
  { heartbeat_at: at }: Pick<LivingWorkerRow, "heartbeat_at">,
): boolean => clock.now().getTime() - at.getTime() > silentMs;

function isOwner(
  { database }: Pick<Operating, "database">,
  { host, pid }: Pick<LivingWorkerRow, "host" | "pid">,
): boolean {
  const owner = (database as { owner?: { host: string; pid: number } }).owner;
  return owner?.pid === pid && owner.host === host;
}
