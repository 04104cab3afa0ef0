import { draft, stageNames } from "../pipeline.ts";
import { makeGate, startChain, whenDone } from "./chain-engine.ts";
import type { Order } from "./order.ts";

export interface Completions {
  readonly perSecond: number;
  readonly acceptedPerSecond: number;
}

/**
 * Completions with all guarantees: each writes an output document with its lineage, a marker and a downstream task,
 * and ends its own task. Measured from the commit of the first fifth, when everything is warm, to the last commit.
 */
export async function completions({
  database,
  count,
  stages = stageNames,
}: Pick<Order, "database" | "count" | "stages">): Promise<Completions> {
  const engine = await startChain(database, { stages });
  const expected = count * stages.length;
  const warm = Math.floor(expected / 5);
  const [begun, finished] = [whenDone(engine, warm), whenDone(engine, expected)];
  const gate = makeGate(engine);
  await gate.shut();
  const drafts = Array.from({ length: count }, (_, number) => draft(number));
  const before = performance.now();
  await engine.accept(drafts);
  const accepted = performance.now();
  await gate.open();
  const seconds = ((await finished) - (await begun)) / 1_000;
  await engine.stop();
  return {
    perSecond: (expected - warm) / seconds,
    acceptedPerSecond: (count / (accepted - before)) * 1_000,
  };
}
