import { performance } from "node:perf_hooks";
import { type DatabaseOption, type Engine, startEngine } from "@headway/engine";
import { chain, draft } from "./pipeline.ts";

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const start = (
  database: DatabaseOption,
  options: { work?: boolean; stages?: readonly string[] },
): Promise<Engine> => startEngine({ pipelines: [chain], services: {}, database, ...options });

export interface Throughput {
  readonly acceptedPerSecond: number;
  readonly completionsPerSecond: number;
}

/** Full-guarantee completions: each writes an output document, a marker and a downstream task, and ends its own task. */
export async function measureThroughput(
  database: DatabaseOption,
  documents: number,
  stages: readonly string[],
): Promise<Throughput> {
  const engine = await start(database, { stages });
  const expected = documents * stages.length;
  let done = 0;
  let last = 0;
  const finished = new Promise<void>((resolve) => {
    engine.onSignal((signal) => {
      if (signal.kind !== "task.done") return;
      done += 1;
      last = performance.now();
      if (done === expected) resolve();
    });
  });
  const drafts = Array.from({ length: documents }, (_, number) => draft(number));
  const { pauseAll, resumeAll } = gate(engine);
  await pauseAll();
  const before = performance.now();
  await engine.accept(drafts);
  const acceptedPerSecond = (documents / (performance.now() - before)) * 1_000;
  const from = performance.now();
  await resumeAll();
  await finished;
  const completionsPerSecond = (expected / (last - from)) * 1_000;
  await engine.stop();
  return { acceptedPerSecond, completionsPerSecond };
}

/** Accepting and working are measured apart: nothing is claimed in between. */
function gate(engine: Engine): { pauseAll(): Promise<void>; resumeAll(): Promise<void> } {
  const set = async (paused: string) => {
    await engine.database.query({
      text: `update headway.stage set paused_at = ${paused}, paused_by = 'bench'`,
      values: [],
    });
    await engine.database.query({ text: "select pg_notify('headway_controls', '')", values: [] });
  };
  return { pauseAll: () => set("now()"), resumeAll: () => set("null") };
}

/** From the moment one document is handed in on an idle engine until its first stage is committed. */
export async function measureWakeUp(database: DatabaseOption, rounds: number): Promise<number[]> {
  const engine = await start(database, { stages: ["first"] });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const done = new Promise<void>((resolve) => {
      const stop = engine.onSignal((signal) => {
        if (signal.kind !== "task.done") return;
        stop();
        resolve();
      });
    });
    const acceptedAt = engine.accept(draft(10_000_000 + round)).then(() => performance.now());
    const [accepted] = await Promise.all([acceptedAt, done]);
    times.push(Math.max(0, performance.now() - accepted));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await engine.stop();
  return times;
}
