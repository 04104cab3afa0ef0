import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundles, letters, makeLetters, openOffice, stamped } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import { openOperator } from "../operate.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

describe("pausing a stage", () => {
  it("74 76: nothing of it is done until it is resumed, nor what depends on it; the rest goes on", async () => {
    const { engine, operator, bring } = await openOffice(database);
    expect(await operator.pauseStage("stamping", "a bad ribbon")).toEqual({ changed: true, running: 0 });
    expect(await operator.pauseStage("stamping")).toMatchObject({ changed: false });
    await bring("box", ["one"]);
    await engine.drain({ advance: false });
    expect(await engine.all(letters)).toHaveLength(1);
    expect(await engine.all(stamped)).toEqual([]);
    expect(await engine.all(bundles)).toEqual([]);
    const line = (await operator.status()).find((one) => one.stage === "stamping");
    expect(line).toMatchObject({
      shut: "paused",
      held: 1,
      waiting: 1,
      paused: { by: "ann", reason: "a bad ribbon" },
    });
    expect(await operator.resumeStage("stamping", "new ribbon")).toEqual({ changed: true });
    await engine.drain();
    expect(await engine.all(bundles)).toHaveLength(1);
    expect((await operator.audit()).map((one) => [one.act, one.why])).toEqual([
      ["stage.resume", "new ribbon"],
      ["stage.pause", "a bad ribbon"],
    ]);
  });

  it("75: a pause says how much is still being worked on, and nothing is claimed after it", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    const lane = engine.worker.lanes.find((one) => one.plan.stage.name === "opening");
    const claim = await lane?.take();
    await bring("other", ["two"]);
    expect(await operator.pauseStage("opening")).toEqual({ changed: true, running: 1 });
    expect(await lane?.take()).toBeNull();
    if (claim) await lane?.process(claim);
    expect((await engine.all(letters)).map((one) => one.id)).toEqual(["box-one"]);
    expect(await operator.pauseStage("opening")).toEqual({ changed: false, running: 0 });
  });

  it("77: a pause survives a restart", async () => {
    const { operator, clock, bring } = await openOffice(database);
    await operator.pauseStage("opening");
    await bring("box", ["one"]);
    const { engine } = await openOffice(database, { keep: true, clock });
    await engine.drain({ advance: false });
    expect(await engine.all(letters)).toEqual([]);
  });
});

describe("trying again", () => {
  it("takes what waits and what is dead now, or at a set time", async () => {
    const { engine, operator, bring, clock, post } = await openOffice(database);
    await bring("box", ["bad one", "sticky two"]);
    await engine.drain({ advance: false });
    post.fixed.add("bad").add("sticky");
    const sticky = { collection: "letters", id: "box-sticky two" };
    const at = new Date(clock.now().getTime() + 3_600_000);
    expect(await operator.retryNow(sticky, { stage: "stamping", at })).toEqual({
      stages: ["stamping"],
      busy: [],
    });
    expect((await operator.explain(sticky)).stages[0]).toMatchObject({ because: "scheduled", next: { at } });
    expect(await operator.retryNow({ collection: "letters", id: "box-bad one" })).toEqual({
      stages: ["stamping"],
      busy: [],
    });
    await engine.drain({ advance: false });
    expect((await engine.all(stamped)).map((one) => one.id)).toEqual(["box-bad one"]);
    await operator.retryNow(sticky);
    await engine.drain({ advance: false });
    expect(await engine.all(stamped)).toHaveLength(2);
  });

  it("leaves what a worker holds alone", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    const lane = engine.worker.lanes.find((one) => one.plan.stage.name === "opening");
    const claim = await lane?.take();
    const before = await hashDatabase(database);
    expect(await operator.retryNow({ collection: "boxes", id: "box" })).toEqual({
      stages: [],
      busy: ["opening"],
    });
    expect(await hashDatabase(database)).toBe(before);
    if (claim) await lane?.process(claim);
    expect(await engine.all(letters)).toHaveLength(1);
  });
});

