import { afterEach, describe, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { groupStage, pipeline, stage, transient } from "../../engine/src/index.ts";
import { setPaused } from "../../engine/src/store/registry.ts";
import { openTestEngine, type TestEngine } from "../../engine/src/testing.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const embedded = useVirtualEngines();
const postgres = useOwnSchema("held_groups");

/** Notes are copied, and all copies of a topic become one report. */
function makeReporting() {
  const reported: string[] = [];
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    retry: { transient: { attempts: 5, initial: "1h", max: "1h" } },
    *run({ id, text }) {
      if (text === "far") throw transient("note.far", "Not for an hour.");
      yield copies.document(id, { text });
    },
  });
  const reporting = groupStage("reporting", {
    reads: copies,
    writes: [reports],
    per: (copy) => copy.text.split(" ")[0] as string,
    quiet: "1s",
    *run({ key, documents }) {
      reported.push(`${key} of ${documents.length}`);
      yield reports.document(key, { text: String(documents.length) });
    },
  });
  return { reported, pipelines: [pipeline("held", { stages: [copying, reporting] })] };
}

const settings = { batchMax: 5, slots: 5 } as const;
/** So long that the quiet time is over at each step: a machine slower than any quiet time. */
const stepMs = 1_500;

async function stepUntilIdle(engine: TestEngine, stepsMax = 200): Promise<void> {
  for (let step = 0, idle = 0; idle < 3; step++) {
    if (step > stepsMax) throw new Error(`The engine was still busy after ${stepsMax} steps.`);
    idle = (await engine.step()) ? 0 : idle + 1;
    engine.clock.advance(stepMs);
  }
}

describe.each(["PGlite", "PostgreSQL"])("a group whose members are on their way, on %s", (name) => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });
  async function open(stages?: readonly string[]) {
    const reporting = makeReporting();
    const options = { pipelines: reporting.pipelines, services: {}, settings, ...(stages && { stages }) };
    if (name === "PGlite") return { ...reporting, engine: await embedded.open(options) };
    const database = await openPostgres({ url: postgres.url, schema: postgres.fresh() });
    const engine = await openTestEngine({ ...options, database });
    opened.push(database, engine);
    return { ...reporting, engine };
  }

  it("is made early once, and then when the last member has come", async () => {
    const { engine, reported } = await open();
    await engine.accept(manyNotes(60, (index) => `tea ${index}`));
    await stepUntilIdle(engine);
    expect(reported.at(-1)).toBe("tea of 60");
    expect(reported.length).toBeLessThanOrEqual(2);
  });

  it("is made once for one more member", async () => {
    const { engine, reported } = await open();
    await engine.accept(manyNotes(20, (index) => `${index % 2 ? "tea" : "milk"} ${index}`));
    await stepUntilIdle(engine);
    reported.length = 0;
    await engine.accept(notes.document("late", { text: "milk late" }));
    await stepUntilIdle(engine);
    expect(reported).toEqual(["milk of 11"]);
  });

  it("does not wait for members of another request", async () => {
    const { engine, reported } = await open(["reporting"]);
    await engine.accept(manyNotes(50, (index) => `tea ${index}`));
    await engine.accept(copies.document("own", { text: "milk" }));
    engine.clock.advance(stepMs);
    await engine.step();
    expect(reported).toEqual(["milk of 1"]);
  });

  it("does not wait for a member that is tried again much later", async () => {
    const { engine, reported } = await open();
    await engine.accept([notes.document("a", { text: "tea a" }), notes.document("far", { text: "far" })]);
    for (let step = 0; step < 4; step++) {
      await engine.step();
      engine.clock.advance(stepMs);
    }
    expect(reported).toEqual(["tea of 1"]);
  });

  it("does not wait for a paused stage", async () => {
    const { engine, reported } = await open();
    await engine.accept(manyNotes(50, (index) => `tea ${index}`));
    await engine.step();
    await setPaused(engine.database, {
      stage: engine.graph.stage("copying").number,
      paused: { at: engine.clock.now(), by: "ann", reason: "lunch" },
    });
    for (let step = 0; step < 2; step++) {
      engine.clock.advance(stepMs);
      await engine.step();
    }
    expect(reported).toEqual(["tea of 5"]);
  });

  it("waits a quarter of a minute at most when nobody works on the stage before", async () => {
    const { engine, reported } = await open(["reporting"]);
    const request = "11111111-2222-4333-8444-555555555555";
    await engine.accept(copies.document("own", { text: "tea" }), { request });
    engine.clock.advance(stepMs);
    await engine.step();
    expect(reported).toEqual(["tea of 1"]);
    await engine.accept(
      manyNotes(50, (index) => `tea ${index}`),
      { request },
    );
    await engine.accept(copies.document("more", { text: "tea" }), { request });
    engine.clock.advance(14_000);
    await engine.step();
    expect(reported).toEqual(["tea of 1"]);
    engine.clock.advance(1_500);
    await engine.step();
    expect(reported).toEqual(["tea of 1", "tea of 2"]);
  });
});
