import { kilobyteDraft } from "../pipeline.ts";
import { startChain, whenDone } from "./chain-engine.ts";
import type { Order } from "./order.ts";

/** Documents of 1 KB through three stages, from accepting the first to the commit of the last. */
export async function throughAll({ database, count }: Order) {
  const engine = await startChain(database);
  const finished = whenDone(engine, count * 3);
  const from = performance.now();
  for (let at = 0; at < count; at += 1_000) {
    const size = Math.min(1_000, count - at);
    await engine.accept(Array.from({ length: size }, (_, index) => kilobyteDraft(at + index)));
  }
  const documentsPerSecond = (count / ((await finished) - from)) * 1_000;
  await engine.stop();
  return { documentsPerSecond };
}
