import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkEvents } from "../../chaos/events.ts";
import { checkEvidence, sortEvidence } from "../../chaos/evidence.ts";
import { fateOf, parcelOf } from "../../chaos/parcels.ts";
import { shop } from "../../chaos/pipeline.ts";
import { callWitness } from "../../chaos/witness.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { openTestEngine, type TestEngine } from "../../engine/src/testing.ts";
import { emptyDatabase } from "../support/whole-database.ts";

/** A small quiet run seen by a witness, then doctored. */
describe("what the database saw", () => {
  let db: Database;
  let engine: TestEngine;
  const quick = Array.from({ length: 60 }, (_, number) => number).filter(
    (number) => !["slow", "wide"].includes(fateOf(5, number).kind),
  );
  const services = {
    oracle: { price: async () => 1 },
    luck: { lucky: async () => true, mended: async () => true },
    fuse: { blow() {} },
  };

  beforeAll(async () => {
    db = await openPglite({ folder: null, inline: true });
    await openTestEngine({ pipelines: [shop], services, database: db });
    await callWitness(db);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await emptyDatabase(db);
    await db.script(
      "truncate chaos.claimed, chaos.unclaimed, chaos.owed, chaos.ended, chaos.recorded, chaos.died, chaos.born, chaos.wrote, chaos.announced, chaos.evicted",
    );
    engine = await openTestEngine({ pipelines: [shop], services, database: db });
    await engine.accept(quick.slice(0, 12).map((number) => parcelOf(5, number, 0)));
    await engine.drain();
  });
  const broken = async () => {
    await sortEvidence(db);
    return [...new Set((await checkEvidence(db)).violations.map((one) => one.promise))];
  };
  const told = () => new Map(engine.events.map((event) => [event.key, 1]));

  it("is nothing bad after a quiet run", async () => {
    expect(await broken()).toEqual([]);
    expect(await checkEvents(db, told())).toEqual([]);
  });

  it("shows a task that was struck off the list without a result", async () => {
    await db.script(`
      insert into headway.task (subject, stage, ready_at, owed_at) select subject, stage, now(), now() from headway.done limit 1`);
    await db.script("delete from headway.task");
    expect(await broken()).toEqual(["One commit: a task ends together with its result or its dead letter"]);
  });

  it("shows a result that was recorded again by somebody who did not hold it", async () => {
    await db.script(
      "update headway.done set attempts = 2 where (subject, stage) = (select subject, stage from headway.done limit 1)",
    );
    expect(await broken()).toEqual(
      expect.arrayContaining([
        "Fenced: a result is recorded by whoever holds the task, and by nobody else",
        "Nothing doubled: each time something is owed it is recorded at most once",
      ]),
    );
  });

  it("shows a late write of a zombie", async () => {
    await db.script(`
      update headway.document set hash = '\\x00'
      where subject = (select subject from headway.document where producer_stage <> 0 limit 1)`);
    expect(await broken()).toEqual([
      "Fenced: documents are written by whoever holds the task they come from",
    ]);
  });

  it("shows a task in two pairs of hands, and claims of the dead", async () => {
    const claim = (id: number) =>
      `insert into headway.claim (id, worker, stage, subjects, at) select ${id}, ${id}, stage, array[subject], now() from headway.done order by subject, stage limit 1`;
    await db.script(`insert into headway.worker (id, name, host, pid, stages, session_locked, started_at, heartbeat_at)
      values (90001, 'z', 'z', 1, '{}', false, now(), now())`);
    await db.script(
      "update headway.worker set evicted_at = now(), evicted_because = 'test' where id = 90001",
    );
    // The clock counts milliseconds, and an equal time is no proof.
    await pause(10);
    await db.script(claim(90_001));
    await pause(10);
    await db.script(claim(90_002));
    expect(await broken()).toEqual(
      expect.arrayContaining(["A task is in one pair of hands", "A worker that was evicted takes nothing"]),
    );
  });

  it("shows an event that was written down apart from its result, or never, or never told", async () => {
    await db.script("update chaos.announced set tx = tx + 1000000");
    expect(await broken()).toEqual(["One commit: a result is announced in its own transaction"]);
    const [first] = [...told().keys()] as [string];
    const unheard = told();
    unheard.delete(first);
    expect((await checkEvents(db, unheard)).map((one) => one.story)).toEqual([`${first} was never told`]);
    await db.script("delete from headway.outbox where type = 'ParcelOpened'");
    expect(await checkEvents(db, told())).not.toEqual([]);
  });

  it("shows what still waits", async () => {
    await engine.accept(parcelOf(5, quick.at(-1) as number, 0));
    expect(await broken()).toEqual(["It settles: nothing waits, is held or half removed"]);
  });
});
