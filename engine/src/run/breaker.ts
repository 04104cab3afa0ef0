import { probeDelayMs } from "../decide/eligible.ts";
import type { Fault } from "../decide/fault.ts";
import type { Emit } from "../decide/signal.ts";
import type { Database } from "../store/database.ts";
import type { Store } from "../store/store.ts";
import { addMs, type Clock } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { PlannedStage } from "./graph.ts";

const streakMax = 5;
const streakMs = 900;

/**
 * Watches the dependencies of stages. A streak of outages without a success between opens the breaker for the whole
 * fleet: five at once, or two that are about a second apart, so that a lone document is not worn out by an outage either.
 */
export interface Breakers {
  /** Tells of a failed attempt; true: its dependency is down, so the document is not to blame. */
  failed(stage: PlannedStage, fault: Fault): Promise<boolean>;
  succeeded(stage: PlannedStage): Promise<void>;
  /** Takes the right to send one document to a dependency that is down. */
  mayProbe(name: string): Promise<boolean>;
}

export interface BreakerParts {
  readonly db: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly controls: Controls;
  readonly emit: Emit;
  /** Others should know at once. */
  readonly changed: () => void;
}

export function makeBreakers({ db, store, clock, controls, emit, changed }: BreakerParts): Breakers {
  const streaks = new Map<string, { count: number; since: Date }>();

  async function open(name: string, fault: Fault): Promise<void> {
    const now = clock.now();
    const news = await store.openBreaker(db, { name, fault, now, probeAt: addMs(now, probeDelayMs(0)) });
    await controls.refresh();
    if (!news) return;
    emit({ kind: "breaker.opened", dependency: name, fault });
    changed();
  }
  async function close(name: string): Promise<void> {
    const downMs = await store.closeBreaker(db, name, clock.now());
    await controls.refresh();
    if (downMs === null) return;
    emit({ kind: "breaker.closed", dependency: name, downMs });
    changed();
  }
  return {
    async failed({ stage }, fault) {
      if (!fault.outage || fault.dependency === undefined) return false;
      const name = fault.dependency;
      if (!stage.needs.some((service) => service.name === name)) return false;
      if (controls.dependency(name)?.open) return true;
      const now = clock.now();
      const streak = streaks.get(name) ?? { count: 0, since: now };
      streaks.set(name, { ...streak, count: streak.count + 1 });
      const lasting = streak.count + 1 >= 2 && now.getTime() - streak.since.getTime() >= streakMs;
      if (streak.count + 1 < streakMax && !lasting) return false;
      await open(name, fault);
      return true;
    },
    async succeeded({ stage }) {
      for (const { name } of stage.needs) {
        streaks.delete(name);
        if (controls.dependency(name)?.open) await close(name);
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
