import { expect, it } from "vitest";
import { theStart } from "../../engine/src/decide/step-lane.ts";
import { releaseTasks } from "../../engine/src/store/claims.ts";
import { setPaused } from "../../engine/src/store/registry.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { findDue, nextReadyAt } from "../../engine/src/store/tasks.ts";
import { beat, evictWorker, retireWorker } from "../../engine/src/store/workers.ts";
import { type Desk, later, now } from "./store-desk.ts";

export function describeClaims(desk: () => Desk): void {
  const put = (subject: number, change: { rank?: number; readyAt?: Date; crashes?: number }) =>
    desk().rows(sql`
      update headway.task
      set rank = coalesce(${change.rank ?? null}::int2, rank), crashes = coalesce(${change.crashes ?? null}::int2, crashes),
        ready_at = coalesce(${change.readyAt ?? null}::timestamptz, ready_at)
      where subject = ${subject}`);
  const subjectsOf = (claim: { tasks: readonly { subject: number }[] } | null) =>
    claim?.tasks.map((task) => task.subject) ?? [];

  it("a task comes with its input, and nobody else gets it", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    expect(mine.claim.tasks).toMatchObject([
      {
        id: "a",
        body: { text: "text of a" },
        gone: false,
        marker: null,
        attempts: 0,
        generation: 0,
        rank: 0,
      },
    ]);
    expect(await desk().take("split", await desk().worker())).toBeNull();
  });

  it("what is given back can be taken again, as it was", async () => {
    await desk().letters("a", "b");
    const { claim, held } = await desk().hold("split");
    const [first] = claim.tasks;
    await desk().db.transaction((tx) => releaseTasks(tx, held, [first?.subject as number]));
    const again = await desk().hold("split");
    expect(again.claim.tasks).toEqual([{ ...first, claim: again.claim.id }]);
    expect(await desk().count("claim")).toBe(2);
  });

  it("smaller ranks go first, then what is ready longest, then what has the smaller number", async () => {
    const [a, b, c, d, e] = (await desk().owe("narrow", 5)) as [number, number, number, number, number];
    await put(a, { rank: 5 });
    await put(b, { readyAt: later(-1_000) });
    await put(e, { rank: -5 });
    const taken: number[] = [];
    const worker = await desk().worker();
    for (let round = 0; round < 5; round++) {
      const claim = await desk().take("narrow", worker, { limit: 1 });
      taken.push(...subjectsOf(claim));
      if (claim)
        await desk().rows(sql`delete from headway.task where subject = any (select unnest(subjects)
        from headway.claim)`);
      await desk().rows(sql`delete from headway.claim`);
    }
    expect(taken).toEqual([e, b, c, d, a]);
  });

  it("nothing is taken before its time", async () => {
    const [a, b] = (await desk().owe("narrow", 2)) as [number, number];
    await put(a, { readyAt: later(1) });
    const worker = await desk().worker();
    expect(subjectsOf(await desk().take("narrow", worker))).toEqual([b]);
    expect(subjectsOf(await desk().take("narrow", worker, { now: later(1) }))).toEqual([a]);
  });

  it("reading goes on after a place, and from the start finds what was put in front", async () => {
    const [a, b, c] = (await desk().owe("slow", 3)) as [number, number, number];
    const worker = await desk().worker();
    const place = { rank: 0, readyAt: now, subject: a };
    expect(subjectsOf(await desk().take("slow", worker, { from: place, limit: 1 }))).toEqual([b]);
    expect(subjectsOf(await desk().take("slow", worker, { from: { ...place, subject: c } }))).toEqual([]);
    expect(subjectsOf(await desk().take("slow", worker, { from: theStart }))).toEqual([a, c]);
  });

  it("a task whose worker died is taken alone, and only by somebody who asks for such", async () => {
    const [a, b, c] = (await desk().owe("slow", 3)) as [number, number, number];
    await put(b, { crashes: 1 });
    const worker = await desk().worker();
    expect(subjectsOf(await desk().take("slow", worker, { few: false, limit: 1 }))).toEqual([a]);
    expect(subjectsOf(await desk().take("slow", worker))).toEqual([b]);
    expect(subjectsOf(await desk().take("slow", worker))).toEqual([c]);
  });

  it("a suspect in the middle stays out of the claim of the others", async () => {
    const [a, b, c] = (await desk().owe("slow", 3)) as [number, number, number];
    await put(b, { crashes: 2 });
    const worker = await desk().worker();
    expect(subjectsOf(await desk().take("slow", worker))).toEqual([a, c]);
    expect(subjectsOf(await desk().take("slow", worker, { alone: false }))).toEqual([]);
    expect(subjectsOf(await desk().take("slow", worker))).toEqual([b]);
  });

  it("one that has to be tried alone does not keep those waiting that were in the same hands once", async () => {
    const [a, b, c, d] = (await desk().owe("slow", 4)) as [number, number, number, number];
    await put(a, { crashes: 3 });
    await put(b, { crashes: 2 });
    await put(c, { crashes: 1 });
    const worker = await desk().worker();
    expect(subjectsOf(await desk().take("slow", worker))).toEqual([a]);
    expect(subjectsOf(await desk().take("slow", worker, { alone: false }))).toEqual([c]);
    expect(subjectsOf(await desk().take("slow", worker, { alone: false, few: false }))).toEqual([d]);
    expect(subjectsOf(await desk().take("slow", worker, { few: false }))).toEqual([b]);
  });

  it("a limit of concurrency holds over all workers together", async () => {
    await desk().owe("narrow", 10);
    const [one, other] = [await desk().worker(), await desk().worker()];
    expect((await desk().take("narrow", one, { limit: 2 }))?.tasks).toHaveLength(2);
    expect((await desk().take("narrow", other))?.tasks).toHaveLength(1);
    expect(await desk().take("narrow", one)).toBeNull();
    await retireWorker(desk().db, one, now);
    expect((await desk().take("narrow", other))?.tasks).toHaveLength(2);
  });

  it("a limit of rate holds over all workers together, and comes back with time", async () => {
    await desk().owe("slow", 20);
    const [one, other] = [await desk().worker(), await desk().worker()];
    const taken = async (worker: number, ms: number) =>
      (await desk().take("slow", worker, { now: later(ms) }))?.tasks.length ?? 0;
    expect(await taken(one, 0)).toBe(4);
    expect(await taken(other, 200)).toBe(0);
    expect(await taken(other, 500)).toBe(2);
    expect(await taken(one, 700)).toBe(0);
    expect(await taken(one, 60_000)).toBe(4);
    // A clock running backwards adds no tokens.
    expect(await taken(one, 50_000)).toBe(0);
  });

  it("a claim that takes less than the rate allows leaves the rest for others", async () => {
    await desk().owe("slow", 20);
    const worker = await desk().worker();
    expect((await desk().take("slow", worker, { limit: 3 }))?.tasks).toHaveLength(3);
    expect((await desk().take("slow", worker))?.tasks).toHaveLength(1);
  });

  it("a paused stage gives nothing, and everything once it is resumed", async () => {
    await desk().letters("a");
    const stage = desk().stage("split");
    const paused = { at: now, by: "ann", reason: null };
    expect(await setPaused(desk().db, { stage, paused })).toBe(true);
    expect(await setPaused(desk().db, { stage, paused })).toBe(false);
    const worker = await desk().worker();
    expect(await desk().take("split", worker)).toBeNull();
    expect(await setPaused(desk().db, { stage, paused: null })).toBe(true);
    expect(subjectsOf(await desk().take("split", worker))).toHaveLength(1);
  });

  it("an evicted worker cannot claim, and what it held is free and remembers the crash", async () => {
    await desk().letters("a");
    const { held } = await desk().hold("split");
    const evict = () =>
      evictWorker(desk().db, { worker: held.worker, because: "a test", crashed: true, now: later(5) });
    expect(await evict()).toBe(1);
    expect(await evict()).toBeNull();
    await expect(desk().take("split", held.worker)).rejects.toMatchObject({ code: "HW001" });
    expect(await beat(desk().db, held.worker, now)).toBe(false);
    const again = await desk().hold("split", { now: later(5) });
    expect(again.claim.tasks).toMatchObject([{ id: "a", crashes: 1, attempts: 0, firstAttemptAt: later(5) }]);
  });

  it("a worker that nobody has heard of cannot claim", async () => {
    await desk().letters("a");
    await expect(desk().take("split", 999_999)).rejects.toMatchObject({ code: "HW001" });
  });

  it("a worker that stops in good order leaves no trace on its tasks", async () => {
    await desk().letters("a");
    const { held, claim } = await desk().hold("split");
    await retireWorker(desk().db, held.worker, now);
    const again = await desk().hold("split");
    expect(again.claim.tasks).toEqual([{ ...claim.tasks[0], claim: again.claim.id }]);
    await expect(desk().take("split", held.worker)).rejects.toMatchObject({ code: "HW001" });
  });

  it("the time at which the next task becomes due is known", async () => {
    const [a, b] = (await desk().owe("narrow", 2)) as [number, number];
    await put(a, { readyAt: later(9_000) });
    await put(b, { readyAt: later(5_000) });
    expect(await nextReadyAt(desk().db, desk().stage("narrow"), now)).toEqual(later(5_000));
    expect(await nextReadyAt(desk().db, desk().stage("narrow"), later(9_000))).toBeNull();
    const [narrow, split] = [desk().stage("narrow"), desk().stage("split")];
    const look = (at: Date) => findDue(desk().db, { stages: [narrow, split], now: at });
    const nothing = { stage: split, due: false, next: null };
    expect(await look(now)).toEqual([{ stage: narrow, due: false, next: later(5_000) }, nothing]);
    expect(await look(later(5_000))).toEqual([{ stage: narrow, due: true, next: later(9_000) }, nothing]);
  });
}
