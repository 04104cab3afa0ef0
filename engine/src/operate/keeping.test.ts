import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boxes, bundles, letters, openOffice, stamped } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import { openOperator } from "../operate.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

const change = (text: string, values: (string | number)[] = []) => database.query({ text, values });

describe("deleting", () => {
  it("removes a document with all that came from it, counted, also when no engine runs", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await bring("other", ["three"]);
    await engine.drain();
    const target = { collection: "boxes", id: "box" };
    const before = await hashDatabase(database);
    expect(await operator.deleteDocument(target, { dryRun: true })).toMatchObject({ deleted: true });
    expect(await hashDatabase(database)).toBe(before);
    expect(await operator.deleteDocument(target, { why: "on request" })).toMatchObject({ deleted: true });
    expect(await operator.deleteDocument(target)).toMatchObject({ deleted: false });
    expect((await operator.explain(target)).sentence).toContain("It was deleted at");
    expect((await operator.status()).every((one) => one.balanced)).toBe(true);
    const progress: number[] = [];
    const { removed } = await operator.reapNow({ onProgress: (sofar) => progress.push(sofar.left) });
    // The box, two letters, two stamped letters, and their bundle, which is made again without them.
    expect(removed).toBe(6);
    expect(progress.at(-1)).toBe(0);
    await engine.drain();
    expect((await engine.all(stamped)).map((one) => one.id)).toEqual(["other-three"]);
    expect(await engine.all(bundles)).toMatchObject([{ size: 1 }]);
    expect(
      (await operator.status()).map((one) => [one.stage, one.accepted, one.deleted, one.balanced]),
    ).toEqual([
      ["bundling", 1, 0, true],
      ["opening", 2, 1, true],
      ["stamping", 3, 2, true],
    ]);
    expect(await operator.verify()).toMatchObject({ ok: true });
  });

  it("a derived document that is deleted says what would bring it back", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await engine.drain();
    expect(await operator.deleteDocument({ collection: "letters", id: "box-one" })).toMatchObject({
      deleted: true,
      yieldedBy: ["opening"],
    });
    await engine.drain();
    expect(await operator.verify()).toMatchObject({ ok: true });
    expect(await engine.all(bundles)).toMatchObject([{ size: 1 }]);
    await operator.reprocess({ stage: "opening" });
    await engine.drain();
    expect(await engine.all(letters)).toHaveLength(2);
  });

  it("a source goes with its documents; what another source brings in too stays", async () => {
    const { engine, operator } = await openOffice(database);
    const box = (id: string) => boxes.document(id, { list: "list-a", letters: [id] });
    await engine.accept([box("mine"), box("ours")], { source: "attic" });
    await engine.accept([box("ours"), box("theirs")], { source: "cellar" });
    await engine.drain();
    const before = await hashDatabase(database);
    expect(await operator.deleteSource("attic", { dryRun: true })).toMatchObject({ deleted: 1, kept: 1 });
    expect(await hashDatabase(database)).toBe(before);
    expect(await operator.deleteSource("attic")).toMatchObject({ deleted: 1, kept: 1 });
    expect(await operator.deleteSource("attic")).toMatchObject({ deleted: 0, kept: 0 });
    await engine.drain();
    expect((await engine.all(boxes)).map((one) => one.id)).toEqual(["ours", "theirs"]);
    expect(await operator.sources()).toMatchObject([
      { name: "attic", documents: 0 },
      { name: "cellar", documents: 2 },
    ]);
    expect(await operator.verify()).toMatchObject({ ok: true });
    await operator.deleteSource("cellar");
    await engine.drain();
    expect(await engine.all(bundles)).toEqual([]);
    await expect(operator.deleteSource("loft")).rejects.toThrow('There is no source "loft".');
  });
});

describe("policies", () => {
  it("are changed while everything runs, with history, and nonsense is refused", async () => {
    const { engine, operator, bring, clock, pipeline } = await openOffice(database);
    const coder = await openOperator({ database, clock, actor: "bob", pipelines: [pipeline] });
    const transient = { stage: "stamping", kind: "transient" } as const;
    expect(await coder.setPolicy({ ...transient, change: { attempts: 1 }, why: "hurry" })).toMatchObject({
      attemptsMax: 1,
      initialMs: 1_000,
    });
    await bring("box", ["sticky one"]);
    await engine.drain();
    expect(await operator.listDead()).toMatchObject([{ reason: "exhausted", attempts: 1 }]);
    const before = await hashDatabase(database);
    await expect(coder.setPolicy({ ...transient, change: { attempts: 0 } })).rejects.toThrow(
      'The retry policy of "stamping" for transient faults is refused: attempts must be 1 to 1000.',
    );
    await expect(coder.setPolicy({ ...transient, kind: "permanent", change: {} })).rejects.toThrow(
      "never retried",
    );
    expect(await hashDatabase(database)).toBe(before);
    await coder.resetPolicy({ ...transient, why: "no hurry" });
    const held = (await coder.listPolicies()).find(
      (one) => one.stage === "stamping" && one.kind === "transient",
    );
    expect(held).toMatchObject({ from: "code", policy: { attemptsMax: 3 } });
    expect(await operator.policyHistory({ stage: "stamping" })).toMatchObject([
      { after: null, before: { attemptsMax: 1 }, why: "no hurry" },
      { before: null, after: { attemptsMax: 1 }, changed_by: "bob", why: "hurry" },
    ]);
  });
});