describe("freeing a worker", () => {
  it("48: gives back what that worker holds and nothing else; its late result is refused", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    const other = await openOffice(database, { keep: true, clock });
    const laneOf = ({ worker }: typeof engine) =>
      worker.lanes.find((one) => one.plan.stage.name === "opening") as (typeof worker.lanes)[number];
    await bring("mine", ["one"]);
    const mine = await laneOf(engine).take();
    await bring("theirs", ["two"]);
    const theirs = await laneOf(other.engine).take();
    expect(await operator.freeWorker(engine.worker.membership.number(), "it hangs")).toEqual({ freed: 1 });
    expect(await operator.freeWorker(engine.worker.membership.number())).toBeNull();
    if (mine) await laneOf(engine).process(mine);
    expect(await engine.all(letters)).toEqual([]);
    if (theirs) await laneOf(other.engine).process(theirs);
    expect((await engine.all(letters)).map((one) => one.id)).toEqual(["theirs-two"]);
    const [opening] = (await operator.explain({ collection: "boxes", id: "mine" })).stages;
    expect(opening).toMatchObject({ because: "due", attemptCount: 0 });
    await other.engine.drain();
    expect(await engine.all(letters)).toHaveLength(2);
  });
});

describe("cancelling", () => {
  it("81: ends what a document owes, and what an attempt under way yields is refused", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    const lane = engine.worker.lanes.find((one) => one.plan.stage.name === "opening");
    const claim = await lane?.take();
    expect(await operator.cancel({ collection: "boxes", id: "box" }, { why: "wrong box" })).toEqual({
      stages: ["opening"],
    });
    expect(await operator.verify()).toMatchObject({ ok: true });
    if (claim) await lane?.process(claim);
    await engine.drain();
    expect(await engine.all(letters)).toEqual([]);
    const [dead] = await operator.listDead();
    expect(dead).toMatchObject({
      reason: "cancelled",
      code: "task.cancelled",
      message: "Cancelled by ann: wrong box.",
    });
    expect(await operator.inspectDead(dead?.id as number)).toMatchObject({ input: { letters: ["one"] } });
    expect(await operator.verify()).toMatchObject({ ok: true });
    await operator.requeueDead({});
    await engine.drain();
    expect(await engine.all(bundles)).toHaveLength(1);
  });
});

