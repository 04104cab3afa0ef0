import fc from "fast-check";
import { expect, it } from "vitest";
import { isDue } from "../../engine/src/decide/eligible.ts";
import { theStart } from "../../engine/src/decide/step-lane.ts";
import { retryDefaults } from "../../engine/src/define/retry.ts";
import {
  closeBreaker,
  openBreaker,
  readDependencies,
  takeProbe,
} from "../../engine/src/store/dependencies.ts";
import { makeNumbers } from "../../engine/src/store/numbers.ts";
import { changePolicy, policyHistory, readPolicies } from "../../engine/src/store/policies.ts";
import { listStages, register, registerSource } from "../../engine/src/store/registry.ts";
import { leaveSingletons, takeSingleton } from "../../engine/src/store/singletons.ts";
import { int8s, sql } from "../../engine/src/store/sql.ts";
import { beat, evictWorker, findDeadWorkers } from "../../engine/src/store/workers.ts";
import { aFault, aStage, type Desk, later, now } from "./store-desk.ts";

export function describeRegistry(desk: () => Desk): void {
  it("what is registered again keeps its numbers; a new version is a new variant", async () => {
    const declared = { collections: ["letters"], stages: [aStage("split", "letters")], now };
    const first = await register(desk().db, declared);
    expect(await register(desk().db, declared)).toEqual(first);
    const split = first.stages.get("split") as number;
    expect(split).toBe(desk().stage("split"));
    const newer = { ...declared, stages: [aStage("split", "letters", { version: "2" })] };
    const second = await register(desk().db, newer);
    expect(second.stages).toEqual(first.stages);
    expect(second.variants.get(split)).not.toBe(first.variants.get(split));
    expect(await register(desk().db, declared)).toEqual(first);
  });

  it("who registers what is known already writes nothing, and whatever is declared otherwise is written", async () => {
    const { db } = desk();
    const base = aStage("narrow", "echoes", { after: ["split"] });
    const declare = (stage: typeof base) =>
      register(db, {
        collections: ["letters", "echoes"],
        stages: [aStage("split", "letters"), aStage("shrink", "letters"), stage],
        now,
      });
    const written = async () =>
      await db.query(sql`select s.xmin::text as stage, v.xmin::text as variant
        from headway.stage s join headway.variant v on v.id = s.variant where s.name = 'narrow'`);
    const first = await declare(base);
    const rows = await written();
    expect(await declare(base)).toEqual(first);
    expect(await written()).toEqual(rows);
    const others: Partial<typeof base>[] = [
      { reads: "letters" },
      { after: ["split", "shrink"] },
      { shape: "group" },
      { concurrency: 9 },
      { rate: { limit: 2.5, perMs: 60_000 } },
      { version: "other" },
      { configHash: Buffer.from("other") },
      { model: "other" },
    ];
    for (const other of others) {
      await declare(base);
      const before = await written();
      await declare({ ...base, ...other });
      expect(await written(), JSON.stringify(other)).not.toEqual(before);
      const after = await written();
      await declare({ ...base, ...other });
      expect(await written(), JSON.stringify(other)).toEqual(after);
    }
  });

  it("the newest code says what a stage's limits and predecessors are", async () => {
    const changed = [aStage("narrow", "echoes", { concurrency: 9 }), aStage("gather", "lines")];
    await register(desk().db, { collections: ["echoes", "lines"], stages: changed, now });
    const found = new Map((await listStages(desk().db)).map((one) => [one.name, one]));
    expect(found.get("narrow")).toMatchObject({ concurrency: 9 });
    expect(found.get("gather")).toMatchObject({ after_stages: [] });
    expect(found.get("split")).toMatchObject({ concurrency: null, paused_at: null });
  });

  it("a source has one number, whoever names it", async () => {
    const [one, again, other] = [
      await registerSource(desk().db, "post", now),
      await registerSource(desk().db, "post", later(5)),
      await registerSource(desk().db, "courier", now),
    ];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it("numbers never repeat, whoever hands them out, also when several are asked for at the same time", async () => {
    const [one, other] = [makeNumbers(), makeNumbers()];
    const taken: number[] = [];
    const take = async (numbers: typeof one, count: number) => {
      const next = await numbers.take(desk().db, count);
      for (let index = 0; index < count; index++) taken.push(next());
    };
    await take(one, 5);
    await Promise.all([take(one, 1_003), take(other, 700), take(one, 990), take(other, 2_500), take(one, 3)]);
    await take(other, 1);
    expect(new Set(taken).size).toBe(taken.length);
    expect(await makeNumbers().take(desk().db, 0)).toThrow("more numbers were used than taken");
  });

  it("operators' policies are kept with their history; nonsense that got in otherwise is refused when read", async () => {
    const policy = { ...retryDefaults.transient, attemptsMax: 9 };
    const change = { stage: "split", kind: "transient", by: "ann", why: "flaky", now } as const;
    await changePolicy(desk().db, { ...change, policy });
    expect((await readPolicies(desk().db)).policies).toMatchObject([{ stage: "split", policy }]);
    await desk().rows(sql`update headway.retry_policy set attempts_max = 0, max_ms = 'NaN'`);
    expect(await readPolicies(desk().db)).toEqual({
      policies: [],
      refused: [{ stage: "split", kind: "transient", problem: "attempts must be 1 to 1000" }],
    });
    await changePolicy(desk().db, { ...change, policy: null });
    expect(await readPolicies(desk().db)).toEqual({ policies: [], refused: [] });
    const history = await policyHistory(desk().db, "split", 10);
    expect(history.map(({ before, after }) => [before?.attemptsMax, after?.attemptsMax])).toEqual([
      [0, undefined],
      [undefined, 9],
    ]);
  });

  it("a role has one holder: it keeps it, a dead one's is free at once, a silent one's after its time", async () => {
    const [one, other] = [await desk().worker(), await desk().worker()];
    const take = (worker: number, ms: number) =>
      takeSingleton(desk().db, { name: "sweep", worker, now: later(ms), until: later(ms + 1_000) });
    expect([await take(one, 0), await take(other, 0), await take(one, 500)]).toEqual([true, false, true]);
    expect([await take(other, 1_400), await take(other, 1_501)]).toEqual([false, true]);
    await evictWorker(desk().db, { worker: other, because: "a test", crashed: true, now });
    expect(await take(one, 1_502)).toBe(true);
    await leaveSingletons(desk().db, one);
    expect(await take(await desk().worker(), 1_502)).toBe(true);
  });

  it("a breaker opens once, is tried by one at a time, and knows how long it was open", async () => {
    const { db } = desk();
    const opened = { name: "llm", fault: aFault, now, probeAt: later(1_000) };
    expect([await openBreaker(db, opened), await openBreaker(db, opened)]).toEqual([true, false]);
    const probe = (ms: number) => takeProbe(db, { name: "llm", now: later(ms), nextAt: later(ms + 2_000) });
    expect([await probe(999), await probe(1_000), await probe(1_000)]).toEqual([false, true, false]);
    expect(await readDependencies(db)).toMatchObject([{ name: "llm", open: true, since: now, probes: 1 }]);
    expect([await closeBreaker(db, "llm", later(5_000)), await closeBreaker(db, "llm", now)]).toEqual([
      5_000,
      null,
    ]);
    expect(await openBreaker(db, { ...opened, now: later(9_000) })).toBe(true);
  });

  it("a worker whose heart has not beaten is found; one that beats, and the one who looks, are not", async () => {
    const [self, quiet, lively] = [await desk().worker(), await desk().worker(), await desk().worker()];
    expect(await beat(desk().db, lively, later(10_000))).toBe(true);
    const dead = await findDeadWorkers(desk().db, { lapsed: later(5_000), self });
    expect(dead).toMatchObject([{ id: quiet, silent: true }]);
  });

  it("what the database gives out is what isDue says, minus suspects nobody asked for", async () => {
    const task = fc.record({
      rank: fc.integer({ min: -2, max: 2 }),
      ms: fc.integer({ min: -3, max: 3 }),
      crashes: fc.constantFrom(0, 0, 0, 1, 1, 2),
      claimed: fc.boolean(),
    });
    const tasks = fc.array(task, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        tasks,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 12 }),
        async (given, few, alone, limit) => {
          await desk().rows(sql`delete from headway.task`);
          await desk().rows(sql`delete from headway.claim`);
          const subjects = await desk().owe("shout", given.length);
          const worker = await desk().worker();
          const all = given.map((one, index) => ({ ...one, subject: subjects[index] as number }));
          for (const one of all) {
            await desk().rows(sql`
            update headway.task set rank = ${one.rank}, ready_at = ${later(one.ms)}, crashes = ${one.crashes}
            where subject = ${one.subject}`);
          }
          const held = all.filter((one) => one.claimed).map((one) => one.subject);
          await desk().rows(sql`
          insert into headway.claim (id, worker, stage, subjects, at)
          values (nextval('headway.claim_number'), ${worker}, ${desk().stage("shout")}, ${int8s(held)}, ${now})`);
          const due = all
            .filter((one) => isDue({ readyAt: later(one.ms), claimed: one.claimed }, now))
            .filter((one) => one.crashes === 0 || (one.crashes === 1 ? few : alone))
            .sort((a, b) => a.rank - b.rank || a.ms - b.ms || a.subject - b.subject)
            .slice(0, limit);
          // After one crash in small claims, after two alone.
          const first = due[0]?.crashes ?? 0;
          const expected = first > 1 ? due.slice(0, 1) : due.filter((one) => one.crashes === first);
          const claim = await desk().take("shout", worker, { few, alone, limit, from: theStart });
          expect(claim?.tasks.map((one) => one.subject) ?? []).toEqual(expected.map((one) => one.subject));
        },
      ),
      { numRuns: 60 },
    );
  });
}
