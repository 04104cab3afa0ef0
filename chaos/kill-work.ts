import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { feed, readSettings, startConsensus } from "@headway/consensus";
import { openPostgres } from "../engine/src/databases/postgres.ts";
import type { HeadwayProcess } from "../test/consensus/headway-process.ts";
import { type KillBench, killHard, proveByKills, type Round, start, unlessHanging } from "./kill-plan.ts";
import { readOutcome } from "./outcome.ts";

const help = `Three \`headway work\` on PostgreSQL read an archive; about every half second one of them is killed, and another one started.
Exports and dead letters must equal those of an undisturbed run, before anybody requeues anything.

  npm run chaos:work -- --archive PATH --kills 60 --seed 7`;

const crewSize = 3;
const services = fileURLToPath(new URL("../tools/services.sh", import.meta.url));
const url =
  process.env.HEADWAY_TEST_POSTGRES ?? execFileSync("bash", [services, "url"], { encoding: "utf8" }).trim();

async function play(bench: KillBench, round: { at: number; killsMax: number }): Promise<Round> {
  const { folder, archive, seed } = bench;
  const schema = `kills_${seed}_${process.pid}_${round.at}`;
  const data = join(folder, `round-${round.at}`);
  const clerk = await startConsensus({
    data,
    database: { url, schema },
    settings: readSettings({}),
    work: false,
  });
  try {
    const { refused } = await feed(clerk, [archive]);
    const violations = refused.map((one) => ({
      promise: "Whatever is read undisturbed is read",
      harm: "lost" as const,
      story: JSON.stringify(one),
    }));
    const kills = await killUntilSettled(bench, round.killsMax, {
      settled: unlessHanging("headway work", clerk.engine.settled()),
      start: (name) =>
        start(["work", "--data", join(data, name)], folder, {
          HEADWAY_DATABASE_URL: `${url}?schema=${schema}`,
        }),
    });
    return { kills, outcome: await readOutcome(clerk), violations };
  } finally {
    await clerk.stop();
    const direct = await openPostgres({ url });
    await direct.script(`drop schema if exists "${schema}", "${schema}_read" cascade`);
    await direct.close();
  }
}

interface Crew {
  readonly settled: Promise<unknown>;
  readonly start: (name: string) => HeadwayProcess;
}

async function killUntilSettled(
  { random }: KillBench,
  killsMax: number,
  { settled, start: enlist }: Crew,
): Promise<number> {
  let [kills, hired, over] = [0, 0, false];
  void settled.catch(() => undefined).finally(() => (over = true));
  const up = new Set<HeadwayProcess>();
  const crew = new Set<HeadwayProcess>();
  const hire = () => {
    const one = enlist(`worker-${hired++}`);
    crew.add(one);
    one.saying(/Headway is up/).then(
      () => up.add(one),
      () => undefined,
    );
    void one.ended.then(() => {
      up.delete(one);
      crew.delete(one);
      if (!over) hire();
    });
  };
  for (let at = 0; at < crewSize; at++) hire();
  try {
    while (!over && kills < killsMax) {
      await Promise.race([settled, pause(200 + 600 * random())]);
      const ready = [...up];
      const victim = ready[Math.floor(random() * ready.length)];
      if (over || !victim) continue;
      up.delete(victim);
      killHard(victim, random() < 0.5);
      kills += 1;
    }
    await settled;
    return kills;
  } finally {
    over = true;
    for (const one of crew) one.kill();
    await Promise.all([...crew].map((one) => one.ended));
  }
}

process.exitCode = await proveByKills(help, play);
