import { type DatabaseOption, type Engine, startEngine } from "@headway/engine";
import { chain } from "../pipeline.ts";

interface ChainOptions {
  readonly work?: boolean;
  readonly stages?: readonly string[] | undefined;
}

/** An engine with the three stages, and with a broker if the environment names a broker. */
export const startChain = (database: DatabaseOption, options: ChainOptions = {}): Promise<Engine> => {
  const { stages, ...rest } = options;
  const url = process.env.HEADWAY_BROKER_URL;
  return startEngine({
    pipelines: [chain],
    services: {},
    database,
    ...rest,
    ...(stages && { stages }),
    ...(url && { broker: { url, exchange: "headway.bench" } }),
  });
};

/** Pauses all stages, so accepting and running are measured apart. */
export function makeGate(engine: Pick<Engine, "database">): { shut(): Promise<void>; open(): Promise<void> } {
  const set = async (pausedAt: string) => {
    const text = `update headway.stage set paused_at = ${pausedAt}, paused_by = 'bench'`;
    await engine.database.query({ text, values: [] });
    await engine.database.query({ text: "select pg_notify('headway_controls', '')", values: [] });
  };
  return { shut: () => set("now()"), open: () => set("null") };
}

/** Resolves with the moment of the `count`-th further commit. */
export function whenDone(engine: Engine, count: number): Promise<number> {
  let done = 0;
  return new Promise((resolve) => {
    const stop = engine.onSignal(({ kind }) => {
      if (kind !== "task.done" || ++done < count) return;
      stop();
      resolve(performance.now());
    });
  });
}
