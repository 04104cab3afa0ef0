import type { Database } from "../../engine/src/store/database.ts";
import { prepared, sql } from "../../engine/src/store/sql.ts";
import { store as realStore, type Store } from "../../engine/src/store/store.ts";
import type { Violation } from "../crash/checker.ts";
import type { Sometimes } from "../support/sometimes.ts";
import { makeChance } from "./chance.ts";
import { checkEnded } from "./checks.ts";
import { makeFleet } from "./fleet.ts";
import type { Ground } from "./ground.ts";
import { attemptsMax } from "./letters.ts";
import { makePeople, type People } from "./people.ts";
import { makePlot } from "./plot.ts";
import { trueTime } from "./process.ts";
import type { SceneParts } from "./scene.ts";
import { makeScheduler } from "./scheduler.ts";
import { makeServer } from "./server.ts";
import { raiseStorm } from "./storm.ts";
import { fineWeather } from "./weather.ts";

/** Result of a run. */
export interface Simulated {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Hash over every call, answer and signal; the same for the same seed, independent of earlier runs. */
  readonly storyHash: string;
  /** Virtual time. */
  readonly tookMs: number;
}

export interface RunParts {
  readonly seed: number;
  readonly ground: Ground;
  readonly sometimes: Sometimes;
  /** Replaces parts of the store, for engines broken on purpose. */
  readonly store?: Partial<Store>;
  /** Receives the story line by line. */
  readonly tell?: (line: string) => void;
}

/**
 * Time limit for settling after the storm. Seconds are usual; but a document that kills its worker may be the probe
 * of a broken service, once a minute until its crashes are used up.
 */
const settleMsMax = 900_000;

/** Plays one story: workers, letters, faults and people, all determined by the seed; then checks every promise. */
export async function simulate(parts: RunParts): Promise<Simulated> {
  const { seed, ground, sometimes, tell = null } = parts;
  await ground.reset();
  const chance = makeChance(seed);
  const plot = makePlot(chance, attemptsMax);
  const scheduler = makeScheduler({ random: chance.random, tell });
  const weather = Object.assign(fineWeather(), plot.shares);
  const violations: Violation[] = [];
  const told = new Map<string, number>();
  const network = { scheduler, chance, weather, sometimes };
  const scene: SceneParts = {
    ...network,
    ground,
    plot,
    told,
    server: makeServer(ground, network),
    store: { ...realStore, ...parts.store },
    violated: (...some) => void violations.push(...some),
    looking: true,
  };
  const fleet = makeFleet(scene);
  const people = makePeople(scene, fleet);
  const unheard = (error: unknown) => void violations.push(mistake(error));
  process.on("unhandledRejection", unheard);
  try {
    raiseStorm(scene, fleet, people);
    if (await settle(scene, people)) {
      const [{ lastLetters }, { attempts, acts }] = [people, plot];
      const outages = acts.filter(({ deed }) => deed.kind === "machine down").length;
      const now = trueTime(scheduler);
      violations.push(...(await checkEnded({ db: ground.real, now, lastLetters, attempts, told, outages })));
      await noticeEnding(ground.real, sometimes);
    } else {
      const open = await ground.real.query<{ what: string }>(whatIsOpen);
      const story = open.map((one) => one.what).join("; ") || "somebody is not answered";
      violations.push({ promise: "everything settles", story });
    }
  } catch (error) {
    violations.push(mistake(error));
  } finally {
    fleet.end();
    process.off("unhandledRejection", unheard);
  }
  return { seed, violations, storyHash: scheduler.storyHash(), tookMs: scheduler.nowMs() };
}

const mistake = (error: unknown): Violation => ({
  promise: "no process ends by a mistake of its own",
  story: error instanceof Error ? (error.stack ?? error.message) : String(error),
});

/** Continues the story until no work is left. False: the work never ends. */
async function settle({ scheduler, ground, plot }: SceneParts, people: People): Promise<boolean> {
  let state: "busy" | "settled" | "stuck" = "busy";
  const look = async (): Promise<void> => {
    const open = await ground.real.query(whatIsOpen);
    const undeserved = open.length > 0 ? [] : await ground.real.query<{ id: number }>(undeservedDeaths);
    if (undeserved.length > 0) void people.requeue(undeserved.map((one) => one.id));
    if (people.idle && open.length === 0) state = "settled";
    else if (scheduler.nowMs() > plot.stormMs + settleMsMax) state = "stuck";
    else scheduler.after(lookMs, null, look);
  };
  scheduler.after(plot.stormMs + lookMs, null, look);
  await scheduler.play(() => state !== "busy");
  return (state as string) === "settled";
}

const lookMs = 1_000;

const whatIsOpen = prepared(
  "sim-open",
  sql`
    select 'a task of stage ' || t.stage || ', subject ' || t.subject || ', ' || coalesce(t.reason, 'ready') || ' at ' || t.ready_at
      as what from headway.task t
    union all
    select 'claim ' || c.id || ' of worker ' || c.worker from headway.claim c
    union all
    select 'the event ' || o.key from headway.outbox o where o.relayed_at is null
    union all
    select 'document ' || d.id || ', which is gone' from headway.document d where d.gone_at is not null
    union all
    select s.name || ' of document ' || d.id || ', which nobody has recorded'
    from headway.document d join headway.stage s on s.reads = d.collection and s.shape <> 'fan-in'
    where not exists (select 1 from headway.task t where t.subject = d.subject and t.stage = s.id)
      and not exists (select 1 from headway.done r where r.subject = d.subject and r.stage = s.id)
      and not exists (select 1 from headway.dead_letter x where x.subject = d.subject and x.stage = s.id)
    union all
    select 'group ' || g.key || ', which nobody has recorded' from headway.grouping g
    where not exists (select 1 from headway.task t where t.subject = g.subject)
      and not exists (select 1 from headway.done r where r.subject = g.subject)
      and not exists (select 1 from headway.dead_letter x where x.subject = g.subject)`,
);

/** Deaths caused only by worker crashes or by a person; a person requeues these. */
const undeservedDeaths = prepared(
  "sim-undeserved",
  sql`
    select x.id from headway.dead_letter x left join headway.document d on d.subject = x.subject
    where x.reason in ('worker-lost', 'cancelled') and coalesce(d.body->>'text', '') not like 'kill%'
    order by x.id`,
);

async function noticeEnding(db: Database, sometimes: Sometimes): Promise<void> {
  const rows = await db.query<{ reason: string }>(
    prepared("sim-deaths", sql`select reason from headway.dead_letter`),
  );
  for (const { reason } of rows) {
    if (reason === "worker-lost") sometimes.add("a document kills its workers until it is dead");
    if (reason === "exhausted") sometimes.add("a document uses up its attempts");
    if (reason === "permanent") sometimes.add("a document is refused for good");
  }
}
