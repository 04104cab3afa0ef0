import { describe, expect, it } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import { commitUnfinished } from "../../engine/src/store/failures.ts";
import { makeNumbers } from "../../engine/src/store/numbers.ts";
import { register } from "../../engine/src/store/registry.ts";
import { takeSingleton } from "../../engine/src/store/singletons.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { evictWorker } from "../../engine/src/store/workers.ts";
import { aStage, type Desk, Holding, later, now, quietMs, useDesk } from "./store-desk.ts";

const conflicts = ["23505", "40P01", "40001"];

/** Retries a write after a conflict with a concurrent writer, as the engine does. */
async function untilThrough<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (!conflicts.includes(String((error as { code?: unknown }).code)) || tries >= 50) throw error;
    }
  }
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Promises under concurrency; only a server with many connections can show these. */
export function describeCrowds(name: string, open: () => Promise<Database>): void {
  describe(name, () => {
    const desk = useDesk(open);
    describe("claims", () => describeTakers(desk));
    describe("commits", () => describeWriters(desk));
    describe("registration", () => describeRegistering(desk));
  });
}

function describeTakers(desk: () => Desk): void {
  it("no task is taken twice and none is forgotten", async () => {
    const subjects = await desk().owe("shout", 300);
    const taken: number[] = [];
    await Promise.all(
      times(10, async (index) => {
        const worker = await desk().worker();
        for (;;) {
          const claim = await desk().take("shout", worker, { limit: 1 + (index % 4) * 3 });
          if (!claim) return;
          taken.push(...claim.tasks.map((task) => task.subject));
        }
      }),
    );
    expect(taken.sort((a, b) => a - b)).toEqual(subjects);
  });

  it("limits of concurrency and rate hold however many ask at once", async () => {
    await desk().owe("narrow", 50);
    await desk().owe("slow", 50);
    const workers = await Promise.all(times(10, () => desk().worker()));
    const count = async (stage: "narrow" | "slow", at: Date) => {
      const claims = await Promise.all(
        workers.map((worker) => desk().take(stage, worker, { limit: 2, now: at })),
      );
      return claims.reduce((sum, claim) => sum + (claim?.tasks.length ?? 0), 0);
    };
    expect(await count("narrow", now)).toBe(3);
    expect(await count("slow", now)).toBe(4);
    expect(await count("slow", later(500))).toBe(2);
  });

  it("a worker that is evicted while it claims either has what it took freed or took nothing", async () => {
    const subjects = await desk().owe("shout", 100);
    const workers = await Promise.all(times(8, () => desk().worker()));
    const taking = workers.map((worker) =>
      desk()
        .take("shout", worker, { limit: 10 })
        .catch(() => null),
    );
    const evicting = workers.map((worker) =>
      evictWorker(desk().db, { worker, because: "a test", crashed: false, now }),
    );
    await Promise.all([...taking, ...evicting]);
    expect(await desk().count("claim")).toBe(0);
    const free = await desk().take("shout", await desk().worker(), { limit: 1_000 });
    expect(free?.tasks.map((task) => task.subject).sort((a, b) => a - b)).toEqual(subjects);
  });

  it("who is being evicted by somebody else, and tasks that somebody is changing, are not waited for", async () => {
    await desk().owe("shout", 3);
    const worker = await desk().worker();
    const taken = await desk().take("shout", worker, { limit: 3 });
    const [first, second, third] = (taken?.tasks ?? []).map((task) => task.subject) as [
      number,
      number,
      number,
    ];
    const eviction = { worker, because: "a test", crashed: true, now };
    await desk().db.transaction(async (tx) => {
      await tx.query(sql`select 1 from headway.worker where id = ${worker} for update`);
      expect(await evictWorker(desk().db, { ...eviction, skip: true })).toBeNull();
    });
    await desk().db.transaction(async (tx) => {
      await tx.query(sql`select 1 from headway.task where subject = ${second} for update`);
      expect(await evictWorker(desk().db, { ...eviction, skip: true })).toBe(2);
    });
    expect(await desk().rows(sql`select subject, crashes from headway.task order by subject`)).toEqual([
      { subject: first, crashes: 1 },
      { subject: second, crashes: 0 },
      { subject: third, crashes: 1 },
    ]);
    expect(await desk().count("claim")).toBe(0);
  });

  it("a role has one holder however many ask at once", async () => {
    const workers = await Promise.all(times(10, () => desk().worker()));
    const asked = await Promise.all(
      workers.map((worker) => takeSingleton(desk().db, { name: "sweep", worker, now, until: later(1_000) })),
    );
    expect(asked.filter(Boolean)).toHaveLength(1);
  });
}

