import { runChild } from "../child.ts";
import { contenders, onStand } from "../contenders.ts";
import type { Grown } from "../ours/growth.ts";
import type { Figures, Scale, Trial } from "../trial.ts";

/** Cost of one more completion at several numbers of kept completions. */
export const growthTrials = ({ growthSizes, growthBlock, limitMs }: Scale): readonly Trial[] => {
  // One process grows through all sizes; each size is a row.
  let found: Promise<readonly Grown[]> | undefined;
  const [ours] = contenders;
  const grow = () =>
    onStand(ours!, async ({ program, order }) => {
      const { sizes } = await runChild<{ sizes: Grown[] }>(
        program,
        { ...order, act: "growth", count: growthBlock, sizes: growthSizes },
        limitMs * growthSizes.length,
      );
      return sizes;
    });
  return growthSizes.map((size, index) => ({
    letter: "f",
    row: `${shortCount(size)} kept`,
    reference: index === 0,
    async run(): Promise<Figures> {
      if (index === 0) found = grow();
      const grown = (await found)?.find(({ kept }) => kept === size);
      if (!grown) throw new Error("it did not grow so far");
      const { kept: _, ...figures } = grown;
      return figures;
    },
  }));
};

/** 10,000 as 10k, 1,000,000 as 1M. */
export const shortCount = (count: number): string =>
  count >= 1_000_000 ? `${count / 1_000_000}M` : `${count / 1_000}k`;
