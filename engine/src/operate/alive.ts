import type { Operating } from "./context.ts";

/** The longest configurable heartbeat. */
const silentMs = 60_000;

/**
 * Whether a worker is alive. Dead workers are evicted by living workers; without survivors the last worker would look
 * alive
 * for ever.
 */
export const isAlive = (
  { alone = false, clock }: Pick<Operating, "alone" | "clock">,
  { heartbeat_at: heartbeatAt }: { readonly heartbeat_at: Date },
): boolean => !alone && clock.now().getTime() - heartbeatAt.getTime() <= silentMs;
