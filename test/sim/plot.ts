import type { WorkerSettings } from "../../engine/src/run/worker.ts";
import type { Chance } from "./chance.ts";
import { type Letter, machines, post } from "./letters.ts";
import type { Moment } from "./process.ts";
import type { Weather } from "./weather.ts";

/** The changes of one sender's letters, in sequence. */
export interface Correspondence {
  readonly id: string;
  readonly steps: readonly Step[];
}

export interface Step {
  /** After the previous step. */
  readonly afterMs: number;
  /** Null: deleted. */
  readonly letter: Letter | null;
}

/** A fault, or an action of a person. */
export type Deed =
  | {
      readonly kind: "crash";
      readonly worker: number;
      readonly at: Moment | "once";
      readonly downMs: number;
    }
  | { readonly kind: "hang"; readonly worker: number; readonly at: Moment | "once"; readonly forMs: number }
  | { readonly kind: "stop"; readonly worker: number; readonly downMs: number }
  | { readonly kind: "jump"; readonly worker: number; readonly byMs: number }
  | { readonly kind: "lose session"; readonly worker: number }
  | { readonly kind: "database down"; readonly forMs: number }
  | { readonly kind: "machine down"; readonly machine: string; readonly forMs: number }
  | { readonly kind: "pause"; readonly stage: string; readonly forMs: number }
  | { readonly kind: "policy"; readonly stage: string; readonly attempts: number }
  | { readonly kind: "requeue" }
  | { readonly kind: "retry"; readonly letter: string }
  | { readonly kind: "cancel"; readonly letter: string }
  | { readonly kind: "free worker" }
  | { readonly kind: "rewrite"; readonly letter: string; readonly as: Letter }
  | { readonly kind: "forget tasks" };

export interface Act {
  readonly atMs: number;
  readonly deed: Deed;
}

/** Everything decided by the seed in advance. */
export interface Plot {
  /** Stages of each worker: all stages for the first worker, so every stage has a worker. */
  readonly workers: readonly (readonly string[])[];
  readonly settings: Omit<WorkerSettings, "name">;
  readonly correspondences: readonly Correspondence[];
  readonly acts: readonly Act[];
  readonly shares: Omit<Weather, "databaseDown" | "servicesDown">;
  /** End of new faults. */
  readonly stormMs: number;
  /** Least and most attempts allowed by the policies during the story. */
  readonly attempts: { readonly least: number; readonly most: number };
}

const stages = post.stages.map((stage) => stage.name);

export function makePlot(chance: Chance, attemptsMax: number): Plot {
  // The policies change the quick tries only.
  const slowTries = attemptsMax - 1;
  const stormMs = chance.between(1_500, 4_000);
  const workers = Array.from({ length: chance.pick([2, 2, 2, 2, 2, 3, 3, 4]) }, (_, index) =>
    stages.filter(() => index === 0 || chance.happens(0.6)),
  );
  const correspondences = Array.from({ length: chance.whole(1, 2) }, (_, index) =>
    makeCorrespondence(chance, `L${index}`, stormMs),
  );
  const acts = makeActs(chance, { workers: workers.length, stormMs, letters: correspondences.length });
  const policies = acts.flatMap(({ deed }) => (deed.kind === "policy" ? [deed.attempts] : []));
  return {
    workers,
    settings: makeSettings(chance),
    correspondences,
    acts,
    shares: {
      cutShare: chance.pick([0, 0, 0.01, 0.03]),
      conflictShare: chance.pick([0, 0.02, 0.1]),
      slowShare: chance.pick([0.01, 0.05, 0.2]),
      newsLostShare: chance.pick([0.1, 0.5, 0.9]),
      newsTwiceShare: chance.pick([0, 0.2]),
    },
    stormMs,
    attempts: {
      least: Math.min(attemptsMax, ...policies) + slowTries,
      most: Math.max(attemptsMax, ...policies) + slowTries,
    },
  };
}

/** Shorter than the real settings, to reach the same situations in less simulated time. */
const makeSettings = (chance: Chance): Plot["settings"] => ({
  slots: chance.whole(1, 3),
  batchMax: chance.pick([2, 4, 8]),
  streamDocuments: 2,
  streamBytes: 1_000_000,
  pollMs: 8_000,
  heartbeatMs: 2_000,
  silenceMs: 6_000,
  watchMs: 2_000,
  controlsMs: 5_000,
  sweepMs: 12_000,
  stuckMs: 3_600_000,
  relayMs: 3_000,
  graceMs: 1_000,
  keepMs: 86_400_000,
  alertMs: 20_000,
  censusMs: 30_000,
  inPlace: true,
  gatherMs: 20,
  alone: false,
  runAhead: chance.pick([false, true, true]),
});

