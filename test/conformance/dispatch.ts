import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type BrokerOption, permanent, pipeline, type Signal, stage } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { expectAllSettled } from "../support/content.ts";
import type { OwnSchema } from "../support/own-schema.ts";
import { until } from "../support/waiting.ts";

/** Poll intervals longer than a test, so only a notification can wake a worker. */
const deaf = { pollMs: 60_000, controlsMs: 60_000, relayMs: 50 } as const;

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  announces: { done: "NoteCopied", failed: "CopyingFailed" },
  async *run(note) {
    if (note.text === "torn") throw permanent("note.torn", "The note is torn.");
    await pause(1);
    yield copies.document(note.id, { text: note.text });
  },
});
const reporting = stage("reporting", {
  reads: copies,
  writes: [reports],
  *run(copy) {
    yield reports.document(copy.id, { text: copy.text });
  },
});
const office = pipeline("office", { stages: [copying, reporting] });

/** The contract of `Dispatch`, the same for each transport. */
export function describeDispatch(postgres: OwnSchema, broker: () => BrokerOption | null): void {
  const start = (schema: string, options: { stages?: readonly string[]; work?: boolean } = {}) => {
    const heard: Signal[] = [];
    const carried = broker();
    const starting = postgres.start({
      schema,
      pipelines: [office],
      services: {},
      config: deaf,
      onSignal: (signal) => void heard.push(signal),
      ...options,
      ...(carried && { broker: carried }),
    });
    return starting.then((engine) => ({ engine, heard }));
  };
  const doneBy = (heard: readonly Signal[], name: string) =>
    heard.filter((one) => one.kind === "task.done" && one.stage === name).length;

  describe("news of work", () => {
    it("begins in another process without anybody looking for it", async () => {
      const schema = postgres.fresh();
      const worker = await start(schema);
      const clerk = await start(schema, { work: false });
      await clerk.engine.accept(manyNotes(3));
      await until(
        () => doneBy(worker.heard, "reporting"),
        (done) => done === 3,
      );
      expect(doneBy(clerk.heard, "copying")).toBe(0);
      await Promise.all([worker.engine.stop(), clerk.engine.stop()]);
    });

    it("goes on from one process to the next, each with its own stages", async () => {
      const schema = postgres.fresh();
      const first = await start(schema, { stages: ["copying"] });
      const second = await start(schema, { stages: ["reporting"] });
      await first.engine.accept(manyNotes(40));
      await first.engine.settled();
      expect([doneBy(first.heard, "copying"), doneBy(first.heard, "reporting")]).toEqual([40, 0]);
      expect([doneBy(second.heard, "copying"), doneBy(second.heard, "reporting")]).toEqual([0, 40]);
      await expectAllSettled(first.engine.database);
      await Promise.all([first.engine.stop(), second.engine.stop()]);
    });

    it("reaches a process that comes later", async () => {
      const schema = postgres.fresh();
      const clerk = await start(schema, { work: false });
      await clerk.engine.accept(manyNotes(5));
      const worker = await start(schema);
      await clerk.engine.settled();
      expect(doneBy(worker.heard, "reporting")).toBe(5);
      await Promise.all([worker.engine.stop(), clerk.engine.stop()]);
    });

    it("is shared: with plenty to do no worker stands idle, and each document is done once", async () => {
      const schema = postgres.fresh();
      const workers = await Promise.all([start(schema), start(schema), start(schema)]);
      await workers[0]?.engine.accept(manyNotes(1_500));
      await workers[0]?.engine.settled();
      const shares = workers.map(({ heard }) => doneBy(heard, "copying"));
      expect(shares.reduce((sum, one) => sum + one, 0)).toBe(1_500);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      await Promise.all(workers.map(({ engine }) => engine.stop()));
    });

    it("leaves alone what nobody here can do, until somebody comes who can", async () => {
      const schema = postgres.fresh();
      const first = await start(schema, { stages: ["copying"] });
      await first.engine.accept(manyNotes(4));
      await until(
        () => doneBy(first.heard, "copying"),
        (done) => done === 4,
      );
      const [open] = await first.engine.database.query<{ tasks: number; attempts: number }>(sql`
        select count(*)::int as tasks, sum(attempts)::int as attempts from headway.task`);
      expect(open).toEqual({ tasks: 4, attempts: 0 });
      const second = await start(schema, { stages: ["reporting"] });
      await second.engine.settled();
      await Promise.all([first.engine.stop(), second.engine.stop()]);
    });
  });

  it("what an operator changes is heard by every process", async () => {
    const schema = postgres.fresh();
    const workers = await Promise.all([start(schema), start(schema)]);
    const first = workers[0] as (typeof workers)[number];
    const operator = await openOperator({ database: first.engine.database, actor: "test" });
    await operator.pauseStage("copying", "test");
    await first.engine.accept(manyNotes(4));
    await operator.resumeStage("copying");
    await first.engine.settled();
    await Promise.all(workers.map(({ engine }) => engine.stop()));
  });

  it("events are handed on once, all of them, in the order of each document", async () => {
    const schema = postgres.fresh();
    const { engine } = await start(schema);
    await engine.accept([...manyNotes(20), notes.document("torn", { text: "torn" })]);
    await engine.settled();
    const waiting = async () => {
      const [row] = await engine.database.query<{ count: number }>(sql`
        select count(*)::int as count from headway.outbox where relayed_at is null`);
      return row?.count;
    };
    await until(waiting, (count) => count === 0);
    const rows = await engine.database.query<{ type: string; count: number }>(sql`
      select type, count(*)::int as count from headway.outbox group by type order by type`);
    expect(rows).toEqual([
      { type: "CopyingFailed", count: 1 },
      { type: "NoteCopied", count: 20 },
    ]);
    await engine.stop();
  });

  it("a worker that stops in the middle loses no news", async () => {
    const schema = postgres.fresh();
    const first = await start(schema);
    const second = await start(schema);
    await first.engine.accept(manyNotes(1_500));
    await until(
      () => doneBy(first.heard, "copying"),
      (done) => done > 0,
    );
    await first.engine.stop();
    await second.engine.settled();
    await expectAllSettled(second.engine.database);
    expect(doneBy(first.heard, "reporting") + doneBy(second.heard, "reporting")).toBe(1_500);
    await second.engine.stop();
  });
}
