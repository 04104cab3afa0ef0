import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { type Pipeline, pipeline, stage } from "../../engine/src/index.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { evictWorker } from "../../engine/src/store/workers.ts";
import { openTestEngine, type TestEngine, virtualClock } from "../../engine/src/testing.ts";
import { splits, words } from "../fixtures/isolated-stages.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const embedded = useVirtualEngines();
const postgres = useOwnSchema("deaths");

/** Ends a worker as other workers would after `kill -9`; late commits are refused. */
const kill = (engine: TestEngine) =>
  evictWorker(engine.database, {
    worker: engine.worker.membership.number(),
    because: "a test killed it",
    crashed: true,
    now: engine.clock.now(),
  });

/** A worker claims as much as possible at every stage, is killed with its claims, and starts again. */
async function killAtWork(engine: TestEngine): Promise<number> {
  const { lanes, membership } = engine.worker;
  const claims = await Promise.all(lanes.map((lane) => lane.take()));
  engine.clock.advance(100);
  await kill(engine);
  await Promise.all(lanes.map((lane, index) => claims[index] && lane.process(claims[index])));
  await membership.beat();
  return claims.filter((claim) => claim !== null).length;
}

/** Runs until nothing is left, despite deaths, and moves the clock to the next due task. */
async function finish(engine: TestEngine): Promise<void> {
  for (let deaths = 0; deaths < 100; deaths++) {
    await engine.worker.membership.beat();
    const killed = await engine.drain({ roundsMax: 1_000 }).then(
      () => false,
      (error: { code?: unknown }) => {
        if (error.code !== "HW001") throw error;
        return true;
      },
    );
    if (!killed && (await openTasks(engine.database)).length === 0) return;
  }
  throw new Error("A hundred workers died, and there is still something to do.");
}

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  *run({ id, text }) {
    yield copies.document(id, { text });
  },
});

/** A stage in the worker; documents with these texts kill the worker at each run. */
function killing(deadly: readonly string[]) {
  const deaths: string[] = [];
  const hands: { engine: TestEngine | null } = { engine: null };
  const killsOr = async (id: string, text: string) => {
    if (!deadly.includes(text)) return;
    deaths.push(id);
    if (hands.engine) await kill(hands.engine);
  };
  const reporting = stage("reporting", {
    reads: copies,
    writes: [reports],
    async *run({ id, text }) {
      await killsOr(id, text);
      yield reports.document(id, { text });
    },
  });
  return { stages: [copying, reporting], deaths, hands };
}

describe.each(["PGlite", "PostgreSQL"])("a worker that dies, on %s", (kind) => {
  let own: Database | null = null;
  const opened: TestEngine[] = [];
  beforeEach(async () => {
    if (kind === "PostgreSQL") own = await openPostgres({ url: postgres.url, schema: postgres.fresh() });
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close();
    await own?.close();
  });

  const openThree = async (pipelines: readonly Pipeline<readonly []>[]) => {
    const clock = virtualClock();
    const options = { pipelines, services: {}, clock, settings: { runAhead: true } } as const;
    const three: TestEngine[] = [];
    for (let n = 0; n < 3; n++) {
      if (own) opened.push(await openTestEngine({ ...options, database: own }));
      three.push((own ? opened.at(-1) : await embedded.open(options)) as TestEngine);
    }
    return three as [TestEngine, TestEngine, TestEngine];
  };

  it("costs documents of an isolated stage nothing, however often: they cannot have done it", {
    timeout: 120_000,
  }, async () => {
    const three = await openThree([pipeline("p", { stages: [splits] })]);
    const few = ["a", "b", "c"].map((id) => splits.reads.document(id, { text: `${id} b c` }));
    await three[0].accept(few);
    let hit = 0;
    for (let round = 0; round < 10; round++) for (const engine of three) hit += await killAtWork(engine);
    expect(hit).toBeGreaterThan(9);
    expect(Math.max(...(await openTasks(three[0].database)).map((one) => one.crashes))).toBe(1);
    await three[0].drain({ advance: false });
    expect(await deadLetters(three[0].database)).toEqual([]);
    expect(await doneTasks(three[0].database)).toHaveLength(3);
  });

  it("from outside makes no document of a stage in the worker a dead letter", {
    timeout: 120_000,
  }, async () => {
    const three = await openThree([pipeline("p", { stages: [copying] })]);
    await three[0].accept(manyNotes(4));
    let hit = 0;
    for (let round = 0; round < 10; round++) for (const engine of three) hit += await killAtWork(engine);
    expect(hit).toBeGreaterThan(20);
    const before = await deadLetters(three[0].database);
    await finish(three[0]);
    expect([...before, ...(await deadLetters(three[0].database))]).toEqual([]);
    expect(await doneTasks(three[0].database)).toHaveLength(4);
  });

  it("of its document ends in a dead letter after eight deaths and over two hours, and nobody else's", {
    timeout: 120_000,
  }, async () => {
    const { stages, deaths, hands } = killing(["text 3"]);
    const [engine] = await openThree([pipeline("p", { stages })]);
    hands.engine = engine;
    const start = engine.clock.now().getTime();
    await engine.accept(manyNotes(40));
    await finish(engine);
    expect(await deadLetters(engine.database)).toMatchObject([
      { id: "note-00003", stage: "reporting", reason: "worker-lost", code: "worker.lost" },
    ]);
    expect(deaths).toEqual(Array(8).fill("note-00003"));
    expect(engine.clock.now().getTime() - start).toBeGreaterThanOrEqual((5 + 10 + 20 + 40 + 60) * 60_000);
    await expectAllSettled(engine.database);
  });

  it("of two documents in turn is bounded as well, though each is an excuse for the other", {
    timeout: 120_000,
  }, async () => {
    const { stages, deaths, hands } = killing(["text 1", "text 2"]);
    const [engine] = await openThree([pipeline("p", { stages })]);
    hands.engine = engine;
    await engine.accept(manyNotes(6));
    await finish(engine);
    const letters = await deadLetters(engine.database);
    expect(letters.map((one) => one.id)).toEqual(["note-00001", "note-00002"]);
    expect(deaths.length).toBeLessThanOrEqual(2 * (8 + 10));
    await expectAllSettled(engine.database);
  });
});

describe("a document behind an isolated stage that kills its worker", () => {
  it("is found out, although it is first taken on in passing", { timeout: 120_000 }, async () => {
    const hands: { engine: TestEngine | null; deaths: number; killed?: Promise<unknown> } = {
      engine: null,
      deaths: 0,
    };
    const counting = stage("counting", {
      reads: words,
      writes: [reports],
      // Without waiting, as required for run-ahead; the death comes before the commit.
      *run({ id }) {
        if (id === "a-1") {
          hands.deaths += 1;
          if (hands.engine) hands.killed = kill(hands.engine);
        }
        yield reports.document(id, { text: "counted" });
      },
    });
    const engine = await embedded.open({
      pipelines: [pipeline("p", { stages: [splits, counting] })],
      services: {},
      settings: { runAhead: true },
    });
    hands.engine = engine;
    await engine.accept(splits.reads.document("a", { text: "one two three" }));
    await finish(engine);
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "a-1", stage: "counting" }]);
    expect(hands.deaths).toBeLessThanOrEqual(9);
    expect(await engine.all(reports)).toHaveLength(2);
    await hands.killed;
  });
});
