import { describe, expect, it } from "vitest";
import { classify } from "../../engine/src/decide/classify.ts";
import {
  batchStage,
  notFoundYet,
  permanent,
  pipeline,
  type RetrySpec,
  rateLimited,
  stage,
  transient,
} from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import type { TestEngine } from "../../engine/src/testing.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, doneTasks, openTasks } from "../support/content.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();

/** A stage that fails until its `fails`-th run is over, and the moments at which it ran. */
async function openFailing(given: {
  readonly fails: number;
  readonly retry?: RetrySpec;
  readonly thrown?: () => unknown;
}): Promise<{ engine: TestEngine; runs: Date[]; delaysMs(): number[] }> {
  const { fails, retry = {}, thrown = () => transient("copier.jammed", "The copier is jammed.") } = given;
  const runs: Date[] = [];
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    announces: { done: "Copied", failed: "CopyingFailed" },
    retry,
    *run(note) {
      runs.push(engine.clock.now());
      if (runs.length <= fails) throw thrown();
      yield copies.document(note.id, { text: note.text });
    },
  });
  const engine = await engines.open({
    pipelines: [pipeline("retries", { stages: [copying] })],
    services: {},
  });
  await engine.accept(notes.document("a", { text: "hello" }));
  return {
    engine,
    runs,
    delaysMs: () => runs.slice(1).map((run, index) => run.getTime() - (runs[index] as Date).getTime()),
  };
}

/** The quick attempts only. */
const noTail = { unknown: { attempts: 1 } } as const;
const everySecond = { attempts: 20, initial: "1s", max: "1s", multiplier: 1, jitter: "none" } as const;

