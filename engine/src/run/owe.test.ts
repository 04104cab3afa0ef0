import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { emptyDatabase, hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import { collection } from "../define/collection.ts";
import { pipeline } from "../define/pipeline.ts";
import { groupStage, stage } from "../define/stage.ts";
import { openOperator } from "../operate.ts";
import type { Database } from "../store/database.ts";
import { countOpenTasks } from "../store/status.ts";
import { openTestEngine, virtualClock } from "../testing.ts";

const notes = collection("notes", z.object({ topic: z.string() }));
const copies = collection("copies", z.object({ topic: z.string() }));
const sums = collection("sums", z.object({ size: z.number() }));

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  *run({ id, topic }) {
    yield copies.document(id, { topic });
  },
});
const reading = stage("reading", { reads: notes, writes: [], *run() {} });
const summing = groupStage("summing", {
  reads: notes,
  writes: [sums],
  per: ({ topic }) => topic,
  *run({ key, documents }) {
    yield sums.document(key, { size: documents.length });
  },
});
const before = pipeline("notes", { stages: [copying] });
const after = pipeline("notes", { stages: [copying, reading, summing] });
const many = 2_300;

describe("a stage that is added to documents which are there", () => {
  const clock = virtualClock();
  let database: Database;
  beforeAll(async () => {
    database = await openPglite({ folder: null, inline: true });
  });
  beforeEach(async () => {
    await emptyDatabase(database).catch(() => undefined);
    const engine = await openTestEngine({ pipelines: [before], services: {}, database, clock });
    const all = Array.from({ length: many }, (_, n) => notes.document(String(n), { topic: String(n % 7) }));
    await engine.accept(all);
    await engine.drain();
  });
  afterAll(() => database.close());

  const open = () => openTestEngine({ pipelines: [after], services: {}, database, clock });
  const standing = async () => {
    const operator = await openOperator({ database, clock, actor: "ann", pipelines: [after] });
    expect(await operator.verify()).toMatchObject({ ok: true });
    const lines = await operator.status();
    expect(lines.filter((one) => !one.balanced)).toEqual([]);
    return Object.fromEntries(lines.map((one) => [one.stage, [one.owing, one.waiting, one.done]]));
  };

  it("is owed to all of them from its start on, and the ledger balances at every moment", async () => {
    const engine = await open();
    expect(await standing()).toEqual({
      copying: [0, 0, many],
      reading: [many, many, 0],
      summing: [many, many, 0],
    });
    expect(await countOpenTasks(database)).toBeGreaterThan(0);
    await engine.worker.owe();
    expect(await standing()).toMatchObject({ reading: [0, many, 0], summing: [0, 7, 0] });
    await engine.drain();
    expect(await standing()).toMatchObject({ reading: [0, 0, many], summing: [0, 0, 7] });
    expect((await engine.all(sums)).reduce((sum, { size }) => sum + size, 0)).toBe(many);
    expect(await countOpenTasks(database)).toBe(0);
  });

  it("goes on where it was interrupted, and who asks in between finds the books in order", async () => {
    const first = await open();
    let left = 2;
    const { transaction } = database;
    Object.assign(database, {
      transaction: (act: Parameters<Database["transaction"]>[0]) => {
        if (left-- === 0) throw new Error("the process was killed");
        return transaction(act);
      },
    });
    await expect(first.worker.owe()).rejects.toThrow("killed");
    Object.assign(database, { transaction });
    expect(await standing()).toMatchObject({ reading: [many - 2_000, many, 0] });
    const second = await open();
    await second.drain();
    expect(await standing()).toMatchObject({ reading: [0, 0, many], summing: [0, 0, 7] });
  });

  it("two that owe at once owe each document once", async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all([one.worker.owe(), other.worker.owe()]);
    expect(await standing()).toMatchObject({ reading: [0, many, 0], summing: [0, 7, 0] });
    await one.drain();
    expect(await standing()).toMatchObject({ reading: [0, 0, many], summing: [0, 0, 7] });
  });

  it("is owed nothing because somebody looks", async () => {
    await open();
    const whole = await hashDatabase(database);
    await standing();
    expect(await hashDatabase(database)).toBe(whole);
  });
});
