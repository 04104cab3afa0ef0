import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { countByStage } from "../../engine/src/store/ledger.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { openOffice } from "../support/post-office.ts";

const schema = `census_${randomUUID().slice(0, 8)}`;
const opening = {
  postgres: () => openPostgres({ url: process.env.HEADWAY_TEST_POSTGRES ?? "", schema }),
  pglite: () => openPglite({ folder: null, inline: true }),
};

const many = 30_000;

/** Letters that were stamped long ago, enough to make a look too long to count them. */
async function addStamped(database: Database): Promise<void> {
  await database.query(sql`
    insert into headway.document (subject, collection, id, hash, body, producer, producer_stage, request, created_at, changed_at)
    select 10000000 + g, c.id, 'old-' || g, '\\x00', '{}', 1, 0, gen_random_uuid(), ${new Date(0)}, ${new Date(0)}
    from generate_series(1, ${many}) g, headway.collection c where c.name = 'letters'`);
  await database.query(sql`
    insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, finished_at)
    select 10000000 + g, s.id, '\\x00', '\\x00', 1, 1, 0, ${new Date(0)}
    from generate_series(1, ${many}) g, headway.stage s where s.name = 'stamping'`);
}

describe.each(["postgres", "pglite"] as const)("counts of a large database on %s", (kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await opening[kind]();
  });
  afterAll(async () => {
    if (kind === "postgres") await database.script(`drop schema if exists "${schema}" cascade`);
    await database.close();
  });

  it("are those of the last census, balance, and say how old they are", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["one", "bad two", "three"]);
    await engine.drain();
    expect((await operator.status()).map(({ doneSince }) => doneSince)).toEqual([0, 0, 0]);
    await addStamped(database);
    await engine.worker.tellProgress();
    expect(await engine.worker.census()).toBe(true);
    const counted = clock.now();
    const exact = await countByStage(database, counted);
    const lines = await operator.status();
    expect(lines.map(({ ledger }) => ledger.done)).toEqual(exact.map(({ done }) => done));
    expect(lines.every(({ balanced }) => balanced)).toBe(true);
    const stamping = lines.find(({ stage }) => stage === "stamping");
    expect(stamping).toMatchObject({
      done: many + 2,
      dead: 1,
      accepted: many + 3,
      countedAt: counted,
      doneSince: 0,
    });

    clock.advance(30_000);
    await bring("more", ["four", "five"]);
    await engine.drain();
    await engine.worker.tellProgress();
    const later = (await operator.status()).find(({ stage }) => stage === "stamping");
    expect(later).toMatchObject({ done: many + 4, doneSince: 2, countedAt: counted, openAt: clock.now() });
    expect(later?.ledger).toMatchObject({ done: many + 2, accepted: many + 3, at: counted });
    const now = await operator.status({ exact: true });
    expect(now.find(({ stage }) => stage === "stamping")).toMatchObject({
      done: many + 4,
      doneSince: 0,
      balanced: true,
    });

    const collections = await operator.collections();
    expect(collections.find(({ name }) => name === "letters")).toEqual({
      name: "letters",
      documents: many + 3,
      deleted: 0,
      countedAt: counted,
    });
  });

  it("are read every minute, and a young reading is not repeated", async () => {
    const { engine, operator, bring, clock } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    expect(await engine.worker.census()).toBe(true);
    clock.advance(20_000);
    expect(await engine.worker.census()).toBe(false);
    clock.advance(40_000);
    await bring("more", ["two"]);
    expect(await engine.worker.census()).toBe(true);
    const opening = await operator.readings({ stage: "opening" });
    expect(opening.map(({ waiting, done }) => ({ waiting, done }))).toEqual([
      { waiting: 0, done: 1 },
      { waiting: 1, done: 1 },
    ]);
    const hourly = await operator.readings({ everyMs: 3_600_000, until: clock.now() });
    expect(hourly.length).toBeLessThanOrEqual(6);
  });

  it("a look before the first census counts and keeps the count", async () => {
    const { operator } = await openOffice(database);
    await addStamped(database);
    expect((await operator.collections()).find(({ name }) => name === "letters")?.documents).toBe(many);
    const [line] = (await operator.status()).filter(({ stage }) => stage === "stamping");
    expect(line).toMatchObject({ done: many, balanced: true });
  });

  it("a name is found by its beginning, and a mistyped one by its neighbours", async () => {
    const { operator } = await openOffice(database);
    await addStamped(database);
    expect((await operator.lookUp("old-2999")).found).toHaveLength(1);
    const near = async (name: string) => (await operator.lookUp(name)).near.map(({ id }) => id);
    expect(await near("old-")).not.toHaveLength(0);
    expect(await near("old-29998x")).toContain("old-29998");
    expect(await near("nothing like it")).toEqual([]);
  });

  it("a lost document shows in the ledger", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    await addStamped(database);
    await database.query(sql`delete from headway.done where subject = 10000007`);
    await engine.worker.census();
    const stamping = (await operator.status()).find(({ stage }) => stage === "stamping");
    expect(stamping).toMatchObject({ balanced: false });
  });
});
