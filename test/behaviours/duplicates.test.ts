import { describe, expect, it } from "vitest";
import { groupStage, pipeline, stage } from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { store } from "../../engine/src/store/store.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("duplicates");

function makeCopying() {
  const ran: string[] = [];
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    announces: { done: "Copied" },
    *run(note) {
      ran.push(`${note.id}: ${note.text}`);
      yield copies.document(note.id, { text: note.text });
    },
  });
  return { ran, pipelines: [pipeline("p", { stages: [copying] })] };
}

describe("the same thing twice", () => {
  it("61: the same document handed in many times at once is worked on once", async () => {
    const { ran, pipelines } = makeCopying();
    const schema = postgres.fresh();
    const [first, second] = await Promise.all(
      [1, 2].map(() => postgres.start({ schema, pipelines, services: {} })),
    );
    const accepted = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? first : second)?.accept([notes.document("a", { text: "same" }), ...manyNotes(3)]),
      ),
    );
    await first?.settled();
    expect(ran.toSorted()).toEqual([
      "a: same",
      "note-00000: text 0",
      "note-00001: text 1",
      "note-00002: text 2",
    ]);
    expect(accepted.reduce((sum, one) => sum + (one?.inserted ?? 0), 0)).toBe(4);
    expect(accepted.reduce((sum, one) => sum + (one?.unchanged ?? 0), 0)).toBe(76);
    await Promise.all([first?.stop(), second?.stop()]);
  });

  it("62: a change that comes while the old content is being worked on is not lost", async () => {
    const { ran, pipelines } = makeCopying();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept(notes.document("a", { text: "old" }));
    const claim = await engine.worker.lanes[0]?.take();
    await engine.accept(notes.document("a", { text: "new" }));
    if (claim) await engine.worker.lanes[0]?.process(claim);
    await engine.drain();
    expect(ran).toEqual(["a: old", "a: new"]);
    expect(await engine.read(copies, "a")).toMatchObject({ text: "new" });
    await expectAllSettled(engine.database);
  });

  it("62: a change back to what it was leaves the old result, and nothing owed", async () => {
    const { pipelines } = makeCopying();
    const engine = await engines.open({ pipelines, services: {} });
    for (const text of ["one", "two", "one"]) {
      await engine.accept(notes.document("a", { text }));
      if (text === "one") await engine.drain();
    }
    expect(await engine.read(copies, "a")).toMatchObject({ text: "one" });
    await expectAllSettled(engine.database);
  });

  it("63: the same id twice in one go: the later one counts, on purpose and alone", async () => {
    const { ran, pipelines } = makeCopying();
    const engine = await engines.open({ pipelines, services: {} });
    const accepted = await engine.accept([
      notes.document("a", { text: "first" }),
      notes.document("b", { text: "other" }),
      notes.document("a", { text: "second" }),
    ]);
    expect(accepted.inserted).toBe(2);
    await engine.drain();
    expect(ran.toSorted()).toEqual(["a: second", "b: other"]);
  });

  it("64: a member that joins its group while the group is worked on leads to another run", async () => {
    const summing = groupStage("summing", {
      reads: notes,
      writes: [reports],
      per: () => "all",
      *run({ key, documents }) {
        yield reports.document(key, { text: documents.map((one) => one.id).join(" ") });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [summing] })], services: {} });
    await engine.accept(notes.document("a", { text: "" }));
    const claim = await engine.worker.lanes[0]?.take();
    await engine.accept(notes.document("b", { text: "" }));
    if (claim) await engine.worker.lanes[0]?.process(claim);
    await engine.drain();
    expect(await engine.read(reports, "all")).toMatchObject({ text: "a b" });
    expect(await openTasks(engine.database)).toEqual([]);
  });

  it("65: what is there already is reported as unchanged and not worked on again", async () => {
    const { ran, pipelines } = makeCopying();
    const engine = await engines.open({ pipelines, services: {} });
    const twice = [];
    for (let time = 0; time < 2; time++) {
      twice.push(await engine.accept(manyNotes(5)));
      await engine.drain();
    }
    expect(twice).toMatchObject([
      { inserted: 5, unchanged: 0 },
      { inserted: 0, unchanged: 5 },
    ]);
    expect(ran).toHaveLength(5);
    expect(engine.events).toHaveLength(5);
  });

  it("66: the same id with other content replaces it: one document, its outputs follow", async () => {
    const { pipelines } = makeCopying();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept(notes.document("a", { text: "old" }));
    await engine.drain();
    expect(await engine.accept(notes.document("a", { text: "new" }))).toMatchObject({
      inserted: 0,
      changed: 1,
    });
    await engine.drain();
    expect(await engine.all(notes)).toHaveLength(1);
    expect(await engine.all(copies)).toMatchObject([{ id: "a", text: "new" }]);
  });

  it("66: from another source it is a conflict: the first stands", async () => {
    const { pipelines } = makeCopying();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept(notes.document("a", { text: "theirs" }), { source: "one" });
    expect(await engine.accept(notes.document("a", { text: "ours" }), { source: "two" })).toMatchObject({
      conflicts: ["a"],
    });
    await engine.drain();
    expect(await engine.read(copies, "a")).toMatchObject({ text: "theirs" });
    expect(await engine.database.query(sql`select body from headway.conflict`)).toEqual([
      { body: { text: "ours" } },
    ]);
  });

  it("67: only a duplicate key counts as a duplicate: every other refusal of the database is told", async () => {
    const { pipelines } = makeCopying();
    const broken = await engines.open({
      pipelines,
      services: {},
      store: {
        async acceptDocuments() {
          throw Object.assign(new Error("the disk is full"), { code: "53100" });
        },
        async commitResults(db, commit) {
          if (commit.finished.some((one) => one.outputs[0]?.id === "note-00001"))
            throw Object.assign(new Error("value out of range"), { code: "22003" });
          return await store.commitResults(db, commit);
        },
      },
    });
    await expect(broken.accept(manyNotes(1))).rejects.toThrow("the disk is full");
    const whole = await engines.open({ pipelines, services: {} });
    await whole.accept(manyNotes(4));
    await broken.drain();
    expect(await deadLetters(broken.database)).toMatchObject([{ id: "note-00001", code: "commit.22003" }]);
    expect(await doneTasks(broken.database)).toHaveLength(3);
  });
});
