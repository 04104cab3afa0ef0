import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openGround } from "./ground.ts";
import type { Simulated } from "./run.ts";
import { simulateAll } from "./runs.ts";
import { hardSituations } from "./sometimes.ts";

/** Totals of many runs, as sent between processes. */
export interface Tally {
  readonly runs: number;
  readonly broken: readonly Simulated[];
  readonly sometimes: Readonly<Record<string, number>>;
  /** Of the last run. */
  readonly storyHash: string;
}

export interface Share {
  readonly seed: number;
  readonly runs: number;
}

type Word =
  | { readonly kind: "progress"; readonly runs: number }
  | { readonly kind: "tally"; readonly tally: Tally };

/** Shares the runs among processes, one per core; `tell` receives the number of finished runs. */
export async function spread(
  { seed, runs }: Share,
  processes: number,
  tell: (runs: number) => void,
): Promise<Tally> {
  const each = Math.ceil(runs / processes);
  const shares = Array.from({ length: processes }, (_, index) => ({
    seed: seed + index * each,
    runs: Math.min(each, runs - index * each),
  })).filter((share) => share.runs > 0);
  const done = shares.map(() => 0);
  const tallies = await Promise.all(
    shares.map((share, index) =>
      runElsewhere(share, (count) => {
        done[index] = count;
        tell(done.reduce((sum, one) => sum + one, 0));
      }),
    ),
  );
  const met = (what: string) => tallies.reduce((sum, one) => sum + (one.sometimes[what] ?? 0), 0);
  return {
    runs: tallies.reduce((sum, one) => sum + one.runs, 0),
    broken: tallies.flatMap((one) => one.broken),
    sometimes: Object.fromEntries(hardSituations.map((what) => [what, met(what)])),
    storyHash: tallies.at(-1)?.storyHash ?? "",
  };
}

async function runElsewhere(share: Share, tell: (runs: number) => void): Promise<Tally> {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = fork(main, [], { execArgv: ["--conditions=@headway/source", "--import", "tsx"] });
  let tally: Tally | null = null;
  child.on("message", (word: Word) => {
    if (word.kind === "progress") tell(word.runs);
    else tally = word.tally;
  });
  child.send(share);
  await once(child, "exit");
  if (!tally)
    throw new Error(`The process that was to run ${JSON.stringify(share)} ended without an answer.`);
  return tally;
}

/** The child process: runs its share and reports the totals. */
export async function runShare(say: (word: Word) => void): Promise<void> {
  const [share] = (await once(process, "message")) as [Share];
  const ground = await openGround();
  try {
    const { runs, broken, sometimes, storyHash } = await simulateAll({
      ...share,
      ground,
      tell: (count) => count % 10 === 0 && say({ kind: "progress", runs: count }),
    });
    const counts = Object.fromEntries(sometimes.counts);
    say({ kind: "tally", tally: { runs, broken, sometimes: counts, storyHash } });
  } finally {
    await ground.close();
    process.disconnect?.();
  }
}
