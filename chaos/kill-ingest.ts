import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type KillBench, killHard, proveByKills, type Round, start, unlessHanging } from "./kill-plan.ts";
import { readOutcomeAt } from "./outcome.ts";

const help = `Kills the embedded \`headway ingest\` at random moments and starts it again until it has read everything. Exports and
dead letters must equal those of an undisturbed run, before anybody requeues anything.

  npm run chaos:ingest -- --archive PATH --kills 30 --seed 7`;

/** Share of the whole work allowed per start, to make room for many kills in a round. */
const share = 0.15;

async function play(bench: KillBench, round: { at: number; killsMax: number }): Promise<Round> {
  const { folder, archive, random, quiet, pace } = bench;
  const data = join(folder, `round-${round.at}`);
  for (let kills = 0; ; kills++) {
    const ingest = start(["ingest", archive, "--data", data], folder);
    const ended = unlessHanging("headway ingest", ingest.ended);
    if (kills < round.killsMax) {
      const afterMs = quiet.startMs * (0.6 + 0.4 * random()) + random() * share * quiet.workMs;
      await Promise.race([ended, pause(pace * afterMs)]);
    }
    const killed = kills < round.killsMax && !ingest.hasEnded();
    if (killed) killHard(ingest, random() < 0.5);
    const { code, err } = await ended;
    if (killed && code === null) continue;
    const story = `headway ingest ended with ${code}, undisturbed with ${quiet.code}: ${err.slice(-400)}`;
    const violations =
      code === quiet.code ? [] : [{ promise: "It ends as undisturbed", harm: "other" as const, story }];
    return { kills, outcome: await readOutcomeAt({ data }), violations };
  }
}

process.exitCode = await proveByKills(help, play);
