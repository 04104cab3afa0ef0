import { probeDelayMs } from "../decide/eligible.ts";
import type { Fault } from "../decide/fault.ts";
import { beliefMs, beliefMsMax, outagesMax, suspicionOf } from "../decide/outage.ts";
import { type Blame, blamed } from "../decide/settle-unit.ts";
import type { Emit } from "../decide/signal.ts";
import type { Database } from "../store/database.ts";
import type { Outage } from "../store/dependencies.ts";
import type { Store } from "../store/store.ts";
import { addMs, type Clock } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { PlannedStage } from "./graph.ts";

const failuresMax = 5;
const lastingMs = 900;

/**
 * Circuit breakers for the dependencies of stages. Failures without a success in between, counted over all workers, open
 * the breaker for the whole fleet: five at once, or two about a second apart, so an outage does not wear out a lone
 * document. Failures that a document may have caused count once for each document (`decide/outage.ts`).
 */
export interface Breakers {
  /** Reports a failed attempt. */
  failed(stage: PlannedStage, fault: Fault, by: Omit<Outage["by"], "stage">): Promise<Blame>;
  succeeded(stage: PlannedStage): Promise<void>;
  /** Takes the right to send one document to a dependency that is down. */
  mayProbe(name: string): Promise<boolean>;
}

/** Time after which a second failure opens the breaker, unless the dependency has succeeded elsewhere. */
export const unsureMs = lastingMs;

export interface BreakerParts {
  readonly db: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly controls: Controls;
  readonly emit: Emit;
  /** Notifies other processes at once. */
  readonly changed: () => void;
}

export function makeBreakers(parts: BreakerParts): Breakers {
  const { db, store, clock, controls, emit } = parts;
  const watched: Watched = { parts, failing: new Set() };
  return {
    async failed({ stage, number }, fault, by) {
      const name = blamed(stage.needs, fault);
      if (name === null) return "document";
      return await count(watched, name, fault, { ...by, stage: number });
    },
    async succeeded({ stage }) {
      for (const { name } of stage.needs) {
        if (watched.failing.delete(name) || controls.isFailing(name)) {
          await store.endStreak(db, name);
          await controls.refresh();
        }
        if (controls.dependency(name)?.open) await close(watched, name);
      }
    },
    async mayProbe(name) {
      const known = controls.dependency(name);
      if (!known) return true;
      const now = clock.now();
      const nextAt = addMs(now, probeDelayMs(known.probes + 1));
      const mine = await store.takeProbe(db, { name, now, nextAt });
      await controls.refresh();
      if (mine) emit({ kind: "breaker.probed", dependency: name, nextAt });
      return mine;
    },
  };
}

interface Watched {
  readonly parts: BreakerParts;
  /** Failures seen by this process: news from and to other processes takes a moment. */
  readonly failing: Set<string>;
}

async function count(
  { parts, failing }: Watched,
  name: string,
  fault: Fault,
  by: Outage["by"],
): Promise<Blame> {
  const { db, store, clock, controls, emit, changed } = parts;
  const now = clock.now();
  const known = failing.has(name) || controls.isFailing(name);
  const probeAt = addMs(now, probeDelayMs(0));
  const certain = suspicionOf(fault) === "certain";
  const limits = { failuresMax, lastingMs, outagesMax, beliefMs, beliefMsMax };
  const standing = await store.countOutage(db, { name, fault, by, certain, now, probeAt, ...limits });
  if (standing === "well") return "document";
  if (standing === "disbelieved") {
    await tellClosed(parts, name);
    return "document";
  }
  if (standing === "failing") {
    failing.add(name);
    // Other processes have to know, or their successes would not count.
    if (!known) changed();
    return "unsure";
  }
  failing.delete(name);
  await controls.refresh();
  if (standing === "opened") {
    emit({ kind: "breaker.opened", dependency: name, fault });
    changed();
  }
  return "down";
}

async function close({ parts }: Watched, name: string): Promise<void> {
  const { db, store, clock, controls } = parts;
  if ((await store.closeBreaker(db, name, clock.now())) === null) await controls.refresh();
  else await tellClosed(parts, name);
}

async function tellClosed({ clock, controls, emit, changed }: BreakerParts, name: string): Promise<void> {
  const since = controls.dependency(name)?.since ?? clock.now();
  await controls.refresh();
  emit({ kind: "breaker.closed", dependency: name, downMs: clock.now().getTime() - since.getTime() });
  changed();
}
