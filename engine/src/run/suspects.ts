/**
 * Tasks in hand whose worker died. Should this one die too, it has to be plain whose fault it was: so those of one crash are
 * in hand a few at a time, and of those of more only one.
 */
export interface Suspects {
  /** Counts what was claimed, by the crashes it remembers; the returned function counts what is out of our hands again. */
  hold(crashes: number, tasks: number): (tasks: number) => void;
  /** What may be asked for. Who looks through all that waits may fill up the few: one that hangs must not keep all others waiting. */
  allow(limit: number, { fromStart }: { fromStart: boolean }): Allowed;
}

export interface Allowed {
  readonly limit: number;
  readonly few: boolean;
  readonly alone: boolean;
}

/** As many as the database gives out at once. */
const fewMax = 32;
/** Fewer are not worth a claim, which is smaller for all others meanwhile. */
const fewMin = 8;

export function countSuspects(): Suspects {
  const held = { few: 0, alone: 0 };
  return {
    hold(crashes, tasks) {
      const kind = crashes === 0 ? null : crashes === 1 ? "few" : "alone";
      if (kind) held[kind] += tasks;
      return (gone) => {
        if (kind) held[kind] -= gone;
      };
    },
    allow(limit, { fromStart }) {
      const alone = held.alone === 0;
      if (held.few === 0) return { limit, few: true, alone };
      const room = fewMax - held.few;
      return fromStart && room >= fewMin
        ? { limit: Math.min(limit, room), few: true, alone }
        : { limit, few: false, alone };
    },
  };
}
