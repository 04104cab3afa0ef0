import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { int8s, sql } from "../engine/src/store/sql.ts";
import type { Gate } from "../test/support/gate.ts";
import type { Living } from "./fleet.ts";
import { moods } from "./oracle.ts";
import { freezingPoints, type Point, points } from "./points.ts";
import { inTurn, pick, pickMs, type Strike, type StrikeKind } from "./storm.ts";
import { awake, excused, meet, victim, type World } from "./world.ts";

type Act = (world: World, lots: Strike["lots"], turn: number) => Promise<unknown>;

const triesMax = 40;
const againMs = 500;

/** Carries out a strike. A strike impossible now, because of another fault, is retried for a while. */
export async function carryOut(world: World, { kind, lots, turn }: Strike, over: AbortSignal): Promise<void> {
  for (let tries = 0; tries < triesMax && !over.aborted; tries++) {
    const at = Date.now();
    const done = await acts[kind](world, lots, turn).catch(() => false);
    if (done !== false) {
      world.log.struck.push({ kind, at });
      return meet(world, kind);
    }
    await pause(againMs, undefined, { signal: over }).catch(() => undefined);
  }
}

const acts: Record<StrikeKind, Act> = {
  "kill one": async (world, [who]) => {
    const one = victim(world, who);
    if (!one) return false;
    world.fleet.kill(one, "at random");
  },
  "kill at a point": async (world, [who, after], turn) =>
    armAt(world, who, inTurn(points, turn), "kill", after),
  "kill the holder": async (world, [which]) => {
    const role = pick(["relay", "sweep"], which);
    const holder = victim(world, 0) && (await holderOf(world, role));
    if (!holder) return false;
    world.fleet.kill(holder, `as holder of the ${role}`);
  },
  "kill a group": async (world, [size]) => {
    const { fleet } = world;
    if (!victim(world, 0)) return false;
    for (const one of awake(world).slice(0, pickMs(3, fleet.size, size))) fleet.kill(one, "in a group");
  },
  "freeze at a point": async (world, [who, after], turn) =>
    armAt(world, who, inTurn(freezingPoints, turn), "freeze", after),
  "freeze one": async (world, [who]) => {
    const one = victim(world, who);
    if (!one) return false;
    world.fleet.freeze(one);
    await wakeWhenEvicted(world, one);
  },
  bomb: async ({ feeder }) => feeder.bomb(),
  "restart the database": (world, [downMs]) => restartDatabase(world, pickMs(0, 1_200, downMs)),
  "end sessions": async ({ direct }, [many, which]) => {
    const rows = await direct.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'headway worker-%' order by md5(pid::text || ${String(which)}) limit ${pickMs(2, 12, many)}`);
    return rows.length > 0;
  },
  "exhaust connections": (world, [long]) =>
    excused(world, "no connections", null, () => exhaust(world, pickMs(800, 2_500, long))),
  "read-only": (world, [long]) =>
    excused(world, "read-only", null, () => forbidWrites(world, pickMs(800, 2_500, long))),
  "slow network": ({ gates }, [which, late, long]) =>
    during(pick(gates, which), pickMs(2_000, 5_000, long), (gate) => gate.delay(pickMs(10, 120, late))),
  "cut connections": async ({ gates }, [which, after], turn) => {
    const gate = pick(gates, which);
    const before = gate.cuts;
    if (turn % 2 === 0) gate.cutAfter(pickMs(0, 4_000, after));
    // The names of statements: results of fresh documents, the end of a transaction, claims.
    else gate.cutAnswerTo(inTurn(["fresh", "commit\0", "take"], (turn - 1) / 2));
    for (let waited = 0; gate.cuts === before && waited < 5_000; waited += 50) await pause(50);
    return gate.cuts > before;
  },
  "swallow packets": async ({ gates }, [which, long, how]) => {
    const gate = pick(gates, which);
    gate.swallow();
    await pause(pickMs(300, 4_000, long));
    gate.release(how < 0.5 ? "deliver" : "break");
  },
  "cut off the source": async ({ sourceGate, feeder }, _, turn) => {
    const before = sourceGate.cuts;
    const cut = () =>
      turn % 2 === 0
        ? sourceGate.cutAnswerTo("commit\0")
        : sourceGate.cutAfter(inTurn([0, 150, 400, 60], turn));
    feeder.handInOnce(cut);
    for (let waited = 0; sourceGate.cuts === before && waited < 8_000; waited += 50) await pause(50);
    return sourceGate.cuts > before;
  },
  "oracle misbehaves": (world, [long], turn) =>
    excused(world, "the oracle", "pricing", async () => {
      world.oracle.mood = inTurn(moods.slice(1), turn);
      meet(world, `the oracle is ${world.oracle.mood}`);
      await pause(pickMs(2_500, 5_000, long));
      world.oracle.mood = "well";
      // Nothing is claimed for the oracle until the next probe succeeds.
      await closed(world, "oracle");
    }),
  "disk full": async ({ smallDisk }, [long]) => {
    if (!smallDisk) return false;
    const filler = join(smallDisk, "filler");
    await fill(filler);
    await pause(pickMs(1_000, 4_000, long));
    await rm(filler, { force: true });
  },
  "lose tasks": (world, [which]) => loseTasks(world, which),
  "pause a stage": (world, [which, long]) => {
    const stage = pick(["opening", "copying", "binding", "pricing", "tagging", "parsing", "merging"], which);
    return excused(world, "paused", stage, async () => {
      await world.operator.pauseStage(stage, "chaos");
      await pause(pickMs(500, 2_500, long));
      await insist(() => world.operator.resumeStage(stage, "chaos"));
    });
  },
  "requeue the dead": async ({ operator }, [which]) => {
    const stage = pick(["opening", "copying", "parsing"], which);
    return (await operator.requeueDead({ stage }, { why: "chaos", limit: 50 })).requeued > 0;
  },
  "change a policy": async ({ operator }, [which, attempts, long]) => {
    const of = { stage: pick(["opening", "copying", "pricing"], which), kind: "transient" } as const;
    await operator.setPolicy({ ...of, change: { attempts: pickMs(40, 100, attempts), initial: "50ms" } });
    await pause(pickMs(500, 4_000, long));
    await insist(() => operator.resetPolicy(of));
  },
  reprocess: async ({ operator, feeder }, [which, from]) => {
    const known = [...feeder.handed.values()].filter((one) => one.collection === "parcels");
    const start = Math.floor(from * known.length);
    const ids = known.slice(start, start + 20).map((one) => one.id);
    return (
      (await operator.reprocess({ stage: pick(["opening", "pricing"], which), ids }, { why: "chaos" })).owed >
      0
    );
  },
  "free a worker": async ({ direct, operator }, [which]) => {
    const rows = await direct.query<{ id: number }>(sql`
      select id from headway.worker where evicted_at is null order by md5(id::text || ${String(which)}) limit 1`);
    return rows[0] ? (await operator.freeWorker(rows[0].id, "chaos")) !== null : false;
  },
  "restart the broker": async ({ broker, log }, [long], turn) => {
    await broker?.restart(pickMs(200, 2_500, long), turn);
    log.brokerRestarts += 1;
  },
  "wipe the broker": async ({ broker, log }) => {
    await broker?.wipe();
    log.brokerRestarts += 1;
  },
  "meddle with deliveries": async ({ broker }, _, turn) => (await broker?.meddle(turn)) !== 0,
  "cut the broker off": async ({ broker }, [lot], turn) => await broker?.cutOff(lot, turn),
};

const reachedMs = 6_000;

/** The first worker to reach the point. */
async function armAt(world: World, who: number, point: Point, action: "kill" | "freeze", lot: number) {
  const { fleet } = world;
  if (point === "after it joined") return joinAndDie(world, who);
  if (!victim(world, who)) return false;
  const armed = awake(world);
  let reached = false;
  const stop = fleet.onTold((told) => {
    reached ||= told.kind === "chaos.point" && told.point === point && told.action === action;
  });
  for (const one of armed) fleet.order(one, { kind: "arm", point, action, after: Math.floor(lot * 3) });
  for (let waited = 0; !reached && waited < reachedMs; waited += 10) await pause(10);
  stop();
  for (const one of armed) fleet.order(one, { kind: "disarm", point });
  return reached;
}

function joinAndDie(world: World, who: number): false | undefined {
  const one = victim(world, who);
  if (!one) return false;
  world.fleet.orderSuccessor(one, { kind: "arm", point: "after it joined", action: "kill", after: 0 });
  world.fleet.kill(one, "so that another joins");
}

async function holderOf({ direct, fleet }: World, role: string): Promise<Living | null> {
  const [row] = await direct.query<{ name: string }>(sql`
    select w.name from headway.singleton s join headway.worker w on w.id = s.worker where s.name = ${role}`);
  return fleet.living.find((one) => one.name === row?.name && !one.frozen) ?? null;
}

const frozenMaxMs = 25_000;

/** Sleeps until the eviction, so all later writes come too late. */
export async function wakeWhenEvicted(world: World, one: Living): Promise<void> {
  const { fleet, direct, log } = world;
  let evicted = false;
  for (let waited = 0; !evicted && waited < frozenMaxMs && one.child.exitCode === null; waited += 100) {
    await pause(100);
    const rows = await direct
      .query<{ living: number }>(
        sql`select count(*) as living from headway.worker where name = ${one.name} and evicted_at is null`,
      )
      .catch(() => []);
    evicted = rows[0]?.living === 0;
  }
  if (evicted) log.zombies += 1;
  fleet.thaw(one);
}

/** Resolves when the breaker of a dependency is closed again, or after a limit. */
async function closed({ direct }: World, name: string): Promise<void> {
  for (let waited = 0; waited < 20_000; waited += 100) {
    const open = await direct
      .query(sql`select 1 from headway.dependency where open and name = ${name}`)
      .catch(() => [1]);
    if (open.length === 0) return;
    await pause(100);
  }
}

let restarting: Promise<unknown> = Promise.resolve();

/** Serialised: a stopped server cannot be stopped. */
function restartDatabase(world: World, downMs: number): Promise<unknown> {
  restarting = restarting.then(() =>
    excused(world, "the database is down", null, async () => {
      await world.cluster.crash();
      await pause(downMs);
      await world.cluster.start();
      world.log.databaseRestarts += 1;
    }),
  );
  return restarting;
}

const connectionsMax = 150;

async function exhaust({ direct }: World, ms: number): Promise<boolean> {
  const sessions: Awaited<ReturnType<typeof direct.session>>[] = [];
  try {
    for (let count = 0; count < connectionsMax; count++) sessions.push(await direct.session());
  } catch {
    // No more connections are available.
  }
  await pause(ms);
  await Promise.all(sessions.map((one) => one.close()));
  return sessions.length > 0;
}

async function forbidWrites({ direct }: World, ms: number): Promise<void> {
  const reload = () => direct.query(sql`select pg_reload_conf()`);
  try {
    await direct.script("alter system set default_transaction_read_only = on");
    await reload();
    await pause(ms);
  } finally {
    await insist(async () => {
      await direct.script("alter system reset default_transaction_read_only");
      await reload();
    });
  }
}

async function during(gate: Gate, ms: number, act: (gate: Gate) => void): Promise<void> {
  act(gate);
  await pause(ms);
  gate.delay(0);
}

async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (;;) await file.write(Buffer.alloc(65_536));
  } catch {
    // The disk is full.
  } finally {
    await file.close();
  }
}

/** Only tasks derivable from documents: content without a result, or with a result of older content. */
async function loseTasks({ direct }: World, lot: number): Promise<boolean> {
  const visible = sql`not exists (
      select 1 from headway.done r left join headway.document d on d.subject = r.subject
      where r.subject = t.subject and r.stage = t.stage and (d.subject is null or d.hash = r.input_hash))
    and not exists (select 1 from headway.claim c where c.stage = t.stage and t.subject = any (c.subjects))`;
  const rows = await direct.query<{ subject: number }>(sql`
    select t.subject from headway.task t where ${visible} order by md5(t.subject::text || ${String(lot)}) limit 4`);
  const lost = await direct.query(sql`
    delete from headway.task t
    where t.subject = any (${int8s(rows.map((row) => row.subject))}) and ${visible}
    returning 1`);
  return lost.length > 0;
}

async function insist(act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return void (await act());
    } catch {
      await pause(150);
    }
  }
}
