import type { Emit } from "../decide/signal.ts";
import type { Clock } from "./clock.ts";

/** Tells the alerter of this process that documents died or a service went down: one look a second at most. */
export interface DeathBell {
  readonly emit: Emit;
  onDeath(ring: () => void): void;
  /** Whether it rang since the last question. */
  hasRung(): boolean;
}

const ringMs = 1_000;

/** Listens to signals on their way, at the cost of one comparison. */
export function hangDeathBell(clock: Clock, emit: Emit): DeathBell {
  let ring: (() => void) | null = null;
  let planned = false;
  let rung = false;
  return {
    emit(body) {
      if (ring && !planned && (body.kind === "task.died" || body.kind === "breaker.opened")) {
        planned = true;
        clock.after(ringMs, () => {
          planned = false;
          rung = true;
          ring?.();
        });
      }
      emit(body);
    },
    onDeath(heard) {
      ring = heard;
    },
    hasRung() {
      const was = rung;
      rung = false;
      return was;
    },
  };
}
