import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { pipeline, stage } from "../../engine/src/index.ts";
import { type Database, isConnectionError } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { store } from "../../engine/src/store/store.ts";
import { openTestEngine } from "../../engine/src/testing.ts";
import { copies, manyNotes, notes } from "../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled, openTasks } from "../support/content.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { named, useOwnSchema } from "../support/own-schema.ts";

const postgres = useOwnSchema("client");
/** Of a test that waits for ever. */
const patience = { timeout: 30_000 };
const opened: Database[] = [];
const gates: Gate[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close();
  for (const gate of gates.splice(0)) await gate.close();
});

async function open(options: Partial<Parameters<typeof openPostgres>[0]> = {}): Promise<Database> {
  const db = await openPostgres({ url: postgres.url, schema: "client", ...options });
  opened.push(db);
  return db;
}

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  *run(note) {
    yield copies.document(note.id, { text: note.text });
  },
});
const pipelines = [pipeline("p", { stages: [copying] })];

const killAll = async (applicationName: string): Promise<number> => {
  const rows = await postgres.direct.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`);
  return rows.length;
};

describe("connections to PostgreSQL", () => {
  it("99: a pool that is used up serves everybody who waits, in the end", async () => {
    const db = await open({ poolMax: 1 });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const holding = db.transaction(async (tx) => {
      await tx.query(sql`select 1`);
      await finished;
    });
    const waiting = Promise.all(
      Array.from({ length: 50 }, (_, index) => db.query<{ n: number }>(sql`select ${index} as n`)),
    );
    finish();
    await holding;
    expect((await waiting).map(([row]) => row?.n)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it("100: when all sessions of an engine are ended at once its work goes on", async () => {
    const schema = postgres.fresh();
    const application = `headway-victim-${randomUUID().slice(0, 8)}`;
    const engine = await postgres.start({
      schema,
      url: named(postgres.url, application),
      pipelines,
      services: {},
    });
    await engine.accept(manyNotes(100));
    expect(await killAll(application)).toBeGreaterThanOrEqual(3);
    const watcher = await postgres.start({ schema, pipelines, services: {}, work: false });
    await watcher.accept(manyNotes(1_000));
    expect(await killAll(application)).toBeGreaterThanOrEqual(0);
    await watcher.settled();
    await expectAllSettled(watcher.database);
    expect((await doneTasks(watcher.database)).length).toBe(1_000);
    await Promise.all([engine.stop(), watcher.stop()]);
  });

  it("101: who waits for a connection while others break gets a working one", async () => {
    const application = `headway-victim-${randomUUID().slice(0, 8)}`;
    const db = await open({ poolMax: 2, applicationName: application });
    const slow = Array.from({ length: 2 }, () => db.query(sql`select pg_sleep(30)`).catch((error) => error));
    const waiting = Promise.all(Array.from({ length: 20 }, () => db.query(sql`select 1 as one`)));
    // Both sleep before either is ended, or a connection that took its place would be ended too.
    await vi.waitFor(async () => {
      const asleep = await postgres.direct.query(sql`
        select 1 from pg_stat_activity where application_name = ${application} and wait_event = 'PgSleep'`);
      expect(asleep).toHaveLength(2);
    }, patience);
    expect(await killAll(application)).toBe(2);
    expect((await Promise.all(slow)).every(isConnectionError)).toBe(true);
    expect(await waiting).toHaveLength(20);
  });

  it("102: without any news work is found by looking for it", async () => {
    const schema = postgres.fresh();
    const engine = await postgres.start({ schema, pipelines, services: {}, config: { pollMs: 20 } });
    const db = await open({ schema });
    // It announces nothing to nobody.
    const silent = await openTestEngine({ pipelines, services: {}, database: db, stages: [] });
    await silent.accept(manyNotes(30));
    await engine.settled();
    expect(await doneTasks(db)).toHaveLength(30);
    await silent.close();
    await engine.stop();
  });

  it("103: an engine that cannot listen at all starts and works all the same", async () => {
    const schema = postgres.fresh();
    const gate = await openGate(postgres.url);
    gates.push(gate);
    gate.cutAnswerTo("listen ", Number.POSITIVE_INFINITY);
    const engine = await postgres.start({
      schema,
      url: gate.url,
      pipelines,
      services: {},
      config: { pollMs: 20 },
    });
    const watcher = await postgres.start({ schema, pipelines, services: {}, work: false });
    await watcher.accept(manyNotes(30));
    await watcher.settled();
    expect(await doneTasks(watcher.database)).toHaveLength(30);
    expect(gate.cuts).toBeGreaterThan(0);
    await Promise.all([engine.stop(), watcher.stop()]);
  });

  it("42: a process that froze in the middle of a transaction does not keep its locks for ever", async () => {
    const schema = postgres.fresh();
    const frozen = await open({ schema, frozenMs: 200 });
    await frozen.script(`create schema "${schema}"; create table headway.row (id int8, n int8)`);
    await frozen.query(sql`insert into headway.row values (1, 0)`);
    const other = await open({ schema });
    const stuck = frozen.transaction(async (tx) => {
      await tx.query(sql`update headway.row set n = 1`);
      // Stands still until its session has been ended from outside.
      await other.query(sql`update headway.row set n = n + 10`);
      await tx.query(sql`update headway.row set n = 2`);
    });
    const error = await stuck.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(isConnectionError(error)).toBe(true);
    expect(await other.query(sql`select n from headway.row`)).toEqual([{ n: 10 }]);
  });
});

describe("a server that is unwell", () => {
  for (const [what, code] of [
    ["has no connection left", "53300"],
    ["has no disk left", "53100"],
    ["became read-only in a failover", "25006"],
    ["cancelled the statement", "57014"],
  ]) {
    it(`47: a result that cannot be stored because the server ${what} is stored later, and nobody dies of it`, async () => {
      const schema = postgres.fresh();
      const db = await open({ schema });
      let refusals = 3;
      const engine = await openTestEngine({
        pipelines,
        services: {},
        database: db,
        settings: { inPlace: false },
        store: {
          async commitResults(database, commit) {
            if (refusals-- > 0) throw Object.assign(new Error(what), { code });
            return await store.commitResults(database, commit);
          },
        },
      });
      await engine.accept(manyNotes(3));
      const lane = engine.worker.lanes[0];
      const claim = await lane?.take();
      let over = false;
      const processing = claim && lane?.process(claim).finally(() => (over = true));
      await vi.waitFor(() => {
        engine.clock.advance(2_000);
        expect(over).toBe(true);
      }, patience);
      await processing;
      expect(await deadLetters(db)).toEqual([]);
      expect(await openTasks(db)).toEqual([]);
      expect(await doneTasks(db)).toHaveLength(3);
      await engine.close();
    });
  }

  it("a failure that cannot be recorded ends neither the process nor the document's life", async () => {
    const schema = postgres.fresh();
    const db = await open({ schema });
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    const failing = stage("failing", {
      reads: notes,
      writes: [copies],
      async *run(note) {
        if (note.id === "note-00000") throw new Error("at once");
        await new Promise((resolve) => setTimeout(resolve, 100));
        yield copies.document(note.id, { text: note.text });
      },
    });
    const engine = await openTestEngine({
      pipelines: [pipeline("p", { stages: [failing] })],
      services: {},
      database: db,
      store: {
        async commitUnfinished() {
          throw Object.assign(new Error("out of range"), { code: "22003" });
        },
      },
    });
    await engine.accept(manyNotes(2));
    await expect(engine.step()).rejects.toThrow("out of range");
    process.off("unhandledRejection", unheard);
    expect(unheard).not.toHaveBeenCalled();
    expect(await openTasks(db)).not.toEqual([]);
    await engine.close();
  });
});
