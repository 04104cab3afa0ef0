import type { Pipeline } from "../../engine/src/define/pipeline.ts";
import type { WorkerSettings } from "../../engine/src/run/worker.ts";
import { ahead } from "./scenarios-ahead.ts";
import { change, erase, reborn, sweeping } from "./scenarios-change.ts";
import { consensus } from "./scenarios-consensus.ts";
import { batch, dead, fanIn, held, map, retry, stream } from "./scenarios-flow.ts";
import { purgeAndImport, requeue } from "./scenarios-operator.ts";
import { failingZombie, overtaken, streamingZombie, workers, zombie } from "./scenarios-workers.ts";
import type { World } from "./world.ts";

/** A small story that has one right ending, whatever goes wrong on the way. */
export interface Scenario {
  readonly name: string;
  readonly pipelines: readonly Pipeline[];
  readonly settings?: Partial<WorkerSettings>;
  /** A second worker, "other", lives beside "main". */
  readonly many?: boolean;
  /** The start of the process is part of the story. */
  readonly fromStart?: boolean;
  /** Content is replaced while it is being worked on: whether the old one is ever finished is open. */
  readonly superseding?: boolean;
  /** Faults that a task may have even if it has none when nothing goes wrong. */
  readonly faultsMax?: number;
  /** Made anew for each run, so that runs share nothing. */
  readonly make: () => Play;
  /** How many lines of each kind the right ending has: the reference is checked too. */
  readonly ending: Readonly<Record<string, number>>;
}

export interface Play {
  readonly services?: Readonly<Record<string, unknown>>;
  run(world: World, stage: Stagehand): Promise<void>;
}

/** What a scenario may tell the sweep. */
export interface Stagehand {
  /** The scenario itself breaks promises until `look` is called: nothing is checked meanwhile. */
  lookAway(): void;
  look(): void;
  /** A hard situation was reached. */
  sometimes(what: string): void;
}

export const scenarios: readonly Scenario[] = [
  map("start", { fromStart: true }),
  map("map", {}),
  ahead,
  stream,
  fanIn,
  batch,
  retry,
  dead,
  held,
  change,
  erase,
  reborn,
  sweeping,
  workers,
  zombie,
  streamingZombie,
  failingZombie,
  overtaken,
  consensus,
  requeue,
  purgeAndImport,
];
