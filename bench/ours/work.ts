import { startChain } from "./chain-engine.ts";
import type { Order, Tell } from "./order.ts";

/** One of several workers: reports its count now and then, by the clock shared by all processes of a machine. */
export async function work({ database, stages }: Order, tell: Tell): Promise<null> {
  const engine = await startChain(database, { stages });
  let [done, told, at] = [0, 0, 0];
  engine.onSignal(({ kind }) => {
    if (kind !== "task.done") return;
    done += 1;
    at = Date.now();
  });
  const timer = setInterval(() => {
    if (done === told) return;
    told = done;
    tell({ kind: "progress", done, at });
  }, 5);
  process.once("SIGTERM", () => {
    clearInterval(timer);
    void engine.stop();
  });
  tell({ kind: "ready" });
  return null;
}
