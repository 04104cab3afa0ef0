import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { startEngine } from "../../engine/src/engine.ts";
import { openOperator } from "../../engine/src/operate.ts";
import type { Database } from "../../engine/src/store/database.ts";
import {
  boxes,
  bundles,
  letters,
  makeLetters,
  moodyPost,
  openOffice,
  stamped,
} from "../support/post-office.ts";
import { emptyDatabase, hashDatabase } from "../support/whole-database.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
const schema = `operate_${randomUUID().slice(0, 8)}`;
let database: Database;
beforeAll(async () => {
  database = await openPostgres({ url, schema });
});
afterAll(async () => {
  await database.script(`drop schema if exists "${schema}" cascade`);
  await database.close();
});

const someBad = (count: number) => Array.from({ length: count }, (_, index) => `bad ${index}`);

describe("operating on a PostgreSQL server", () => {
  it("24: two people who requeue at once move each dead letter once", async () => {
    const { engine, operator, bring, clock, post } = await openOffice(database);
    await bring("box", someBad(40));
    await engine.drain();
    const other = await openOperator({ database, clock, actor: "bob" });
    const [a, b] = await Promise.all([operator.requeueDead({}), other.requeueDead({})]);
    expect(a.requeued + b.requeued).toBe(40);
    post.fixed.add("bad");
    await engine.drain();
    expect(await engine.all(stamped)).toHaveLength(40);
    const moved = (await operator.audit()).flatMap((one) => (one.detail as { letters: number[] }).letters);
    expect(moved.sort((x, y) => x - y)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await operator.verify()).toMatchObject({ ok: true });
  });

  it("two people who continue a ramp at once make one step", async () => {
    const { engine, operator, bring, clock, post } = await openOffice(database);
    await bring("box", someBad(9));
    await engine.drain();
    post.fixed.add("bad");
    const { ramp } = await operator.startRamp({});
    await engine.drain();
    const other = await openOperator({ database, clock, actor: "bob" });
    const steps = await Promise.all([operator.continueRamp(ramp), other.continueRamp(ramp)]);
    expect(steps.map((one) => one.move.kind).sort()).toEqual(["go", "wait"]);
    expect(await operator.listDead()).toHaveLength(6);
  });

  it("75: what is claimed beside a pause was claimed before it", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    const lane = engine.worker.lanes.find((one) => one.plan.stage.name === "opening");
    const [claim, { running }] = await Promise.all([lane?.take(), operator.pauseStage("opening")]);
    expect(running).toBe(claim ? 1 : 0);
    await operator.resumeStage("opening");
    if (claim) await lane?.process(claim);
    await engine.drain();
    expect(await engine.all(letters)).toHaveLength(1);
  });

  it("the whole round works: explain, reprocess, cancel, delete, verify; dry runs change nothing", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one", "bad two", "sticky three"]);
    await engine.accept(boxes.document("other", { list: "list-a", letters: ["four"] }), { source: "attic" });
    await engine.drain({ advance: false });
    const before = await hashDatabase(database);
    await operator.requeueDead({}, { dryRun: true });
    await operator.purgeDead({}, { dryRun: true });
    await operator.resetTasks({ stage: "stamping" }, { dryRun: true });
    await operator.reprocess({ stage: "opening" }, { dryRun: true });
    await operator.deleteSource("attic", { dryRun: true });
    await operator.deleteDocument({ collection: "boxes", id: "box" }, { dryRun: true });
    for (const target of ["box-one", "box-bad two", "box-sticky three"]) {
      const { stages } = await operator.explain({ collection: "letters", id: target });
      expect(stages).toHaveLength(2);
    }
    expect((await operator.status()).every((one) => one.balanced)).toBe(true);
    expect(await operator.groupDead()).toHaveLength(1);
    expect(await operator.verify()).toMatchObject({ ok: true });
    expect(await hashDatabase(database)).toBe(before);
    await operator.cancel({ collection: "letters", id: "box-sticky three" });
    await operator.reprocess({ stage: "opening" });
    await operator.purgeDead({ code: "letter.bad" });
    await operator.setPolicy({ stage: "stamping", kind: "transient", change: { attempts: 2 } });
    await engine.drain();
    expect(await operator.verify()).toMatchObject({ ok: true });
    expect(await engine.all(bundles)).toMatchObject([{ size: 4 }]);
    await operator.deleteSource("attic");
    await operator.deleteDocument({ collection: "boxes", id: "box" });
    await operator.reapNow();
    await engine.drain();
    expect(await engine.all(bundles)).toEqual([]);
    expect(await operator.verify({ repair: true })).toMatchObject({ ok: true });
    expect((await operator.status()).map((one) => one.balanced)).toEqual([true, true, true]);
  });

  it("a running engine removes what a person deletes at once, without waiting for its sweep", async () => {
    await emptyDatabase(database);
    const pipelines = [makeLetters()];
    const services = { post: moodyPost() };
    const engine = await startEngine({ pipelines, services, database: { url, schema } });
    try {
      const operator = await openOperator({ database: engine.database, actor: "ann" });
      await engine.accept(boxes.document("box", { list: "list-a", letters: ["one", "two"] }));
      await engine.settled();
      await operator.deleteDocument({ collection: "boxes", id: "box" });
      await engine.settled();
      expect((await operator.status()).map((one) => [one.stage, one.done, one.deleted])).toEqual([
        ["bundling", 0, 0],
        ["opening", 0, 1],
        ["stamping", 0, 2],
      ]);
    } finally {
      await engine.stop();
    }
  });
});
