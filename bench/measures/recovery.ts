import { startChild } from "../child.ts";
import { type Contender, contenders, isOurs, onStand, type Stand } from "../contenders.ts";
import { median } from "../statistics.ts";
import type { Scale, Trial } from "../trial.ts";

/** Documented takeover times of the peers after a killed worker, with default settings; not measured here. */
export const documentedMs: Readonly<Record<string, number | null>> = {
  "graphile-worker": 4 * 3_600_000,
  "pg-boss": 15 * 60_000,
  bullmq: 60_000,
  // When the same process is started again; by another process only with a paid service or by hand.
  dbos: null,
};

/** Peers with timers short enough to wait for, on request. */
const canBeWaitedFor = ({ peer }: Contender): boolean => peer === "bullmq";

export const recoveryTrials = (scale: Scale): readonly Trial[] =>
  contenders
    .filter((contender) => contender.place === "server")
    .filter(
      (contender) =>
        (isOurs(contender) && contender.node === "this") || (scale.killPeers && canBeWaitedFor(contender)),
    )
    .map((contender, index) => ({
      letter: "d",
      row: contender.label,
      reference: index === 0,
      run: async () => {
        const times: number[] = [];
        for (let kill = 0; kill < (isOurs(contender) ? scale.kills : 1); kill++)
          times.push(await onStand(contender, (stand) => takeoverMs(stand, scale.limitMs)));
        return { ms: median(times), mostMs: Math.max(...times) };
      },
    }));

/** Longer than any timer waited for. */
const patienceMs = 150_000;

/** Time from killing the process with the job until another process has started the job again. */
async function takeoverMs({ program, order }: Stand, limitMs: number): Promise<number> {
  const victim = startChild(program, { ...order, act: "hold", handIn: true });
  const children = [victim];
  const timer = setTimeout(
    () => children.map((one) => one.process.kill("SIGKILL")),
    Math.max(limitMs, patienceMs),
  );
  try {
    await victim.next("begun");
    const heir = startChild(program, { ...order, act: "hold", handIn: false });
    children.push(heir);
    await heir.next("ready");
    victim.process.kill("SIGKILL");
    const from = performance.now();
    await heir.next("begun");
    return performance.now() - from;
  } finally {
    clearTimeout(timer);
    await Promise.all(children.map((one) => one.kill()));
  }
}