describe("retries and backoff", () => {
  it("1: a stage that failed is run again, and its attempts can be seen", async () => {
    const { engine } = await openFailing({ fails: 2 });
    await engine.drain({ advance: false });
    expect(await openTasks(engine.database)).toMatchObject([
      { id: "a", attempts: 1, reason: "backoff", fault: { kind: "transient", code: "copier.jammed" } },
    ]);
    await engine.drain();
    expect(await engine.read(copies, "a")).toMatchObject({ text: "hello" });
    expect(await doneTasks(engine.database)).toEqual([{ id: "a", stage: "copying", attempts: 3 }]);
    expect(engine.signals.map((signal) => signal.kind).filter((kind) => kind.startsWith("task."))).toEqual([
      "task.retried",
      "task.retried",
      "task.done",
    ]);
  });

  it("2: with a fixed delay the next attempt comes after it and not before", async () => {
    const { engine, runs, delaysMs } = await openFailing({ fails: 3, retry: { transient: everySecond } });
    await engine.drain({ advance: false });
    engine.clock.advance(999);
    await engine.drain({ advance: false });
    expect(runs).toHaveLength(1);
    engine.clock.advance(1);
    await engine.drain();
    expect(delaysMs()).toEqual([1_000, 1_000, 1_000]);
  });

  it("3: with exponential backoff the delays grow", async () => {
    const grow = { attempts: 6, initial: "5s", max: "60s", multiplier: 2, jitter: "none" } as const;
    const { engine, delaysMs } = await openFailing({ fails: 9, retry: { transient: grow, ...noTail } });
    await engine.drain();
    expect(delaysMs()).toEqual([5_000, 10_000, 20_000, 40_000, 60_000]);
  });

  it("4: however often it fails, no delay is longer than the policy's longest", async () => {
    const capped = { attempts: 30, initial: "1s", max: "8s", multiplier: 10 } as const;
    const { engine, delaysMs } = await openFailing({ fails: 99, retry: { transient: capped, ...noTail } });
    await engine.drain();
    expect(delaysMs()).toHaveLength(29);
    expect(Math.max(...delaysMs())).toBe(8_000);
  });

  it("5: a policy without any delay does not make a hot loop", async () => {
    const eager = { attempts: 4, initial: "0s", max: "0s" } as const;
    const { engine, runs, delaysMs } = await openFailing({ fails: 99, retry: { transient: eager } });
    await engine.drain({ advance: false });
    expect(runs).toHaveLength(1);
    await engine.drain();
    expect(delaysMs().every((ms) => ms > 0)).toBe(true);
  });

  it("5: without a word about delays the waiting is a second and more, then minutes", async () => {
    const { engine, delaysMs } = await openFailing({ fails: 99 });
    await engine.drain();
    expect(delaysMs().map((ms) => ms / 1_000)).toEqual([1, 2, 4, 8, 300, 600, 1_200, 2_400, 3_600]);
  });

  it("7: a task is tried exactly as often as its policy says", async () => {
    for (const attempts of [1, 2, 7]) {
      const { engine, runs } = await openFailing({ fails: 99, retry: { attempts } });
      await engine.drain();
      await engine.sweep();
      await engine.drain();
      // As many quick attempts, and the slow tail behind the last of them.
      const allowed = 2 * attempts - 1;
      expect(runs).toHaveLength(allowed);
      expect(await deadLetters(engine.database)).toMatchObject([{ reason: "exhausted", attempts: allowed }]);
      await engine.database.query(sql`delete from headway.document`);
      await engine.database.query(sql`delete from headway.dead_letter`);
    }
  });

  it("8: full jitter stays between nothing and the cap, and is not always the same", async () => {
    const jittered = { attempts: 40, initial: "4s", max: "16s", multiplier: 2, jitter: "full" } as const;
    const { engine, delaysMs } = await openFailing({ fails: 99, retry: { transient: jittered, ...noTail } });
    await engine.drain();
    const caps = delaysMs().map((_, index) => Math.min(16_000, 4_000 * 2 ** index));
    expect(delaysMs().every((ms, index) => ms > 0 && ms <= (caps[index] as number))).toBe(true);
    expect(new Set(delaysMs()).size).toBeGreaterThan(20);
  });

  it("9: a stage's own word that trying again is useless ends the retries", async () => {
    let runs = 0;
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      classify: (thrown) =>
        String(thrown).includes("paper") ? { kind: "permanent", code: "paper.gone" } : undefined,
      // biome-ignore lint/correctness/useYield: it fails before it can.
      *run() {
        runs += 1;
        throw new Error("There is no paper left in the world.");
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {} });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    expect(runs).toBe(1);
    expect(await deadLetters(engine.database)).toMatchObject([{ reason: "permanent", code: "paper.gone" }]);
  });

  it("10: what was thrown decides whether and when a task is tried again", async () => {
    const httpError = (status: number) => Object.assign(new Error(`HTTP ${status}`), { status });
    const connection = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    for (const [thrown, dies] of [
      [httpError(503), false],
      [httpError(429), false],
      [connection, false],
      [httpError(404), true],
      [httpError(401), true],
    ] as const) {
      const { engine } = await openFailing({ fails: 1, thrown: () => thrown });
      await engine.drain();
      expect([String(thrown), (await deadLetters(engine.database)).length]).toEqual([
        String(thrown),
        dies ? 1 : 0,
      ]);
      await engine.database.query(sql`delete from headway.document`);
      await engine.database.query(sql`delete from headway.done`);
      await engine.database.query(sql`delete from headway.dead_letter`);
    }
  });

  it("10: a delay that the other side asked for is honoured", async () => {
    const thrown = () => rateLimited("api.busy", "Slow down.", 90_000);
    const { engine, delaysMs } = await openFailing({ fails: 2, thrown });
    await engine.drain();
    expect(delaysMs().every((ms) => ms >= 90_000)).toBe(true);
  });

  it("11: when the tries are used up that is told once, however often anybody looks again", async () => {
    const { engine, runs } = await openFailing({ fails: 99, retry: { attempts: 3, ...noTail } });
    await engine.drain();
    for (let round = 0; round < 3; round++) {
      await engine.sweep();
      engine.clock.advance(86_400_000);
      await engine.drain();
    }
    expect(runs).toHaveLength(3);
    expect(engine.signals.filter(({ kind }) => kind === "task.died")).toHaveLength(1);
    expect(engine.events.map((event) => event.type)).toEqual(["CopyingFailed"]);
  });

  it("12: a pipeline resumes at the stage that failed, not at its beginning", async () => {
    const ran: string[] = [];
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      *run(note) {
        ran.push("copying");
        yield copies.document(note.id, { text: note.text });
      },
    });
    const reporting = stage("reporting", {
      reads: copies,
      writes: [reports],
      *run(copy, { attempt }) {
        ran.push(`reporting ${attempt}`);
        if (attempt < 3) throw transient("reporter.late", "The reporter is late.");
        yield reports.document(copy.id, { text: copy.text });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [copying, reporting] })],
      services: {},
    });
    await engine.accept(notes.document("a", { text: "news" }));
    await engine.drain();
    expect(ran).toEqual(["copying", "reporting 1", "reporting 2", "reporting 3"]);
    expect(await engine.read(reports, "a")).not.toBeNull();
  });

  it("13: after the last attempt a task is dead, with its input, its history and its reason", async () => {
    const { engine } = await openFailing({ fails: 99, retry: { attempts: 3, ...noTail } });
    await engine.drain();
    expect(await openTasks(engine.database)).toEqual([]);
    const [letter] = await engine.database.query<object>(sql`
      select reason, kind, code, attempts, input, request is not null as traced from headway.dead_letter`);
    expect(letter).toEqual({
      reason: "exhausted",
      kind: "transient",
      code: "copier.jammed",
      attempts: 3,
      input: { text: "hello" },
      traced: true,
    });
    const faults = await engine.database.query<{ attempt: number; correlation_id: string }>(
      sql`select attempt, correlation_id from headway.fault order by id`,
    );
    expect(faults.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(faults.map((one) => one.correlation_id.replace(/^req_[0-9a-f-]{36}/, "req"))).toEqual(
      [0, 1, 2].map((retry) => `req.stage_copying.retry_${retry}`),
    );
  });

  it("14: waiting for a document that is not there yet uses up no attempt", async () => {
    let there = false;
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      retry: { attempts: 2 },
      *run(note) {
        if (!there) throw notFoundYet("parent.missing", "The parent is not there yet.");
        yield copies.document(note.id, { text: note.text });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {} });
    await engine.accept(notes.document("a", { text: "" }));
    for (let round = 0; round < 5; round++) {
      await engine.drain({ advance: false });
      engine.clock.advance(10_000);
    }
    expect(await openTasks(engine.database)).toMatchObject([{ attempts: 0, waits: 5 }]);
    there = true;
    await engine.drain();
    expect(await engine.read(copies, "a")).not.toBeNull();
  });

  it("15: a policy that makes no sense is not obeyed: the code's own holds, and somebody is told", async () => {
    const { engine, runs } = await openFailing({ fails: 99, retry: { attempts: 2, ...noTail } });
    await engine.database.query(sql`
      insert into headway.retry_policy
        (stage, kind, attempts_max, initial_ms, max_ms, multiplier, jitter, ttl_ms, changed_at, changed_by)
      values ('copying', 'transient', -7, 'NaN', 0, 0, 'sometimes', null, ${engine.clock.now()}, 'a slip')`);
    await engine.drain();
    expect(runs).toHaveLength(2);
    const told = engine.signals.filter(({ kind }) => kind === "policy.refused");
    expect(told).toMatchObject([{ stage: "copying", faultKind: "transient" }]);
  });

  it("16: waits are counted apart from failures and have a limit of their own", async () => {
    const thrown = [
      transient("copier.jammed", "Jammed."),
      notFoundYet("parent.missing", "Not yet."),
      notFoundYet("parent.missing", "Not yet."),
      transient("copier.jammed", "Jammed."),
    ];
    const { engine, runs } = await openFailing({
      fails: 4,
      retry: { attempts: 3 },
      thrown: () => thrown[runs.length - 1],
    });
    await engine.drain();
    expect(await doneTasks(engine.database)).toMatchObject([{ attempts: 5 }]);

    const endless = await openFailing({
      fails: 99,
      retry: { "not-found-yet": { attempts: 4 } },
      thrown: () => notFoundYet("parent.missing", "Never."),
    });
    await endless.engine.accept(notes.document("b", { text: "" }));
    await endless.engine.drain();
    expect(await deadLetters(endless.engine.database)).toMatchObject([
      { id: "b", reason: "exhausted", attempts: 0, waits: 4 },
    ]);
  });

  it("17: what nobody knows is retried within bounds and counted as unknown, never silently for ever", async () => {
    const { engine, runs, delaysMs } = await openFailing({
      fails: 99,
      thrown: () => new Error("What was that?"),
    });
    await engine.drain();
    expect(runs).toHaveLength(6);
    expect(delaysMs().map((ms) => ms / 60_000)).toEqual([5, 10, 20, 40, 60]);
    expect(await deadLetters(engine.database)).toMatchObject([{ kind: "unknown", reason: "exhausted" }]);
  });

  it("18: of a batch that fails only the culprits are tried again", async () => {
    const ran = new Map<string, number>();
    const copying = batchStage("copying", {
      reads: notes,
      writes: [copies],
      batch: 16,
      retry: { attempts: 2, ...noTail },
      *run(batch) {
        const bad = batch.find((note) => note.text === "bad");
        if (bad) throw transient("note.bad", `The note ${bad.id} is bad.`);
        for (const note of batch) {
          ran.set(note.id, (ran.get(note.id) ?? 0) + 1);
          yield [note, copies.document(note.id, { text: note.text })] as const;
        }
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {} });
    await engine.accept(manyNotes(16, (index) => (index === 3 || index === 12 ? "bad" : "good")));
    await engine.drain();
    expect((await deadLetters(engine.database)).map((one) => one.id)).toEqual(["note-00003", "note-00012"]);
    expect([...ran.values()]).toEqual(Array.from({ length: 14 }, () => 1));
    expect(engine.signals.filter(({ kind }) => kind === "task.retried")).toHaveLength(2);
  });

  it("20: a failure with a circular payload is recorded like any other", async () => {
    const circular: Record<string, unknown> = { name: "ring" };
    circular.self = circular;
    const error = Object.assign(new Error("round and round"), { payload: circular, cause: circular });
    const { engine } = await openFailing({ fails: 1, thrown: () => error });
    await engine.drain();
    expect(await doneTasks(engine.database)).toMatchObject([{ attempts: 2 }]);
    expect(classify(error).message).toContain("round and round");
  });

  it("25: a permanent fault goes straight to the dead letters", async () => {
    const { engine, runs } = await openFailing({
      fails: 99,
      retry: { attempts: 9 },
      thrown: () => permanent("pdf.encrypted", "It is encrypted."),
    });
    await engine.drain();
    expect(runs).toHaveLength(1);
    expect(await deadLetters(engine.database)).toMatchObject([{ reason: "permanent", attempts: 1 }]);
  });

  it("26: an input that a batch forgets is a failure of that input and of no other", async () => {
    const copying = batchStage("copying", {
      reads: notes,
      writes: [copies],
      batch: 8,
      *run(batch) {
        for (const note of batch) {
          if (note.text === "empty") yield [note] as const;
          else if (note.text !== "forgotten")
            yield [note, copies.document(note.id, { text: note.text })] as const;
        }
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {} });
    await engine.accept(manyNotes(4, (index) => ["fine", "forgotten", "empty", "fine"][index] as string));
    await engine.drain();
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "note-00001", code: "batch.forgotten" }]);
    expect((await engine.all(copies)).map((one) => one.id)).toEqual(["note-00000", "note-00003"]);
    expect((await doneTasks(engine.database)).map((one) => one.id)).toContain("note-00002");
  });
});
