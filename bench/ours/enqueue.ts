import { draft } from "../pipeline.ts";
import { startChain } from "./chain-engine.ts";
import type { Order } from "./order.ts";

/** Documents accepted per second: each is checked, hashed and stored with its task. No worker runs meanwhile. */
export async function enqueue({ database, count }: Order) {
  const engine = await startChain(database, { work: false });
  let next = 0;
  const fresh = () => draft(next++);
  const rate = async (documents: number, act: () => Promise<void>) => {
    const from = performance.now();
    await act();
    return (documents / (performance.now() - from)) * 1_000;
  };
  const lanes = async (documents: number, atOnce: number) => {
    const until = next + documents;
    const lane = async () => {
      while (next < until) await engine.accept(fresh());
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  };
  await engine.accept(fresh());
  const figures = {
    oneByOne: await rate(count / 20, () => lanes(count / 20, 1)),
    concurrent: await rate(count / 4, () => lanes(count / 4, 50)),
    bulk: await rate(count, async () => {
      for (let at = 0; at < count; at += bulkSize)
        await engine.accept(Array.from({ length: Math.min(bulkSize, count - at) }, fresh));
    }),
  };
  await engine.stop();
  return figures;
}

const bulkSize = 1_000;
