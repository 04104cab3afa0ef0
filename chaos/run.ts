import { setTimeout as pause } from "node:timers/promises";
import { timelineKinds } from "../engine/src/operate.ts";
import { sql } from "../engine/src/store/sql.ts";
import { type Judgement, judge } from "./checker.ts";
import type { Violation } from "./evidence.ts";
import type { Death } from "./fleet.ts";
import { type House, type HouseOptions, openHouse } from "./house.ts";
import { runQuietly } from "./reference.ts";
import { checkFleet, settle } from "./settling.ts";
import { countSituations } from "./situations.ts";
import { planStorm, type StormPlan } from "./storm.ts";
import { carryOut, wakeWhenEvicted } from "./strikes.ts";
import { excuseAbsence, meet, type StormLog, type World } from "./world.ts";

export interface ChaosOptions extends StormPlan, HouseOptions {}

/** Result of a storm. */
export interface Chaos extends Judgement {
  readonly log: StormLog;
  readonly kills: number;
  readonly deaths: readonly Death[];
  readonly killsBy: ReadonlyMap<string, number>;
  /** Time from the end of the storm until no work was left; null: never. */
  readonly settledMs: number | null;
  /** Strikes and hard situations, with counts. */
  readonly situations: ReadonlyMap<string, number>;
  /** Planned but never met. */
  readonly missing: readonly string[];
  /** The first broken document, in an operator's view. */
  readonly story: readonly string[];
}

export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const house = await openHouse(options);
  try {
    return await weather(house, options);
  } finally {
    await house.close();
  }
}

async function weather({ world, pipelines, consensus }: House, options: ChaosOptions): Promise<Chaos> {
  const { seed, tell } = options;
  const { fleet, feeder, log, cluster, broker } = world;
  await storm(world, options);
  const settledMs = await settle(world, options);
  meet(world, "lost tasks are owed again", await countOwedAgain(world));
  const situations = countSituations(world, options);
  const absent = await checkFleet(world);
  await fleet.stop();
  tell("Now the same documents without any fault, to compare with.");
  const judged = await judge({
    db: world.direct,
    operator: world.operator,
    handed: [...feeder.handed.values()],
    deaths: fleet.deaths,
    excuses: log.excuses,
    told: fleet.told,
    ears: broker?.ears ?? null,
    quiet: (handed) => runQuietly({ seed, url: cluster.url, pipelines, consensus, handed }),
  });
  const violations = [...absent, ...judged.violations];
  const killsBy = new Map<string, number>();
  for (const { how } of fleet.deaths) killsBy.set(how, (killsBy.get(how) ?? 0) + 1);
  return {
    ...judged,
    violations,
    log,
    kills: fleet.deaths.length,
    deaths: fleet.deaths,
    killsBy,
    settledMs,
    situations,
    missing: [...situations].filter(([, times]) => times === 0).map(([what]) => what),
    story: await tellStory(world, violations),
  };
}

/** A sweeping worker may have been killed before its report, but the database saw the sweep. */
async function countOwedAgain({ direct }: World): Promise<number> {
  const [row] = await direct.query<{ count: number }>(sql`
    select count(*) as count from chaos.ended e
    where e.session = 'chaos' and exists (select 1 from chaos.owed o
      where o.subject = e.subject and o.stage = e.stage and o.at > e.at)`);
  return row?.count ?? 0;
}

async function storm(world: World, options: ChaosOptions): Promise<void> {
  const { fleet, log } = world;
  const strikes = planStorm(options);
  const startedAt = Date.now();
  const under = new Set<Promise<unknown>>();
  const over = new AbortController();
  const stopWaking = fleet.onTold((told, by) => {
    if (told.kind !== "chaos.point") return;
    meet(world, `${told.action} ${told.point}`);
    if (told.action !== "freeze") return;
    const waking = wakeWhenEvicted(world, by).finally(() => under.delete(waking));
    under.add(waking);
  });
  const stopLooking = excuseAbsence(world);
  const progress = setInterval(() => void tellProgress(world, options, startedAt), 5_000);
  for (const strike of strikes) {
    await pause(Math.max(0, startedAt + strike.atMs - Date.now()));
    if (strike.atMs > options.minutes * 30_000) world.oracle.mended = true;
    const striking = carryOut(world, strike, over.signal).finally(() => under.delete(striking));
    under.add(striking);
  }
  await pause(Math.max(0, startedAt + options.minutes * 60_000 - Date.now()));
  over.abort();
  for (const one of fleet.living) fleet.order(one, { kind: "disarm", point: "all" });
  await Promise.all(under);
  clearInterval(progress);
  stopLooking();
  stopWaking();
  log.met.set("documents handed in", world.feeder.handed.size);
}

async function tellProgress(
  { fleet, log, direct, feeder }: World,
  { tell, minutes }: ChaosOptions,
  startedAt: number,
) {
  const [row] = await direct
    .query<{ done: number; owed: number; dead: number }>(
      sql`select (select count(*) from headway.done) as done, (select count(*) from headway.task) as owed,
        (select count(*) from headway.dead_letter) as dead`,
    )
    .catch(() => []);
  const at = `${Math.round((Date.now() - startedAt) / 1_000)} of ${minutes * 60} s`;
  const state = row ? `${row.done} done, ${row.owed} owed, ${row.dead} dead` : "the database is away";
  tell(
    `${at}: ${fleet.deaths.length} kills, ${log.zombies} zombies, ${log.databaseRestarts} database restarts; ` +
      `${feeder.handed.size} documents, ${state}; ${fleet.living.filter((one) => one.ready).length} workers`,
  );
}

async function tellStory({ operator }: World, violations: readonly Violation[]): Promise<string[]> {
  const subject = violations.find((one) => one.subject !== undefined)?.subject;
  if (subject === undefined) return [];
  try {
    const { sentence, id, collection } = await operator.explain({ subject });
    const { lines } = await operator.trace(
      { subject },
      { limit: 40, kinds: timelineKinds.filter((kind) => kind !== "made") },
    );
    return [
      `${collection}/${id}: ${sentence}`,
      ...lines.map(
        (line) =>
          `${line.at.toISOString()} ${line.kind} ${line.subject} ${line.stage ?? ""} ${line.word ?? ""} ${line.text ?? ""}`,
      ),
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}
