import type { DatabaseOption } from "@headway/engine";
import type { Figures } from "./observe.ts";

type Statement = Parameters<NonNullable<DatabaseOption["onStatement"]>>[0];

/** From here on a statement is slow. */
export const slowMs = 100;

/** Counts statements, their time and slow ones between `begin` and `end`; migrations before are not counted. */
export function watchStatements() {
  let watching = false;
  const sums = { queries: 0, failed: 0, ms: 0, slow: 0, slowest: 0 };
  return {
    begin() {
      watching = true;
    },
    end() {
      watching = false;
    },
    heard({ ms, failed }: Statement) {
      if (!watching) return;
      sums.queries++;
      sums.ms += ms;
      if (failed) sums.failed++;
      if (ms > slowMs) sums.slow++;
      sums.slowest = Math.max(sums.slowest, ms);
    },
    figures: (): Figures => ({
      queries: sums.queries,
      "query seconds": sums.ms / 1_000,
      "slow queries": sums.slow,
      "slowest query ms": sums.slowest,
    }),
  };
}
