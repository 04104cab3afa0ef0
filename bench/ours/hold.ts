import { pipeline, stage, startEngine } from "@headway/engine";
import { draft, inputs } from "../pipeline.ts";
import type { Order, Tell } from "./order.ts";

/** Claims a document and keeps the claim until the process is killed. All settings are the defaults. */
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
