import { describe, expect, it } from "vitest";
import { openPostgres } from "../../../engine/src/databases/postgres.ts";
import { batchStage, permanent, pipeline, stage } from "../../../engine/src/index.ts";
import { openOperator } from "../../../engine/src/operate.ts";
import { openTestEngine, virtualClock } from "../../../engine/src/testing.ts";
import { copies, manyNotes, notes } from "../../fixtures/notes.ts";
import { expectAllSettled } from "../../support/content.ts";
import { useOwnSchema } from "../../support/own-schema.ts";

const postgres = useOwnSchema("famous_dead");

describe("bugs of failing", () => {
  it("readur#901: a text that cannot be stored, in the document and in its failure, is on the list of failures", async () => {
    let fixed = false;
    const bad = "page one\0\ud83d page two";
    const reading = batchStage("reading", {
      reads: notes,
      writes: [copies],
      batch: 10,
      *run(batch) {
        for (const note of batch) {
          if (note.id === "scan" && !fixed)
            throw permanent("scan.unreadable", bad, { cause: Object.assign(new Error(bad), { stack: bad }) });
          yield [note, copies.document(note.id, { text: `${note.text} ${bad}` })] as const;
        }
      },
    });
    const engine = await postgres.start({
      schema: postgres.fresh(),
      pipelines: [pipeline("p", { stages: [reading] })],
      services: {},
    });
    await engine.accept([...manyNotes(4), notes.document("scan", { text: bad })]);
    await engine.settled();
    const operator = await openOperator({ database: engine.database, actor: "ann" });
    const [letter, ...more] = await operator.listDead();
    expect([letter?.document, letter?.code, more]).toEqual(["scan", "scan.unreadable", []]);
    expect(letter?.message).toMatch(/^page one.+page two$/);
    expect((await operator.inspectDead(letter?.id as number)).document).toBe("scan");
    fixed = true;
    expect(await operator.requeueDead({ documents: ["scan"] })).toMatchObject({ requeued: 1 });
    await engine.settled();
    expect(await operator.listDead()).toEqual([]);
    await expectAllSettled(engine.database);
    await engine.stop();
  });

  it("sidekiq#6827: the ten thousand and first dead letter pushes out no other, and no age does", async () => {
    const failing = stage("failing", {
      reads: notes,
      writes: [copies],
      // biome-ignore lint/correctness/useYield: it fails before it could.
      *run() {
        throw permanent("always", "It always fails.");
      },
    });
    const pipelines = [pipeline("p", { stages: [failing] })];
    const schema = postgres.fresh();
    const engine = await postgres.start({ schema, pipelines, services: {} });
    await engine.accept(manyNotes(10_001));
    await engine.settled();
    await engine.stop();
    // Ten years later somebody cleans up.
    const database = await openPostgres({ url: postgres.url, schema });
    const clock = virtualClock({ start: new Date(Date.now() + 10 * 365 * 24 * 3_600_000).toISOString() });
    const cleaner = await openTestEngine({ database, clock, pipelines, services: {} });
    await cleaner.sweep();
    const operator = await openOperator({ database, clock, actor: "ann" });
    expect(await operator.groupDead()).toMatchObject([{ code: "always", letters: 10_001 }]);
    const [first] = await operator.listDead({ documents: ["note-00000"] });
    expect(first).toMatchObject({ document: "note-00000", closed_at: null });
    await database.close();
  }, 120_000);
});
