import type { Pipeline } from "../../engine/src/define/pipeline.ts";
import type { World } from "../../engine/src/drill/world.ts";
import type { WorkerSettings } from "../../engine/src/run/worker.ts";
import { ahead } from "./scenarios-ahead.ts";
import { change, erase, reborn, sweeping } from "./scenarios-change.ts";
import { consensus } from "./scenarios-consensus.ts";
import { batch, dead, fanIn, held, map, retry, stream } from "./scenarios-flow.ts";
import { purgeAndImport, requeue } from "./scenarios-operator.ts";
import { overlooked, reading } from "./scenarios-reading.ts";
import { failingZombie, overtaken, streamingZombie, workers, zombie } from "./scenarios-workers.ts";

/** A small story with one right ending, with or without faults. */
export interface Scenario {
  readonly name: string;
  readonly pipelines: readonly Pipeline[];
  readonly settings?: Partial<WorkerSettings>;
  /** A second worker, "other", runs beside "main". */
  readonly many?: boolean;
  /** The start of the process is part of the story. */
  readonly fromStart?: boolean;
  /** Content is replaced while claimed: the old version may or may not be completed. */
  readonly superseding?: boolean;
  /** Faults allowed per task beyond the fault-free run. */
  readonly faultsMax?: number;
  /** Creates the play anew for each run, so runs share nothing. */
  readonly make: () => Play;
  /** Expected lines by kind in the right ending, checked on the fault-free run too. */
  readonly ending: Readonly<Record<string, number>>;
}

export interface Play {
  readonly services?: Readonly<Record<string, unknown>>;
  run(world: World, stage: Stagehand): Promise<void>;
}

/** A scenario's messages to the sweep. */
export interface Stagehand {
  /** Suspends all checks until `look`, while the scenario itself breaks promises. */
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
  reading,
  overlooked,
  consensus,
  requeue,
  purgeAndImport,
];
