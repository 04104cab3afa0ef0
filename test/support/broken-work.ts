import type { Database } from "../../engine/src/store/database.ts";
import { openTestEngine, virtualClock } from "../../engine/src/testing.ts";
import { anOrder, brokenPipeline } from "../fixtures/broken-pipeline.ts";

/** Work for the broken shop, done until no task is left for which time alone is missing. */
export interface ShopWork {
  /** Texts by id. */
  readonly orders?: Readonly<Record<string, string>>;
  readonly source?: string;
  readonly repaired?: readonly string[];
  readonly version?: string;
  /** False: the orders are only accepted. */
  readonly drain?: boolean;
}

/** Runs all due work on a virtual clock, and leaves no worker behind. */
export async function workOnce(database: Database, given: ShopWork): Promise<void> {
  const { orders = {}, repaired = [], version = "1", source = "front-door", drain = true } = given;
  const clock = virtualClock({ start: new Date().toISOString() });
  const engine = await openTestEngine({
    pipelines: [brokenPipeline({ version })],
    services: { shop: { repaired }, prices: { down: false } },
    database,
    clock,
  });
  const drafts = Object.entries(orders).map(([id, text]) => anOrder(id, text));
  if (drafts.length > 0) await engine.accept(drafts, { source });
  if (drain) await engine.drain();
  await engine.worker.membership.leave();
  await engine.close();
}
