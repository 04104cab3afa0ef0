import type { Store } from "../../engine/src/store/store.ts";
import type { Sometimes } from "../support/sometimes.ts";
import type { Ground } from "./ground.ts";
import { type Simulated, simulate } from "./run.ts";
import { makeSometimes } from "./sometimes.ts";

export interface RunsOptions {
  readonly ground: Ground;
  readonly runs: number;
  /** Seed of the first run; each later run adds 1. */
  readonly seed: number;
  readonly store?: Partial<Store>;
  /** Stops at the first broken promise. */
  readonly untilBroken?: boolean;
  readonly tell?: (runs: number) => void;
}

export interface Runs {
  readonly runs: number;
  readonly seed: number;
  /** Runs with a broken promise. */
  readonly broken: readonly Simulated[];
  readonly sometimes: Sometimes;
  /** Of the last run. */
  readonly storyHash: string;
}

/** Plays stories in sequence. */
export async function simulateAll(options: RunsOptions): Promise<Runs> {
  const { ground, seed, store, untilBroken = false, tell } = options;
  const sometimes = makeSometimes();
  const broken: Simulated[] = [];
  let runs = 0;
  let storyHash = "";
  while (runs < options.runs && !(untilBroken && broken.length > 0)) {
    const one = await simulate({ seed: seed + runs, ground, sometimes, ...(store && { store }) });
    if (one.violations.length > 0) broken.push(one);
    storyHash = one.storyHash;
    runs += 1;
    tell?.(runs);
  }
  return { runs, seed, broken, sometimes, storyHash };
}

/** Replays a broken run and prints the story of the first document with a broken promise. */
export async function tellStory(
  { seed, storyHash }: Simulated,
  { ground, store }: Pick<RunsOptions, "ground" | "store">,
): Promise<string[]> {
  const lines: string[] = [];
  const again = await simulate({
    seed,
    ground,
    sometimes: makeSometimes(),
    tell: (line) => void lines.push(line),
    ...(store && { store }),
  });
  const about = again.violations.map((one) => documentIn(one.story)).find((one) => one !== null) ?? null;
  const told = lines.filter((line) => / ! /.test(line) || (about && line.includes(`"${about}`)));
  return [
    ...told,
    ...again.violations.map(({ promise, story }) => `BROKEN: ${promise}: ${story}`),
    ...(again.storyHash === storyHash
      ? []
      : ["It went otherwise this time: the simulation itself is not repeatable."]),
  ];
}

/** Id of the letter in a violation. */
const documentIn = (story: string): string | null =>
  story.match(/(?:letters|parts|stamps|counts)\/(L\d+)/)?.[1] ?? null;
