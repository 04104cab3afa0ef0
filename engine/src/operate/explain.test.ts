import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import { openOperator } from "../operate.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

describe("explaining a document", () => {
  it("names every stage it owes, its groups included, and asking changes nothing", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    const before = await hashDatabase(database);
    const explained = await operator.explain({ collection: "letters", id: "box-one" });
    expect(explained.sentence).toBe("Everything is done.");
    expect(explained.stages.map((one) => [one.stage, one.group, one.status])).toEqual([
      ["stamping", null, "completed"],
      ["bundling", "list-a", "completed"],
    ]);
    const byNumber = await operator.explain({ subject: explained.subject });
    expect(byNumber).toEqual(explained);
    const group = await operator.explain({ stage: "bundling", key: "list-a" });
    expect(group).toMatchObject({ collection: null, id: "list-a", stages: [{ status: "completed" }] });
    expect(await hashDatabase(database)).toBe(before);
  });

  it("says in one sentence that there is no such document", async () => {
    const { operator } = await openOffice(database);
    await expect(operator.explain({ collection: "letters", id: "nope" })).rejects.toThrow(
      'There is no document "nope" in collection "letters": it was never accepted, or it was deleted',
    );
  });

  it("shows a backoff with the fault, the attempts of the policy in force, and the time", async () => {
    const { engine, bring, clock, pipeline } = await openOffice(database);
    await bring("box", ["sticky one"]);
    await engine.drain({ advance: false });
    const operator = await openOperator({ database, clock, actor: "ann", pipelines: [pipeline] });
    const [stamping] = (await operator.explain({ collection: "letters", id: "box-sticky one" })).stages;
    expect(stamping).toMatchObject({
      status: "failed",
      attemptCount: 1,
      limit: 3,
      because: "backoff",
      fault: { code: "letter.sticky" },
      next: { at: new Date(clock.now().getTime() + 1_000) },
      lastAttemptTime: clock.now(),
    });
    await operator.setPolicy({ stage: "stamping", kind: "transient", change: { attempts: 9 } });
    expect((await operator.explain({ collection: "letters", id: "box-sticky one" })).stages[0]?.limit).toBe(
      9,
    );
  });

  it("shows what a group waits for by name", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["sticky one", "sticky two", "fine"]);
    await engine.drain({ advance: false });
    const { stages } = await operator.explain({ stage: "bundling", key: "list-a" });
    expect(stages[0]).toMatchObject({
      because: "members",
      members: { total: 3, pending: 2, dead: 0, first: ["box-sticky one", "box-sticky two"] },
    });
  });

  it("shows a dependency that is down, also for what was never tried, without counting an attempt", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["down 1", "down 2", "down 3", "down 4", "down 5"]);
    await engine.step();
    await engine.step();
    clock.advance(1_000);
    await engine.drain({ advance: false });
    await bring("late", ["fine"]);
    await engine.drain({ advance: false });
    const [stamping] = (await operator.explain({ collection: "letters", id: "late-fine" })).stages;
    expect(stamping).toMatchObject({ because: "dependency", attemptCount: 0, next: { waitsFor: "post" } });
    const line = (await operator.status()).find((one) => one.stage === "stamping");
    expect(line).toMatchObject({ shut: "post", balanced: true });
    expect(line?.held).toBeGreaterThan(0);
  });

  it("says who holds it, and that nobody has code for its stage when the last worker has left", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    const lane = engine.worker.lanes.find((one) => one.plan.stage.name === "opening");
    await lane?.take();
    const [opening] = (await operator.explain({ collection: "boxes", id: "box" })).stages;
    expect(opening).toMatchObject({
      because: "running",
      attemptCount: 1,
      heldBy: { name: expect.stringMatching(/^test on /) },
    });
    expect(await operator.workers()).toMatchObject([
      { name: "test", holds: [{ stage: "opening", tasks: 1 }] },
    ]);
    await engine.worker.leave();
    const [left] = (await operator.explain({ collection: "boxes", id: "box" })).stages;
    expect(left).toMatchObject({ because: "no worker", attemptCount: 0 });
    expect(await operator.workers()).toEqual([]);
  });

  it("says why a result is stale after new code has come", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    await openOffice(database, { version: "2", keep: true, clock });
    const { stages, sentence } = await operator.explain({ collection: "letters", id: "box-one" });
    expect(stages[0]).toMatchObject({ because: "stale", stale: ["version"], status: "completed" });
    expect(sentence).toContain("stamping is stale");
  });
});
