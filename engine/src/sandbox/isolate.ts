import { deserialize } from "node:v8";
import type { Isolation, Stage, StageContext } from "../define/stage.ts";
import { countCores } from "./cores.ts";
import { Pool } from "./pool.ts";
import { revive } from "./revive.ts";

/** The running attempt, as far as its process is concerned. */
export interface IsolatedRun {
  readonly context: object;
  readonly signal: AbortSignal;
  /** Called when a process starts with the stage's code. */
  readonly onBegin: (() => void) | null;
}

/**
 * Processes for stages that may spin or explode. Not threads: an allocation far above a thread's limit makes V8 abort
 * the whole process, and a thread deep in native code cannot be ended.
 */
export interface Isolates {
  /** Runs at the same time; further runs wait in a queue. */
  readonly processesMax: number;
  /** Runs a stage in a process; yields arrive with back-pressure. Ending `running` kills the process. */
  run(stage: Stage, input: unknown, running: IsolatedRun): AsyncIterable<unknown>;
  close(): Promise<void>;
}

export interface IsolatesOptions {
  /** Further runs wait in a queue. */
  readonly processesMax?: number;
  /** Time to keep an idle process warm. */
  readonly idleMs?: number;
  /** Time limit for loading a module. */
  readonly startMs?: number;
}

const isolatesDefaults = { idleMs: 30_000, startMs: 60_000 } as const;

export function makeIsolates(options: IsolatesOptions = {}): Isolates {
  const processesMax = options.processesMax ?? countCores(0).used;
  const pool = new Pool({ ...isolatesDefaults, ...options, processesMax });
  return {
    processesMax,
    run: (stage, input, running) => runApart(pool, stage, input, running),
    close: () => pool.close(),
  };
}

async function* runApart(
  pool: Pool,
  stage: Stage,
  input: unknown,
  running: IsolatedRun,
): AsyncGenerator<unknown> {
  const { signal } = running;
  const isolation = stage.isolate as Isolation;
  const lent = await isolation.lend?.(input, running.context);
  const child = await pool.take(isolation, signal);
  const endChild = () => void child.end(signal.reason);
  signal.addEventListener("abort", endChild);
  try {
    signal.throwIfAborted();
    await child.ready(stage);
    running.onBegin?.();
    child.begin(stage, input, running.context as StageContext, lent);
    for (;;) {
      const { yields, end } = await child.receive();
      for (const packed of yields) yield deserialize(packed);
      if (end?.kind === "thrown") throw revive(end.thrown);
      if (end) return;
      child.askForMore();
    }
  } finally {
    signal.removeEventListener("abort", endChild);
    pool.giveBack(child);
  }
}
