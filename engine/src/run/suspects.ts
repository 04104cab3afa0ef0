/**
 * Tasks in hand whose worker died. Should this one die too, it has to be plain whose fault it was: so those of one crash are
 * in hand a few at a time, and of those of more only one, at whatever stage.
 */
export interface Suspects {
  /** Counts what was claimed, by the crashes it remembers; the returned function counts what is out of our hands again. */
  hold(crashes: number, tasks: number): (tasks: number) => void;
  /**
   * What may be asked for; `answered` has to follow. A look through all that waits may fill up the few: one that hangs must
   * not keep all others waiting.
   */
  allow(limit: number, { fromStart }: { fromStart: boolean }): Allowed;
  /** One task, whatever it is suspected of. */
  allowProbe(): Allowed;
  /** What came of it: the crashes that the claimed tasks remember, 0 if there is no claim. */
  answered(asked: Allowed, crashes: number): void;
}

export interface Allowed {
  readonly limit: number;
  readonly few: boolean;
  readonly alone: boolean;
}

/** The right to have a task in hand whose workers died more than once: one for all stages of a worker. */
export interface Turn {
  /** False: another stage has it; `again` is called when it is free. */
  take(again: () => void): boolean;
  /** Takes it beside whoever has it. */
  share(): void;
  giveBack(): void;
}

export function makeTurn(): Turn {
  let taken = 0;
  let last: (() => void) | null = null;
  /** The stage that had it last lets those that were refused meanwhile ask first. */
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
/** Fewer are not worth a claim, which is smaller for all others meanwhile. */
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