/** Sessions of this database waiting for a lock. */
const waiting = (desk: Desk) =>
  desk.rows(sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${desk.db.schema}%`}`);

function describeWriters(desk: () => Desk): void {
  it.each([
    ["accepted", "group"],
    ["yielded", "group"],
    ["changed", "document"],
  ])("what is %s while its %s is dying is owed, and not dead as well", async (how, what) => {
    const stage = what === "group" ? "gather" : "split";
    const at = later(quietMs);
    await desk().accept([desk().line("1", "one", "tea")]);
    await desk().letters("a");
    const mine = how === "yielded" ? await desk().hold("split") : null;
    const dying = await desk().hold(stage, { now: at });
    let bury = () => {};
    const buried = new Promise<void>((resolve) => {
      bury = resolve;
    });
    const slow: Database = {
      ...desk().db,
      transaction: (work) =>
        desk().db.transaction(async (tx) => {
          const result = await work(tx);
          await buried;
          return result;
        }),
    };
    const [task] = dying.claim.tasks as [(typeof dying.claim.tasks)[0]];
    const nothing = { postponed: [], released: [], faults: [], blamed: [], looking: [] };
    const { flow, variant } = desk();
    const death = commitUnfinished(slow, {
      ...dying.held,
      now: at,
      variant,
      flow,
      ...nothing,
      deaths: [dying.death(task.id)],
    });
    const lines = [desk().line("2", "two", "tea")];
    await expect
      .poll(
        () =>
          desk().rows(sql`select 1 from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction' and query like '%delete%claim%'`),
        { timeout: 5_000 },
      )
      .not.toEqual([]);
    const owing =
      how === "accepted"
        ? desk().accept(lines, { hopeful: true, at })
        : mine
          ? mine.commit([mine.finished("a", lines)], { now: at })
          : desk().accept([desk().document("letters", "a", "another")], { at });
    await expect.poll(() => waiting(desk()), { timeout: 5_000 }).not.toEqual([]);
    bury();
    await Promise.all([death, owing]);
    expect(await desk().owed(stage)).toEqual([task.id]);
    expect(await desk().count("dead_letter")).toBe(0);
  });

  it("results that yield the same documents at once become one document each, with all their producers", async () => {
    await desk().letters(...times(8, (index) => `letter-${index}`));
    const holdings = await Promise.all(times(8, () => desk().hold("split", { limit: 1 })));
    const lines = times(5, (index) => desk().line(`line-${index}`, "the same"));
    const committed = await Promise.all(
      holdings.map((mine, index) => {
        const [task] = mine.claim.tasks;
        const rotated = [...lines.slice(index % 5), ...lines.slice(0, index % 5)];
        return untilThrough(() => mine.commit([mine.finished(task?.id as string, rotated)]));
      }),
    );
    expect(committed.map((one) => one.kind)).toEqual(times(8, () => "committed"));
    expect(await desk().visible("lines")).toEqual(times(5, (index) => `line-${index}: the same`));
    const [shares] = await desk().rows(sql`select count(*) as count from headway.co_producer`);
    expect(shares).toEqual({ count: 35 });
    expect(await desk().owed("shout")).toHaveLength(5);
  });

  it("a result and the eviction of its worker exclude each other", async () => {
    await desk().letters(...times(20, (index) => `letter-${String(index).padStart(2, "0")}`));
    const holdings = await Promise.all(times(20, () => desk().hold("split", { limit: 1 })));
    const outcomes = await Promise.all(
      holdings.flatMap((mine) => {
        const id = mine.claim.tasks[0]?.id as string;
        const { worker } = mine.held;
        return [
          mine.commit([mine.finished(id, [desk().line(id, "done")])]).then((one) => [id, one.kind] as const),
          evictWorker(desk().db, { worker, because: "a test", crashed: true, now }),
        ];
      }),
    );
    const kinds = outcomes.filter((one): one is readonly [string, "committed" | "refused"] =>
      Array.isArray(one),
    );
    const written = kinds.filter(([, kind]) => kind === "committed").map(([id]) => id);
    const refused = kinds.filter(([, kind]) => kind === "refused").map(([id]) => id);
    expect(await desk().visible("lines")).toEqual(written.sort().map((id) => `${id}: done`));
    expect(await desk().owed("split")).toEqual(refused.sort());
  });

  it("documents that join the same groups at once are all in them, and each group is owed once", async () => {
    await Promise.all(
      times(8, (index) => {
        const lines = times(6, (topic) =>
          desk().line(`${index}/${topic}`, "x", `topic-${(topic + index) % 6}`),
        );
        return untilThrough(() => desk().accept(lines, { source: `source-${index}` }));
      }),
    );
    const sizes = await desk().rows(sql`
      select g.key, count(*) as members from headway.member m join headway.grouping g on g.subject = m.grouping
      group by g.key order by 1`);
    expect(sizes).toEqual(times(6, (index) => ({ key: `topic-${index}`, members: 8 })));
    expect(await desk().owed("gather")).toEqual(times(6, (index) => `topic-${index}`));
  });

  it("reapers that work side by side remove everything once", async () => {
    await desk().letters(...times(30, (index) => `letter-${index}`));
    await desk().work("split", ({ id }) => [desk().line(`${id}/1`, "x"), desk().line(`${id}/2`, "x")]);
    await desk().rows(sql`update headway.document set gone_at = ${now} where producer_stage = 0`);
    const removed = await Promise.all(times(4, () => desk().reapAll(7)));
    const rest = await desk().reapAll(7);
    expect(removed.reduce((sum, one) => sum + one, rest)).toBe(90);
    expect(await desk().count("document")).toBe(0);
    expect(await desk().count("done")).toBe(0);
  });

  it("takers, writers and changes of the inputs go together without losing a task", async () => {
    const ids = times(40, (index) => `letter-${String(index).padStart(2, "0")}`);
    await desk().letters(...ids);
    const writer = async () => {
      const worker = await desk().worker();
      for (let round = 0; round < 6; round++) {
        const claim = await desk().take("split", worker, { limit: 8 });
        if (!claim) continue;
        const mine = new Holding(desk(), claim, worker, desk().stage("split"));
        const finished = claim.tasks.map(({ id, body }) =>
          mine.finished(id, [desk().line(id, (body as { text: string }).text)]),
        );
        await untilThrough(() => mine.commit(finished));
      }
    };
    const changer = async (version: number) => {
      const changed = ids.filter((_, index) => index % 4 === version);
      const letters = changed.map((id) => desk().document("letters", id, `version ${version}`));
      await untilThrough(() => desk().accept(letters, { at: later(0) }));
    };
    await Promise.all([writer(), writer(), writer(), changer(1), changer(2), changer(3)]);
    while ((await desk().owed("split")).length > 0) {
      await desk().work("split", ({ id, body }) => [desk().line(id, (body as { text: string }).text)]);
    }
    expect(await desk().visible("lines")).toEqual(await desk().visible("letters"));
  });
}

