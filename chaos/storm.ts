import { virtualClock } from "../engine/src/testing.ts";
/** All faults, with their rate per minute and a description. */
export const strikeKinds = {
  "kill one": { perMinute: 26, about: "SIGKILL of a worker" },
  "kill at a point": { perMinute: 20, about: "SIGKILL of a worker at a named point" },
  "kill the holder": { perMinute: 4, about: "SIGKILL of whoever relays events or sweeps" },
  "kill a group": { perMinute: 2, about: "SIGKILL of several workers at once, or of all" },
  "freeze at a point": { perMinute: 5, about: "SIGSTOP at a named point until it is evicted, then SIGCONT" },
  "freeze one": { perMinute: 1.5, about: "SIGSTOP of a worker until it is evicted, then SIGCONT" },
  bomb: { perMinute: 0.6, about: "a document that kills whoever works on it" },
  "restart the database": { perMinute: 2.2, about: "pg_ctl stop -m immediate, and start" },
  "end sessions": { perMinute: 4, about: "pg_terminate_backend of some sessions" },
  "exhaust connections": { perMinute: 0.6, about: "no connection is left for a while" },
  "read-only": { perMinute: 0.6, about: "the database refuses every write for a while" },
  "slow network": { perMinute: 1, about: "every packet to and from the database is late" },
  "cut connections": { perMinute: 4, about: "connections break after some bytes" },
  "swallow packets": { perMinute: 1, about: "nothing comes through, then it goes on or breaks" },
  "cut off the source": {
    perMinute: 2,
    about: "who hands documents in does not hear whether they were taken",
  },
  "oracle misbehaves": { perMinute: 3, about: "a service answers 429, 500, nonsense, half or never" },
  "disk full": { perMinute: 0.6, about: "no room for blobs" },
  "lose tasks": { perMinute: 1, about: "rows of tasks vanish, as after a restored backup" },
  "pause a stage": { perMinute: 2, about: "an operator pauses a stage for a while" },
  "requeue the dead": { perMinute: 2, about: "an operator requeues dead letters" },
  "change a policy": { perMinute: 2, about: "an operator changes a retry policy and takes it back" },
  reprocess: { perMinute: 2, about: "an operator has results made anew" },
  "free a worker": { perMinute: 1, about: "an operator takes everything from a living worker" },
} as const;
export const brokerStrikes = {
  "restart the broker": { perMinute: 1.2, about: "the broker is stopped and started" },
  "wipe the broker": { perMinute: 0.6, about: "the broker comes back empty" },
  "meddle with deliveries": {
    perMinute: 3,
    about: "deliveries come twice, in another order, again or never",
  },
  "cut the broker off": { perMinute: 2, about: "connections to the broker break or stall" },
} as const;

export type StrikeKind = keyof typeof strikeKinds | keyof typeof brokerStrikes;

/** One fault. `lots` decide the open parameters: target, place, duration. */
export interface Strike {
  readonly atMs: number;
  readonly kind: StrikeKind;
  /** Ordinal within the kind: lists of choices are used in order. */
  readonly turn: number;
  readonly lots: readonly [number, number, number];
}

export interface StormPlan {
  readonly seed: number;
  readonly minutes: number;
  readonly broker: boolean;
  /** Only these kinds. */
  readonly only?: readonly StrikeKind[];
}

const calmMs = 2_000;

/** The same seed makes the same storm. Each kind comes at least once, spread over the whole time. */
export function planStorm({ seed, minutes, broker, only }: StormPlan): Strike[] {
  const { random } = virtualClock({ seed });
  const lengthMs = minutes * 60_000 - calmMs;
  const kinds = Object.entries({ ...strikeKinds, ...(broker && brokerStrikes) }) as [
    StrikeKind,
    { perMinute: number },
  ][];
  return kinds
    .filter(([kind]) => !only || only.includes(kind))
    .flatMap(([kind, { perMinute }]) => {
      const count = Math.max(1, Math.round(perMinute * minutes));
      return Array.from({ length: count }, (_, place): Strike => {
        const atMs = Math.round(calmMs + ((place + random()) / count) * lengthMs * 0.97);
        return { atMs, kind, turn: place, lots: [random(), random(), random()] };
      });
    })
    .sort((a, b) => a.atMs - b.atMs);
}

/** A random element, by lot. */
export const pick = <T>(from: readonly T[], lot: number): T =>
  from[Math.min(from.length - 1, Math.floor(lot * from.length))] as T;

/** Elements in turn. */
export const inTurn = <T>(from: readonly T[], turn: number): T => from[turn % from.length] as T;

/** A duration between two limits. */
export const pickMs = (least: number, most: number, lot: number) => Math.round(least + (most - least) * lot);
