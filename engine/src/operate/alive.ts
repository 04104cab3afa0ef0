import type { Operating } from "./context.ts";

/** As long as the longest heartbeat that can be set. */
const silentMs = 60_000;

/**
 * Whether a worker is still there. Dead workers are evicted by living ones; when none is left, the last of them would look
 * alive for ever.
 */
export const isAlive = (
  { alone = false, clock }: Pick<Operating, "alone" | "clock">,
  { heartbeat_at: heartbeatAt }: { readonly heartbeat_at: Date },
): boolean => !alone && clock.now().getTime() - heartbeatAt.getTime() <= silentMs;