function describeRegistering(desk: () => Desk): void {
  it("processes that register the same and overlapping pipelines at once agree on all numbers", async () => {
    const stages = times(8, (index) => aStage(`stage-${index}`, `collection-${index % 4}`));
    const declared = (from: number) => {
      const own = [...stages.slice(from), ...stages.slice(0, from)].slice(0, 6);
      const collections = [...new Set(own.map((one) => one.reads))];
      return { stages: own, collections, now };
    };
    const all = await Promise.all(times(10, (index) => register(desk().db, declared(index % 8))));
    for (const kind of ["collections", "stages", "variants"] as const) {
      const numbers = new Map<unknown, Set<number>>();
      for (const one of all) {
        for (const [key, number] of one[kind]) {
          numbers.set(key, (numbers.get(key) ?? new Set()).add(number));
        }
      }
      expect([...numbers.values()].every((one) => one.size === 1)).toBe(true);
      expect(new Set([...numbers.values()].flatMap((one) => [...one])).size).toBe(numbers.size);
    }
  });

  it("numbers never repeat between processes", async () => {
    const taken = await Promise.all(
      times(6, async () => {
        const numbers = makeNumbers();
        const next = await numbers.take(desk().db, 1_500);
        return times(1_500, next);
      }),
    );
    expect(new Set(taken.flat()).size).toBe(9_000);
  });
}
