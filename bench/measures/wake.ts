import { runChild } from "../child.ts";
import { contenders, isOurs, onStand } from "../contenders.ts";
import { median, quantile } from "../statistics.ts";
import type { Scale, Trial } from "../trial.ts";

interface Woken {
  /** Since the job was accepted. */
  readonly times: number[];
  /** Since the start of the accepting call. */
  readonly whole: number[];
  readonly committed?: number[];
}

/** Time from accepting a job until the handler starts; both in one process, unless the row says otherwise. */
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
    // PGlite has a single process.
    if (!isOurs(contender) || contender.place === "folder") return [own];
    return [own, trial(`${contender.label}, handed in elsewhere`, { elsewhere: true })];
  });
