/**
 * Claimed tasks with a crashed worker. If this worker dies too, the culprit has to be clear: so tasks of one crash
 * are claimed in small numbers, and tasks of more crashes one at a time over all stages.
 */
export interface Suspects {
  /** Counts claimed tasks by their crashes; the returned function counts ended tasks. */
  hold(crashes: number, tasks: number): (tasks: number) => void;
  /**
   * The allowed claim; `answered` has to follow. A scan of all waiting tasks may fill up the few: a hanging task must
   * not block the rest.
   */
  allow(limit: number, { fromStart }: { fromStart: boolean }): Allowed;
  /** One task, regardless of suspicion. */
  allowProbe(): Allowed;
  /** The answer to a claim: the crashes of the claimed tasks, 0 without a claim. */
  answered(asked: Allowed, crashes: number): void;
}

export interface Allowed {
  readonly limit: number;
  readonly few: boolean;
  readonly alone: boolean;
}

/** The right to claim a task with several dead workers: one for all stages of a worker. */
export interface Turn {
  /** False: taken by another stage; `again` is called when free. */
  take(again: () => void): boolean;
  /** Takes the right beside its holder. */
  share(): void;
  giveBack(): void;
}

export function makeTurn(): Turn {
  let taken = 0;
  let last: (() => void) | null = null;
  /** The last holder lets the refused stages ask first. */
  let stepsBack: (() => void) | null = null;
  const refused = new Set<() => void>();
  return {
    take(again) {
      const free = taken === 0 && again !== stepsBack;
      if (again === stepsBack) stepsBack = null;
      if (free) {
        last = again;
        taken = 1;
      } else refused.add(again);
      return free;
    },
    share() {
      taken += 1;
    },
    giveBack() {
      taken -= 1;
      if (taken > 0) return;
      const waiting = [...refused];
      refused.clear();
      stepsBack = waiting.length > 0 ? last : null;
      for (const again of waiting) again();
    },
  };
}

/** As many as the database gives out at once. */
const fewMax = 32;
/** Fewer are not worth a claim, which is smaller for all other tasks meanwhile. */
const fewMin = 8;

export function countSuspects(turn: Turn, again: () => void): Suspects {
  let few = 0;
  return {
    hold(crashes, tasks) {
      if (crashes === 1) few += tasks;
      return (gone) => {
        if (crashes === 1) few -= gone;
        if (crashes > 1 && gone > 0) turn.giveBack();
      };
    },
    allow(limit, { fromStart }) {
      const alone = turn.take(again);
      if (few === 0) return { limit, few: true, alone };
      const room = fewMax - few;
      return fromStart && room >= fewMin
        ? { limit: Math.min(limit, room), few: true, alone }
        : { limit, few: false, alone };
    },
    allowProbe() {
      turn.share();
      return { limit: 1, few: true, alone: true };
    },
    answered({ alone }, crashes) {
      if (alone && crashes <= 1) turn.giveBack();
    },
  };
}
