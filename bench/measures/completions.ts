import { runChild } from "../child.ts";
import { type Contender, contenders, isOurs, onStand } from "../contenders.ts";
import type { Scale, Trial } from "../trial.ts";

/** Headway with an output document, a marker and a downstream task each; the peers with empty jobs. */
export const completionTrials = (scale: Scale): readonly Trial[] =>
  contenders.flatMap((contender, index) => {
    const { label: row } = contender;
    const trial: Trial = {
      letter: "a",
      row,
      reference: index === 0,
      run: async () => ({ perSecond: await rateOf(contender, scale, { stages: ["first"] }) }),
    };
    if (!isOurs(contender)) return [trial];
    const three: Trial = {
      letter: "a",
      row: `${row}, three stages at once`,
      run: async () => ({ perSecond: await rateOf(contender, scale, {}) }),
    };
    return [trial, three];
  });

const rateOf = (contender: Contender, { jobs, limitMs }: Scale, more: object): Promise<number> =>
  onStand(contender, async ({ program, order }) => {
    const count = Math.round(jobs * contender.share);
    const found = await runChild<{ perSecond: number }>(
      program,
      { ...order, ...more, act: "completions", count },
      limitMs,
    );
    return found.perSecond;
  });
