import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { letters, openOffice, stamped } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import { openOperator } from "../operate.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

const manyBad = (count: number) => Array.from({ length: count }, (_, index) => `bad ${index}`);

describe("dead letters", () => {
  it("are listed oldest first, page by page, and looking changes nothing", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", [...manyBad(7), "fine"]);
    await engine.drain();
    const before = await hashDatabase(database);
    const seen: number[] = [];
    for (let after = 0; ; ) {
      const page = await operator.listDead({ stage: "stamping", limit: 3, after });
      if (page.length === 0) break;
      seen.push(...page.map((one) => one.id));
      after = page.at(-1)?.id as number;
    }
    const exported = [];
    for await (const one of operator.exportDead()) exported.push(JSON.parse(JSON.stringify(one)));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBe(7);
    expect(exported.map((one) => one.id)).toEqual(seen);
    expect(exported[0]).toMatchObject({ stage: "stamping", code: "letter.bad", input: { list: "list-a" } });
    expect(await hashDatabase(database)).toBe(before);
  });

  it("are found by stage, code, fingerprint, document and age", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["bad one", "sticky two"]);
    await bring("torn", ["torn"]);
    await engine.drain();
    const count = async (filter: Parameters<typeof operator.listDead>[0]) =>
      (await operator.listDead(filter)).length;
    const [torn] = await operator.listDead({ code: "box.torn" });
    expect(await count({})).toBe(3);
    expect(await count({ stage: "stamping" })).toBe(2);
    expect(await count({ fingerprint: torn?.fingerprint as string })).toBe(1);
    expect(await count({ documents: ["box-bad one"] })).toBe(1);
    clock.advance(60_000);
    expect(await count({ olderThan: "30s" })).toBe(3);
    expect(await count({ newerThan: "30s" })).toBe(0);
    await expect(operator.listDead({ stage: "stapling" })).rejects.toThrow(
      'There is no stage "stapling" in this database; there are: bundling, opening, stamping.',
    );
  });

  it("are found by the failed queue: of the stage, of its event, of the collection it reads", async () => {
    const { engine, bring, clock, pipeline } = await openOffice(database);
    await bring("box", ["bad one", "bad two"]);
    await bring("torn", ["torn"]);
    await engine.drain();
    const operator = await openOperator({ database, clock, actor: "ann", pipelines: [pipeline] });
    const count = async (stage: string) => (await operator.listDead({ stage })).length;
    expect(await count("stamping.failed")).toBe(2);
    expect(await count("letter.stamping.failed")).toBe(2);
    expect(await count("boxes.failed")).toBe(1);
  });

  it("are shown whole: input, every fault, attempts, version and correlation id", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["sticky one"]);
    await engine.drain();
    const [listed] = await operator.listDead();
    const letter = await operator.inspectDead(listed?.id as number);
    expect(letter).toMatchObject({
      document: "box-sticky one",
      reason: "exhausted",
      attempts: 3,
      version: "1",
      input: { list: "list-a", text: "sticky one" },
      correlation_id: expect.stringMatching(/^req_.*\.stage_stamping\.retry_2$/),
    });
    expect(letter.faults.map((one) => one.attempt)).toEqual([1, 2, 3]);
    await expect(operator.inspectDead(99)).rejects.toThrow("There is no dead letter 99");
  });

  it("are grouped by fingerprint, and newer code makes a retry worth while", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", [...manyBad(3), "sticky one"]);
    await engine.drain();
    const groups = await operator.groupDead();
    expect(groups.map((one) => [one.code, one.letters, one.retry_suggested])).toEqual([
      ["letter.bad", 3, false],
      ["letter.sticky", 1, false],
    ]);
    expect(groups[0]?.versions).toEqual(["1"]);
    await openOffice(database, { version: "2", keep: true, clock });
    expect((await operator.groupDead()).map((one) => one.retry_suggested)).toEqual([true, true]);
  });

  it("21 22: are requeued each to its own stage with a fresh start, and are done when the cause is gone", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring("box", ["bad one", "sticky two"]);
    await bring("torn", ["torn"]);
    await engine.drain();
    const before = await hashDatabase(database);
    const plan = await operator.requeueDead({}, { dryRun: true });
    expect(plan).toMatchObject({ requeued: 3, stages: { opening: 1, stamping: 2 }, dryRun: true });
    expect(await hashDatabase(database)).toBe(before);
    post.fixed.add("bad").add("sticky");
    expect(await operator.requeueDead({}, { why: "fixed" })).toMatchObject({
      requeued: 3,
      stages: plan.stages,
    });
    const explained = await operator.explain({ collection: "letters", id: "box-sticky two" });
    expect(explained.stages[0]).toMatchObject({ stage: "stamping", status: "pending", attemptCount: 0 });
    await engine.drain();
    expect((await engine.all(stamped)).map((one) => one.id)).toEqual(["box-bad one", "box-sticky two"]);
    expect((await operator.listDead()).map((one) => one.document)).toEqual(["torn"]);
    expect(await operator.audit({ limit: 1 })).toMatchObject([
      { actor: "ann", act: "dead.requeue", why: "fixed", detail: { letters: [1, 2, 3] } },
    ]);
  });

  it("23: no more are requeued than asked for", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", manyBad(9));
    await engine.drain();
    expect(await operator.requeueDead({}, { limit: 4, dryRun: true })).toMatchObject({ requeued: 4 });
    expect(await operator.requeueDead({}, { limit: 4 })).toMatchObject({ requeued: 4 });
    expect(await operator.listDead()).toHaveLength(5);
  });

  it("24: what is requeued or owed already is skipped, the rest is moved", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", manyBad(3));
    await engine.drain();
    const [first] = await operator.listDead();
    await database.query({
      text: "insert into headway.task (subject, stage, ready_at, owed_at) select subject, stage, died_at, died_at from headway.dead_letter where id = $1",
      values: [first?.id as number],
    });
    expect(await operator.requeueDead({})).toMatchObject({ requeued: 2, skipped: 1 });
    expect(await operator.requeueDead({ state: "all" })).toMatchObject({ requeued: 0, skipped: 0 });
  });

  it.each(["before", "after"] as const)(
    "a requeueing that is cut off %s its commit is finished by doing it again",
    async (when) => {
      const { engine, bring, clock, operator, post } = await openOffice(database);
      await bring("box", manyBad(3));
      await engine.drain();
      const crash = () => Promise.reject(new Error("crash"));
      const crashing: Database = {
        ...database,
        transaction: (work) =>
          when === "after"
            ? database.transaction(work).then(crash)
            : database.transaction(async (tx) => {
                await work(tx);
                return await crash();
              }),
      };
      const unlucky = await openOperator({ database: crashing, clock, actor: "bob" });
      await expect(unlucky.requeueDead({})).rejects.toThrow("crash");
      const left = when === "before" ? 3 : 0;
      expect(await operator.listDead()).toHaveLength(left);
      expect(await operator.audit()).toHaveLength(when === "before" ? 0 : 1);
      expect(await operator.requeueDead({})).toMatchObject({ requeued: left });
      post.fixed.add("bad");
      await engine.drain();
      expect(await engine.all(stamped)).toHaveLength(3);
      expect(await operator.verify()).toMatchObject({ ok: true });
    },
  );

  it("purging strips inputs and faults, keeps the documents, and nothing owes the stage again", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["bad secret", "bad other"]);
    await engine.drain();
    const [dead] = await operator.listDead();
    const before = await hashDatabase(database);
    expect(await operator.purgeDead({}, { dryRun: true })).toMatchObject({
      closed: 2,
      stages: { stamping: 2 },
    });
    expect(await hashDatabase(database)).toBe(before);
    expect(await operator.purgeDead({ documents: ["box-bad secret"] }, { why: "private" })).toMatchObject({
      closed: 1,
    });
    expect(await operator.listDead()).toHaveLength(1);
    const purged = await operator.inspectDead(dead?.id as number);
    expect(purged).toMatchObject({
      input: null,
      closed_as: "purged",
      closed_by: "ann",
      message: "",
      faults: [],
    });
    expect(await engine.read(letters, "box-bad secret")).toMatchObject({ text: "bad secret" });
    expect(await engine.sweep()).toMatchObject({ owed: 0 });
    expect((await operator.status()).find((one) => one.stage === "stamping")).toMatchObject({
      dead: 2,
      closed: 1,
    });
    expect(await operator.verify()).toMatchObject({ ok: true });
  });

  it("what a person has resolved is hidden, still counted and still requeueable", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring("box", ["bad one"]);
    await engine.drain();
    expect(await operator.resolveDead({}, { why: "known" })).toMatchObject({ closed: 1 });
    expect(await operator.resolveDead({ state: "all" })).toMatchObject({ closed: 0 });
    expect(await operator.listDead()).toEqual([]);
    expect(await operator.listDead({ state: "closed" })).toHaveLength(1);
    const { sentence } = await operator.explain({ collection: "letters", id: "box-bad one" });
    expect(sentence).toContain("It was resolved by ann");
    post.fixed.add("bad");
    expect(await operator.requeueDead({ state: "closed" })).toMatchObject({ requeued: 1 });
    await engine.drain();
    expect(await engine.read(stamped, "box-bad one")).not.toBeNull();
  });

  it("6: resetting gives the dead and the waiting all their attempts back", async () => {
    const { engine, operator, bring, post } = await openOffice(database);
    await bring("box", ["bad one", "sticky two"]);
    await engine.drain({ advance: false });
    const stamping = (id: string) => operator.explain({ collection: "letters", id: `box-${id}` });
    expect((await stamping("sticky two")).stages[0]).toMatchObject({ status: "failed", attemptCount: 1 });
    const before = await hashDatabase(database);
    expect(await operator.resetTasks({ stage: "stamping" }, { dryRun: true })).toMatchObject({ reset: 1 });
    expect(await hashDatabase(database)).toBe(before);
    expect(await operator.resetTasks({ stage: "stamping" })).toMatchObject({ reset: 1, busy: 0 });
    expect(await operator.resetDead({})).toMatchObject({ requeued: 1 });
    for (const id of ["bad one", "sticky two"]) {
      expect((await stamping(id)).stages[0]).toMatchObject({
        status: "pending",
        attemptCount: 0,
        because: "due",
      });
    }
    post.fixed.add("bad").add("sticky");
    await engine.drain({ advance: false });
    expect(await engine.all(stamped)).toHaveLength(2);
  });
});