describe("reprocessing", () => {
  it("really works on done documents again, and a dry run says how many and changes nothing", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await engine.drain();
    const before = await hashDatabase(database);
    const plan = await operator.reprocess({ stage: "opening" }, { dryRun: true });
    expect(plan).toMatchObject({ owed: 1, busy: 0, downstream: { stamping: 2, bundling: 1 } });
    expect(await hashDatabase(database)).toBe(before);
    expect(post.seen).toHaveLength(2);
    expect(await operator.reprocess({ stage: "stamping", ids: ["box-two"] })).toMatchObject({ owed: 1 });
    expect(await operator.verify()).toMatchObject({ ok: true });
    await engine.drain();
    expect(post.seen).toEqual(["one", "two", "two"]);
    expect(await operator.reprocess({ stage: "stamping", where: { list: "list-b" } })).toMatchObject({
      owed: 0,
    });
    expect(await operator.reprocess({ stage: "stamping", where: { text: "one" } })).toMatchObject({
      owed: 1,
    });
    expect(await operator.reprocess({ stage: "bundling", where: { text: "one" } })).toMatchObject({
      owed: 1,
    });
    expect(await operator.reprocess({ stage: "stamping", where: { text: "one" } })).toMatchObject({
      owed: 0,
      pending: 1,
    });
    await engine.drain();
    expect(post.seen).toEqual(["one", "two", "two", "one"]);
    expect(await operator.verify()).toMatchObject({ ok: true });
  });

  it("takes only what is stale when asked to, and only what was finished since", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await engine.drain();
    expect(await operator.reprocess({ stage: "stamping", stale: true })).toMatchObject({ owed: 0 });
    clock.advance(1_000);
    const newer = await openOffice(database, { version: "2", keep: true, clock });
    await newer.bring("new", ["three"]);
    await newer.engine.drain();
    expect(
      await operator.reprocess({ stage: "stamping", since: clock.now() }, { dryRun: true }),
    ).toMatchObject({
      owed: 1,
    });
    expect(await operator.reprocess({ stage: "stamping", stale: true })).toMatchObject({ owed: 2 });
    await newer.engine.drain();
    expect((await newer.engine.all(stamped)).map((one) => one.text)).toEqual([
      "one v2",
      "two v2",
      "three v2",
    ]);
    expect(await operator.reprocess({ stage: "stamping", stale: true })).toMatchObject({ owed: 0 });
  });

  it("compares with the caller's own code where that is known, although no worker has run it yet", async () => {
    const { engine, operator, bring, clock, pipeline } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await engine.drain();
    const withCode = (code: typeof pipeline) =>
      openOperator({ database, clock, actor: "ann", pipelines: [code], exact: true });
    const newer = await withCode(makeLetters({ version: "2" }));
    const stale = { stage: "stamping", stale: true } as const;
    expect(await operator.planReprocess(stale)).toMatchObject({ owed: 0 });
    expect(await (await withCode(pipeline)).planReprocess(stale)).toMatchObject({ owed: 0 });
    expect(await newer.planReprocess(stale)).toMatchObject({ owed: 2 });
    expect(await newer.reprocess(stale)).toMatchObject({ owed: 2 });
    const worker = await openOffice(database, { version: "2", keep: true, clock });
    await worker.engine.drain();
    expect((await worker.engine.all(stamped)).map((one) => one.text)).toEqual(["one v2", "two v2"]);
    expect(await newer.planReprocess(stale)).toMatchObject({ owed: 0 });
  });

  it("leaves what a worker holds alone and says so", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    await operator.reprocess({ stage: "stamping" });
    const lane = engine.worker.lanes.find((one) => one.plan.stage.name === "stamping");
    const claim = await lane?.take();
    expect(await operator.reprocess({ stage: "stamping" })).toMatchObject({ owed: 0, pending: 0, busy: 1 });
    if (claim) await lane?.process(claim);
    expect(await operator.verify()).toMatchObject({ ok: true });
  });
});

describe("a ramp", () => {
  it("sends 1, 2, 5 … back while all goes well, and can be taken up by its number", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring(
      "box",
      Array.from({ length: 9 }, (_, index) => `bad ${index}`),
    );
    await engine.drain();
    post.fixed.add("bad");
    const { ramp, move } = await operator.startRamp({ code: "letter.bad" });
    expect(move).toEqual({ kind: "go", size: 1 });
    expect(await operator.continueRamp(ramp)).toMatchObject({
      move: { kind: "wait", pending: 1 },
      requeued: 1,
    });
    const sizes = [];
    for (;;) {
      await engine.drain();
      const step = await operator.continueRamp(ramp);
      if (step.move.kind !== "go") break;
      sizes.push(step.move.size);
    }
    expect(sizes).toEqual([2, 5, 1]);
    expect(await engine.all(stamped)).toHaveLength(9);
  });

  it("stops by itself when the same fault comes back", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring(
      "box",
      Array.from({ length: 9 }, (_, index) => `bad ${index}`),
    );
    await engine.drain();
    const { ramp } = await operator.startRamp({
      stage: "stamping",
      olderThan: new Date(engine.clock.now().getTime() + 1),
    });
    await engine.drain();
    expect(await operator.continueRamp(ramp)).toMatchObject({
      move: { kind: "stop", returned: 1 },
      requeued: 1,
    });
    expect(await operator.listDead()).toHaveLength(9);
    expect(await operator.continueRamp(ramp, { anyway: true })).toMatchObject({ move: { kind: "go" } });
  });
});
