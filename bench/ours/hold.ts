import { pipeline, stage, startEngine } from "@headway/engine";
import { draft, inputs } from "../pipeline.ts";
import type { Order, Tell } from "./order.ts";

/** Takes a document and never lets go of it, until somebody kills the process. All settings are the defaults. */
export async function hold({ database, handIn = false }: Order, tell: Tell): Promise<null> {
  const holding = stage("holding", {
    reads: inputs,
    writes: [],
    async *run({ id }) {
      tell({ kind: "begun", id });
      await new Promise(() => undefined);
    },
  });
  const engine = await startEngine({
    pipelines: [pipeline("held", { stages: [holding] })],
    services: {},
    database,
  });
  tell({ kind: "ready" });
  if (handIn) await engine.accept(draft(0));
  return null;
}
