import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { letters, openOffice } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

const change = (text: string) => database.query({ text, values: [] });
const limits = { silenceMs: 20_000, stuckMs: 86_400_000 };

describe("what was forgotten", () => {
  it("is nothing where all is well", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await engine.drain();
    expect(await operator.forgotten(limits)).toMatchObject({
      owed: 0,
      freed: 0,
      died: 0,
      pulledIn: 0,
      removed: 0,
    });
  });

  it("is found without changing anything, and is what a sweep finds", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await engine.drain();
    await change(
      "delete from headway.done where stage = (select id from headway.stage where name = 'stamping')",
    );
    await change("delete from headway.member");
    const before = await hashDatabase(database);
    const found = await operator.forgotten(limits);
    expect(found.owed).toBeGreaterThan(2);
    expect(await hashDatabase(database)).toBe(before);
    const { collections, owed } = await engine.sweep();
    expect(owed).toBe(found.owed);
    expect(collections).toEqual(found.collections);
    await engine.drain();
    expect(await operator.forgotten(limits)).toMatchObject({ owed: 0 });
  });

  it("a change is found again whose task was lost", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    await bring("box", ["one", "two"]);
    await change("delete from headway.task");
    expect((await operator.verify()).broken["stage-not-owed"]).toBe(1);
    expect((await engine.sweep()).owed).toBe(1);
    await engine.drain();
    expect((await engine.all(letters)).map((one) => one.text)).toEqual(["one", "two"]);
  });

  it("is stuck when it has been owed for too long, unless a person put it off", async () => {
    const { operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    const stuck = async () => (await operator.forgotten(limits)).collections.map((one) => one.stuck);
    expect(await stuck()).toEqual([0, 0]);
    await change("update headway.task set owed_at = owed_at - interval '25 hours'");
    expect((await stuck()).reduce((sum, one) => sum + one, 0)).toBe(1);
    await change("update headway.task set reason = 'scheduled', ready_at = ready_at + interval '1 day'");
    expect(await stuck()).toEqual([0, 0]);
  });

  it("a task in backoff is left alone, and told", async () => {
    const { engine, bring } = await openOffice(database);
    await bring("box", ["one", "two"]);
    await change(
      "update headway.task set reason = 'backoff', attempts = 1, ready_at = ready_at + interval '1 hour'",
    );
    const { collections } = await engine.sweep();
    expect(collections.map((one) => one.skippedBackoff).reduce((sum, one) => sum + one, 0)).toBe(1);
    expect(collections.every((one) => one.requeued === 0)).toBe(true);
  });

  it("a sweep that fails says so with its fault", async () => {
    const { engine, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await change("alter table headway.outbox rename to outbox_away");
    await expect(engine.sweep()).rejects.toThrow();
    await change("alter table headway.outbox_away rename to outbox");
    expect(engine.signals.filter(({ kind }) => kind.startsWith("sweep."))).toMatchObject([
      { kind: "sweep.failed" },
    ]);
  });
});
