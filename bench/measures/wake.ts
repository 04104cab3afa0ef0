import { runChild } from "../child.ts";
import { contenders, isOurs, onStand } from "../contenders.ts";
import { median, quantile } from "../statistics.ts";
import type { Scale, Trial } from "../trial.ts";

interface Woken {
  /** Since the job was accepted. */
  readonly times: number[];
  /** Since the call that hands it in. */
  readonly whole: number[];
  readonly committed?: number[];
}

/** From handing in until the handler begins; who hands in works in the same process, unless the row says otherwise. */
export const wakeTrials = ({ wakes: count, limitMs }: Scale): readonly Trial[] =>
  contenders.flatMap((contender, index) => {
    const trial = (row: string, more: object): Trial => ({
      letter: "c",
      row,
      reference: index === 0 && row === contender.label,
      run: () =>
        onStand(contender, async ({ program, order }) => {
          const { times, whole, committed } = await runChild<Woken>(
            program,
            { ...order, ...more, act: "wake", count },
            limitMs,
          );
          return {
            p50: median(times),
            p99: quantile(times, 0.99),
            wholeP50: median(whole),
            wholeP99: quantile(whole, 0.99),
            committedP50: committed ? median(committed) : null,
          };
        }),
    });
    const own = trial(contender.label, {});
    // On PGlite there is nobody else.
    if (!isOurs(contender) || contender.place === "folder") return [own];
    return [own, trial(`${contender.label}, handed in elsewhere`, { elsewhere: true })];
  });
