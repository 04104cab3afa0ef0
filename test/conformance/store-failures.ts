import { expect, it } from "vitest";
import {
  countOutage,
  endStreak,
  listFailing,
  readDependencies,
} from "../../engine/src/store/dependencies.ts";
import { faultsOf } from "../../engine/src/store/faults.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { Postponed } from "../../engine/src/store/tasks.ts";
import { aFault, type Desk, type Holding, later, now, request } from "./store-desk.ts";

export function describeFailures(desk: () => Desk): void {
  const postponed = (mine: Holding, id: string, more: Partial<Postponed> = {}): Postponed => ({
    subject: mine.task(id).subject,
    generation: mine.task(id).generation,
    readyAt: later(5_000),
    reason: "backoff",
    attempts: 1,
    waits: 0,
    attempted: true,
    suspect: false,
    fault: JSON.stringify(aFault),
    ...more,
  });
  const record = (mine: Holding, id: string) => ({
    subject: mine.task(id).subject,
    attempt: 1,
    fault: aFault,
    request,
    correlationId: "req_1.stage_split.retry_0",
    at: now,
  });

  it("a failed task waits for its time, with its counters, its fault and its history", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    const written = await mine.unfinished({
      postponed: [postponed(mine, "a", { attempts: 2, waits: 3 })],
      faults: [record(mine, "a")],
    });
    expect(written).toEqual({ kind: "written" });
    expect(await desk().take("split", await desk().worker(), { now: later(4_999) })).toBeNull();
    const again = await desk().hold("split", { now: later(5_000) });
    expect(again.claim.tasks).toMatchObject([
      { id: "a", attempts: 2, waits: 3, firstAttemptAt: now, fault: aFault, generation: 0 },
    ]);
    const history = await faultsOf(desk().db, mine.task("a").subject, desk().stage("split"));
    expect(history).toMatchObject([{ attempt: 1, fault: aFault, worker: mine.held.worker }]);
  });

  it("a task that was not attempted keeps its counters and its crashes", async () => {
    await desk().letters("a");
    await desk().rows(sql`update headway.task set crashes = 2, attempts = 1`);
    const mine = await desk().hold("split");
    const waiting = { attempted: false, fault: null, reason: "after", attempts: 0 };
    await mine.unfinished({ postponed: [postponed(mine, "a", waiting)] });
    const [task] = await desk().rows(
      sql`select attempts, crashes, first_attempt_at, fault, reason from headway.task`,
    );
    expect(task).toEqual({ attempts: 1, crashes: 2, first_attempt_at: null, fault: null, reason: "after" });
  });

  it("an attempt that ended in good order clears the suspicion of a crash", async () => {
    await desk().letters("a");
    await desk().rows(sql`update headway.task set crashes = 2`);
    const mine = await desk().hold("split");
    await mine.unfinished({ postponed: [postponed(mine, "a")] });
    expect(await desk().rows(sql`select crashes from headway.task`)).toEqual([{ crashes: 0 }]);
  });

  it("a released task is as it was and free at once", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    const before = mine.task("a");
    await mine.unfinished({ released: [before.subject] });
    const again = await desk().hold("split");
    expect(again.claim.tasks).toEqual([{ ...before, claim: again.claim.id }]);
  });

  it("a dead task becomes a dead letter with its input, its fault and its counts, and is announced", async () => {
    await desk().accept([desk().document("letters", "a", "x")], { rank: -3 });
    const mine = await desk().hold("split");
    const { subject } = mine.task("a");
    const event = {
      key: "SplitFailed/1",
      type: "SplitFailed",
      subject,
      stage: desk().stage("split"),
      data: {},
      request,
      correlationId: "c",
    };
    await mine.unfinished({
      deaths: [mine.death("a", { reason: "exhausted", attempts: 5, waits: 2, event })],
      faults: [record(mine, "a")],
    });
    expect(await desk().rows(sql`select * from headway.dead_letter`)).toMatchObject([
      {
        subject,
        reason: "exhausted",
        kind: "permanent",
        code: "letter.torn",
        fingerprint: aFault.fingerprint,
        fault: aFault,
        input: { text: "x" },
        variant: desk().variant,
        attempts: 5,
        waits: 2,
        crashes: 0,
        rank: -3,
        request,
        died_at: now,
      },
    ]);
    expect(await desk().owed("split")).toEqual([]);
    expect([await desk().count("outbox"), await desk().count("fault"), await desk().count("claim")]).toEqual([
      1, 1, 0,
    ]);
  });

  it("what failed with an input that has changed since is not charged to the new one", async () => {
    await desk().letters("a", "b");
    const mine = await desk().hold("split");
    const changed = ["a", "b"].map((id) => desk().document("letters", id, "another text"));
    await desk().accept(changed, { at: later(1) });
    await mine.unfinished({
      postponed: [postponed(mine, "a")],
      deaths: [mine.death("b")],
      faults: [record(mine, "a"), record(mine, "b")],
    });
    expect(await desk().count("dead_letter")).toBe(0);
    const again = await desk().hold("split", { now: later(1) });
    expect(again.claim.tasks).toMatchObject([
      { id: "a", attempts: 0, fault: null, firstAttemptAt: null, readyAt: later(1) },
      { id: "b", attempts: 0, fault: null, firstAttemptAt: null, readyAt: later(1) },
    ]);
    expect(await desk().count("fault")).toBe(2);
  });

  it("a dead letter whose input changes is owed again, with a fresh start", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await mine.unfinished({ deaths: [mine.death("a")] });
    await desk().accept([desk().document("letters", "a", "another text")]);
    expect(await desk().count("dead_letter")).toBe(0);
    expect(await desk().owed("split")).toEqual(["a"]);
  });

  it("some of a claim may fail while the rest goes on", async () => {
    await desk().letters("a", "b", "c", "d");
    const mine = await desk().hold("split");
    await mine.unfinished({
      postponed: [postponed(mine, "a")],
      released: [mine.task("b").subject],
      deaths: [mine.death("c")],
    });
    expect((await mine.commit([mine.finished("d", [])])).kind).toBe("committed");
    expect(await desk().owed("split")).toEqual(["a", "b"]);
    const free = await desk().hold("split");
    expect(free.claim.tasks.map((task) => task.id)).toEqual(["b"]);
  });

  it("recording what happened cannot fail on its content: 16 KiB of anything is stored", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    const fault = { ...aFault, message: `${"\ufffd\\\"'\n{}".repeat(2_000)}`, stack: "\u0001\u007f" };
    await mine.unfinished({ deaths: [mine.death("a", { fault })] });
    expect(await desk().rows(sql`select fault from headway.dead_letter`)).toEqual([{ fault }]);
  });

  /** A failing dependency of a task of `split`. */
  const outage = { ...aFault, dependency: "llm", outage: true };
  const failures = {
    name: "llm",
    fault: outage,
    probeAt: later(9_000),
    failuresMax: 3,
    lastingMs: 900,
    by: { stage: 0, subject: 0, startedAt: now, firstAt: null },
    certain: true,
    outagesMax: 3,
    beliefMs: 10_000,
    beliefMsMax: 60_000,
  };
  const charge = (mine: Holding, id: string) => ({
    postponed: [postponed(mine, id, { fault: JSON.stringify(outage) })],
    faults: [{ ...record(mine, id), fault: outage }],
    blamed: [{ name: "llm", failingSince: now }],
  });

  it("enough failures of a dependency, counted by everybody, open its breaker, and who was charged gets it back", async () => {
    const { db } = desk();
    await desk().letters("a", "b");
    await desk().rows(sql`update headway.task set attempts = 1`);
    const mine = await desk().hold("split");
    expect(await countOutage(db, { ...failures, now })).toBe("failing");
    expect(await listFailing(db)).toEqual(["llm"]);
    await mine.unfinished(charge(mine, "a"));
    await mine.unfinished({ postponed: [postponed(mine, "b")], faults: [record(mine, "b")] });
    expect(await countOutage(db, { ...failures, now: later(899) })).toBe("failing");
    expect(await countOutage(db, { ...failures, now: later(899) })).toBe("opened");
    expect(await countOutage(db, { ...failures, now: later(900) })).toBe("open");
    expect(await listFailing(db)).toEqual([]);
    const tasks = await desk().rows(sql`
      select d.id, t.attempts, t.reason, t.first_attempt_at from headway.task t join headway.document d using (subject)
      where t.stage = ${desk().stage("split")} order by 1`);
    expect(tasks).toEqual([
      { id: "a", attempts: 1, reason: "held: llm", first_attempt_at: null },
      { id: "b", attempts: 2, reason: "backoff", first_attempt_at: now },
    ]);
    const [a, b] = [mine.task("a").subject, mine.task("b").subject];
    expect(await faultsOf(db, a, desk().stage("split"))).toEqual([]);
    expect(await faultsOf(db, b, desk().stage("split"))).toHaveLength(1);
  });

  it("who has died meanwhile keeps its history: it says how often it was tried", async () => {
    const { db } = desk();
    await desk().letters("a");
    const mine = await desk().hold("split");
    expect(await countOutage(db, { ...failures, now })).toBe("failing");
    const faults = [{ ...record(mine, "a"), fault: outage }, record(mine, "a")];
    await mine.unfinished({ deaths: [mine.death("a", { attempts: 2 })], faults });
    expect(await countOutage(db, { ...failures, now: later(900) })).toBe("opened");
    expect(await faultsOf(db, mine.task("a").subject, desk().stage("split"))).toHaveLength(2);
  });

  it("a dependency that answers somebody in between is not down", async () => {
    const { db } = desk();
    const count = (ms: number) => countOutage(db, { ...failures, now: later(ms) });
    expect([await count(0), await count(1)]).toEqual(["failing", "failing"]);
    await endStreak(db, "llm");
    expect([await count(2_000), await count(2_001)]).toEqual(["failing", "failing"]);
    expect(await count(2_900)).toBe("opened");
  });

  it("failures that a document may have caused show an outage only if different documents meet them first", async () => {
    const { db } = desk();
    await desk().letters("a", "b", "c");
    const mine = await desk().hold("split");
    const soft = { ...aFault, dependency: "llm" };
    const count = (id: string, ms: number, firstAt: Date | null = null) => {
      const by = {
        stage: desk().stage("split"),
        subject: mine.task(id).subject,
        startedAt: later(ms),
        firstAt,
      };
      return countOutage(db, { ...failures, fault: soft, certain: false, by, now: later(ms) });
    };
    // One document, however often.
    for (const ms of [0, 1_000, 2_000, 3_000]) expect(await count("a", ms)).toBe("failing");
    await mine.unfinished({
      postponed: [postponed(mine, "a")],
      faults: [{ ...record(mine, "a"), fault: soft }],
    });
    // Another one is served: what failed before that is no evidence any more, on record or under its claim.
    await endStreak(db, "llm");
    expect([await count("a", 4_000), await count("b", 4_000, later(3_000))]).toEqual(["well", "well"]);
    expect([await count("b", 5_000), await count("b", 6_000), await count("a", 6_000)]).toEqual(
      Array(3).fill("failing"),
    );
    expect(await count("c", 6_000)).toBe("opened");
  });

  it("the belief in an outage ends, unless further documents meet it", async () => {
    const { db } = desk();
    await desk().letters("a", "b", "c");
    const mine = await desk().hold("split");
    const count = (id: string, ms: number) => {
      const by = {
        stage: desk().stage("split"),
        subject: mine.task(id).subject,
        startedAt: later(ms),
        firstAt: null,
      };
      const fault = { ...aFault, dependency: "llm" };
      return countOutage(db, { ...failures, fault, certain: false, by, now: later(ms) });
    };
    expect([await count("a", 0), await count("b", 1_000)]).toEqual(["failing", "opened"]);
    // Two documents for 20 s, three for 30 s.
    expect([await count("a", 20_999), await count("c", 21_000), await count("b", 30_999)]).toEqual(
      Array(3).fill("open"),
    );
    expect([await count("b", 31_001), await count("a", 31_002), await count("c", 33_000)]).toEqual([
      "disbelieved",
      "well",
      "well",
    ]);
    expect(await readDependencies(db)).toMatchObject([{ name: "llm", open: false }]);
    // A refused connection starts the belief anew.
    const certainly = (ms: number) =>
      countOutage(db, { ...failures, now: later(ms), by: { ...failures.by, startedAt: later(ms) } });
    expect([await certainly(40_000), await certainly(41_000)]).toEqual(["failing", "opened"]);
    expect([await certainly(900_000), await count("a", 909_000), await count("a", 911_000)]).toEqual([
      "open",
      "open",
      "disbelieved",
    ]);
  });

  it("nobody is charged with a failure of a dependency that is known to be down by now", async () => {
    await desk().letters("a");
    const mine = await desk().hold("split");
    await countOutage(desk().db, { ...failures, failuresMax: 1, now });
    expect(await mine.unfinished(charge(mine, "a"))).toMatchObject({
      kind: "down",
      outages: [{ name: "llm", open: true }],
    });
    expect(await desk().rows(sql`select attempts from headway.task where attempts > 0`)).toEqual([]);
    expect(await desk().rows(sql`select 1 from headway.claim`)).toHaveLength(1);
  });
}
