import { runChild } from "../child.ts";
import { contenders, onStand } from "../contenders.ts";
import type { Figures, Scale, Trial } from "../trial.ts";

/** Documents accepted one by one, 50 at once, and 1,000 per call. */
export const enqueueTrials = ({ handedIn: count, limitMs }: Scale): readonly Trial[] =>
  contenders.map((contender, index) => ({
    letter: "b",
    row: contender.label,
    reference: index === 0,
    run: () =>
      onStand(contender, async ({ program, order }) => {
        const { oneByOne, concurrent, bulk } = await runChild<Record<string, number>>(
          program,
          { ...order, act: "enqueue", count },
          limitMs,
        );
        return { oneByOne, concurrent, bulk: bulk ?? null } as Figures;
      }),
  }));
