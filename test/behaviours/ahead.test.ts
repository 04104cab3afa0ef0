import { describe, expect, it } from "vitest";
import { type Engine, type Pipeline, permanent, pipeline, stage, transient } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, expectAllSettled } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const house = useOwnSchema("ahead");
const engines = useVirtualEngines();

const copying = stage("copying", {
  reads: notes,
  writes: [copies],
  *run({ id, text }) {
    yield copies.document(id, { text });
  },
});

/** Counts runs by document, and fails as the text says. */
function makeReporting() {
  const runs = new Map<string, number>();
  const reporting = stage("reporting", {
    reads: copies,
    writes: [reports],
    retry: { transient: { attempts: 3, initial: "10ms", max: "10ms" } },
    *run({ id, text }) {
      const run = (runs.get(id) ?? 0) + 1;
      runs.set(id, run);
      if (text === "text 3") throw permanent("report.never", "never");
      if (text === "text 4" && run === 1) throw transient("report.jam", "jammed");
      yield reports.document(id, { text: `${text}.` });
    },
  });
  return { reporting, runs };
}

async function start(schema: string, reporting: unknown): Promise<Engine> {
  return await house.start({
    schema,
    pipelines: [pipeline("p", { stages: [copying, reporting] as never })] as Pipeline[],
    services: {},
  });
}

/** Commits in which both stages of documents were written together. */
const together = (engine: Pick<Engine, "database">) =>
  engine.database.query(sql`
    select 1 from headway.done a
    join headway.document d on d.producer = a.subject and d.producer_stage = a.stage
    join headway.done b on b.subject = d.subject and b.xmin = a.xmin`);

describe("cheap stages behind one another", { timeout: 60_000 }, () => {
  it("are run before the commit, each document once, and what fails is written down at its own stage", async () => {
    const { reporting, runs } = makeReporting();
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [copying, reporting] })],
      services: {},
      settings: { runAhead: true },
    });
    await engine.accept(manyNotes(400));
    await engine.drain();
    // All but the document that never got through and the document that did later.
    expect(await together(engine)).toHaveLength(398);
    expect(await deadLetters(engine.database)).toMatchObject([{ reason: "permanent" }]);
    expect([runs.get("note-00003"), runs.get("note-00004"), runs.get("note-00005")]).toEqual([1, 2, 1]);
    expect([...runs.values()].filter((times) => times > 1)).toHaveLength(1);
    const [jammed] = await engine.database.query(sql`
      select r.attempts from headway.done r join headway.document d using (subject)
      where d.id = 'note-00004' and r.attempts > 1`);
    expect(jammed).toEqual({ attempts: 2 });
    await expectAllSettled(engine.database);
  });

  it("are not run where an operator has paused them", async () => {
    const { reporting, runs } = makeReporting();
    const schema = house.fresh();
    const engine = await start(schema, reporting);
    await engine.accept(manyNotes(2));
    await engine.settled();
    const operator = await openOperator({ database: engine.database, actor: "ann" });
    await operator.pauseStage("reporting", "a test");
    await engine.accept(manyNotes(200).slice(5));
    const open = sql`select 1 from headway.task t join headway.stage s on s.id = t.stage where s.name = 'reporting'`;
    await expect.poll(async () => (await engine.database.query(open)).length, { timeout: 10_000 }).toBe(195);
    await operator.resumeStage("reporting", "a test");
    await engine.settled();
    expect(runs.size).toBe(197);
  });
});