function makeCorrespondence(chance: Chance, id: string, stormMs: number): Correspondence {
  const letters = Array.from({ length: chance.pick([1, 1, 2, 2, 3]) }, (_, index) => ({
    afterMs: chance.between(0, stormMs / 3),
    letter: makeLetter(chance, index === 0),
  }));
  const steps: Step[] = [...letters];
  if (chance.happens(0.2)) steps.push({ afterMs: chance.between(0, stormMs / 2), letter: null });
  if (steps.at(-1)?.letter === null && chance.happens(0.5))
    steps.push({ afterMs: chance.between(0, 3_000), letter: makeLetter(chance, false) });
  return { id, steps };
}

/** Only a first letter may be torn: a torn later version would leave the parts of an earlier version, or not. */
function makeLetter(chance: Chance, first: boolean): Letter {
  const mood = chance.happens(0.1) ? "jam2" : first && chance.happens(0.06) ? "torn" : "well";
  return {
    thread: chance.pick(["p", "q"]),
    words: [...new Set(Array.from({ length: chance.pick([0, 1, 1, 2, 3]) }, () => makeWord(chance)))],
    mood,
  };
}

function makeWord(chance: Chance): string {
  const number = `-${chance.whole(0, 99_999)}`;
  if (chance.happens(0.02)) return `kill${number}`;
  if (chance.happens(0.15)) return chance.pick(["=river", "=hill"]);
  if (chance.happens(0.65)) return `plain${number}`;
  return chance.pick([
    `bad${number}`,
    `jam1${number}`,
    `jam2${number}`,
    `always${number}`,
    `busy1${number}`,
    `slow${number}`,
  ]);
}

const moments = ["once", "working", "sent", "done"] as const;

type Scene = { readonly workers: number; readonly stormMs: number; readonly letters: number };

function makeActs(chance: Chance, scene: Scene): Act[] {
  const making = makeDeeds(chance, scene);
  const kinds: readonly Deed["kind"][] = [
    ...(["crash", "crash", "crash", "hang", "hang", "stop", "jump", "lose session"] as const),
    ...(["database down", "machine down", "machine down", "pause", "policy"] as const),
    ...([
      "policy",
      "requeue",
      "requeue",
      "retry",
      "cancel",
      "cancel",
      "free worker",
      "forget tasks",
    ] as const),
  ];
  const acts = Array.from({ length: chance.whole(1, 6) }, () => ({
    atMs: chance.between(200, scene.stormMs),
    deed: making[chance.pick(kinds)](),
  }));
  // Letters of a hung worker change while the worker hangs.
  const changed = acts
    .filter(({ deed }) => deed.kind === "hang")
    .map(({ atMs }) => ({ atMs: atMs + chance.between(500, 8_000), deed: making.rewrite() }));
  return [...acts, ...changed].sort((a, b) => a.atMs - b.atMs);
}

function makeDeeds(chance: Chance, { workers, letters }: Scene): Record<Deed["kind"], () => Deed> {
  const worker = () => chance.whole(0, workers - 1);
  const letter = () => `L${chance.whole(0, letters - 1)}`;
  const ms = chance.between;
  return {
    crash: () => ({
      kind: "crash",
      worker: worker(),
      at: chance.pick(moments),
      downMs: ms(50, 4_000),
    }),
    hang: () => ({
      kind: "hang",
      worker: worker(),
      at: chance.pick([...moments, "working", "working"]),
      forMs: chance.pick([ms(500, 6_000), ms(8_000, 14_000)]),
    }),
    stop: () => ({ kind: "stop", worker: worker(), downMs: ms(50, 4_000) }),
    // Occasionally beyond the silence limit: a worker with a late clock seems dead, a worker with an early clock
    // evicts the living.
    jump: () => ({ kind: "jump", worker: worker(), byMs: ms(-2_000, 2_000) * (chance.happens(0.2) ? 4 : 1) }),
    "lose session": () => ({ kind: "lose session", worker: worker() }),
    "database down": () => ({ kind: "database down", forMs: ms(200, 5_000) }),
    "machine down": () => ({ kind: "machine down", machine: chance.pick(machines), forMs: ms(500, 8_000) }),
    pause: () => ({
      kind: "pause",
      stage: chance.pick([...stages, "cutting", "cutting"]),
      forMs: ms(200, 5_000),
    }),
    policy: () => ({
      kind: "policy",
      stage: chance.pick(["cutting", "stamping"]),
      attempts: chance.whole(7, 10),
    }),
    requeue: () => ({ kind: "requeue" }),
    retry: () => ({ kind: "retry", letter: letter() }),
    cancel: () => ({ kind: "cancel", letter: letter() }),
    "free worker": () => ({ kind: "free worker" }),
    rewrite: () => ({ kind: "rewrite", letter: letter(), as: makeLetter(chance, false) }),
    "forget tasks": () => ({ kind: "forget tasks" }),
  };
}