describe("what is seen", () => {
  it("the ledger balances at every step of the way", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one", "bad two", "sticky three"]);
    for (let moved = true; moved; moved = await engine.step()) {
      const lines = await operator.status();
      expect(lines.filter((one) => !one.balanced)).toEqual([]);
    }
    const stamping = (await operator.status()).find((one) => one.stage === "stamping");
    expect(stamping).toMatchObject({ accepted: 3, done: 1, dead: 1, later: 1, collection: "letters" });
  });

  it("events, conflicts and acts are listed in pages", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.accept(boxes.document("box", { list: "list-b", letters: [] }), { source: "elsewhere" });
    await engine.drain();
    const [event] = await operator.events();
    expect(event).toMatchObject({ type: "BoxOpened" });
    expect(await operator.events({ after: event?.id as number })).toEqual([]);
    expect(await operator.conflicts()).toMatchObject([
      { collection: "boxes", document: "box", source: "elsewhere", body: { list: "list-b" } },
    ]);
    for (const why of ["1", "2", "3"]) {
      await operator.pauseStage("opening", why);
      await operator.resumeStage("opening", why);
    }
    const newest = await operator.audit({ limit: 4 });
    const rest = await operator.audit({ limit: 4, after: newest.at(-1)?.id as number });
    expect([...newest, ...rest].map((one) => one.why)).toEqual(["3", "3", "2", "2", "1", "1"]);
    await expect(openOperator({ database, actor: " " })).rejects.toThrow("An operator needs a name");
  });
});

/** Each line breaks one promise; the violation's sentence has to name the promise. */
const damages = {
  "task-of-nothing":
    "insert into headway.task (subject, stage, ready_at, owed_at) select 999999, id, now(), now() from headway.stage where name = 'stamping'",
  "result-of-nothing":
    "insert into headway.done select 999999, stage, marker, input_hash, variant, 1, 0, now() from headway.done limit 1",
  "dead-letter-of-nothing": "update headway.dead_letter set subject = 999999",
  "waiting-and-dead":
    "insert into headway.task (subject, stage, ready_at, owed_at) select subject, stage, died_at, died_at from headway.dead_letter",
  "group-without-record": "delete from headway.done where subject in (select subject from headway.grouping)",
  "member-of-nothing":
    "update headway.member set document = 999999 where document = (select min(document) from headway.member)",
  "document-without-producer": "update headway.document set producer = 999999 where producer_stage = 0",
  "share-of-nothing":
    "insert into headway.co_producer (document, producer, stage) select subject, 999999, 0 from headway.document",
  "outputs-miscounted": "update headway.done set outputs = outputs + 1",
  "stage-not-owed":
    "delete from headway.done where stage = (select id from headway.stage where name = 'stamping')",
  "member-missing": "delete from headway.member",
  "claim-broken":
    "insert into headway.claim (id, worker, stage, subjects, at) select 77, 999, id, '{}', now() from headway.stage limit 1",
  "marker-wrong": "update headway.done set marker = '\\x01'",
  "content-changed": `update headway.document set body = body || '{"text":"forged"}'`,
  "ledger-unbalanced":
    "insert into headway.done select l.subject, r.stage, r.marker, r.input_hash, r.variant, 1, 0, r.finished_at from headway.done r, headway.document l where r.subject in (select subject from headway.document where id = 'box') and l.id = 'box-one' limit 1",
} as const;
/** Not repairable without a person. */
const beyondRepair = ["document-without-producer", "content-changed", "ledger-unbalanced"];

describe("verifying", () => {
  it.each(Object.entries(damages))(
    "finds %s and says so, and repairs what can be",
    async (invariant, damage) => {
      const { engine, bring, clock, pipeline } = await openOffice(database);
      const operator = await openOperator({ database, clock, actor: "ann", pipelines: [pipeline] });
      await bring("box", ["one", "bad two"]);
      await engine.drain();
      expect(await operator.verify()).toMatchObject({ ok: true, first: null });
      await change(damage);
      const before = await hashDatabase(database);
      const found = await operator.verify();
      expect(found.ok).toBe(false);
      expect(found.broken[invariant as keyof typeof damages]).toBeGreaterThan(0);
      expect(found.first?.sentence.length).toBeGreaterThan(20);
      expect(await hashDatabase(database)).toBe(before);
      const repaired = await operator.verify({ repair: true });
      if (beyondRepair.includes(invariant)) {
        expect(repaired.repaired[invariant as keyof typeof damages]).toBe(0);
        return;
      }
      expect(repaired.repaired[invariant as keyof typeof damages]).toBeGreaterThan(0);
      expect(await operator.audit({ limit: 20 })).toContainEqual(
        expect.objectContaining({ act: "ledger.repair", target: invariant }),
      );
      await engine.drain();
      expect(await operator.verify()).toMatchObject({ ok: true });
      expect((await engine.all(stamped)).map((one) => one.id)).toEqual(["box-one"]);
    },
  );
});
