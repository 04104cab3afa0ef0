import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { collection } from "../define/collection.ts";
import { pipeline } from "../define/pipeline.ts";
import { stage } from "../define/stage.ts";
import { openOperator } from "../operate.ts";
import { openTestEngine, type TestEngine } from "../testing.ts";

const letters = collection("letters", z.object({ text: z.string() }));
const words = collection("words", z.object({ count: z.number() }));
const counting = stage("counting", {
  reads: letters,
  writes: [words],
  *run(letter) {
    yield words.document(letter.id, { count: letter.text.split(" ").length });
  },
});

describe("accepting documents", () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await openTestEngine({ pipelines: [pipeline("post", { stages: [counting] })], services: {} });
  }, 60_000);
  afterAll(() => engine.close());

  it("changes nothing when the same content comes again", async () => {
    const letter = letters.document("same", { text: "one two" });
    expect(await engine.accept(letter)).toMatchObject({ inserted: 1 });
    await engine.drain();
    expect(await engine.accept(letter)).toMatchObject({ inserted: 0, changed: 0, unchanged: 1 });
    expect(await engine.step()).toBe(false);
  });

  it("works again on what its own source has changed", async () => {
    await engine.accept(letters.document("changed", { text: "one two" }));
    await engine.drain();
    expect(await engine.accept(letters.document("changed", { text: "one" }))).toMatchObject({ changed: 1 });
    await engine.drain();
    expect(await engine.read(words, "changed")).toMatchObject({ count: 1 });
  });

  it("never overwrites what another source has handed in, and keeps the refused content for its turn", async () => {
    await engine.accept(letters.document("both", { text: "first" }), { source: "a" });
    const second = letters.document("both", { text: "the second one" });
    expect(await engine.accept(second, { source: "b" })).toMatchObject({ inserted: 0, conflicts: ["both"] });
    await engine.drain();
    expect(await engine.read(letters, "both")).toMatchObject({ text: "first" });
    const operator = await openOperator({ database: engine.database, actor: "test", clock: engine.clock });
    await operator.deleteSource("a", { why: "it is closed" });
    await engine.drain();
    expect(await engine.read(letters, "both")).toMatchObject({ text: "the second one" });
    expect(await engine.read(words, "both")).toMatchObject({ count: 3 });
    expect(await operator.verify()).toMatchObject({ ok: true, first: null });
  });

  it("keeps what two sources brought in alike until the second one goes, whatever else is removed", async () => {
    const operator = await openOperator({ database: engine.database, actor: "test", clock: engine.clock });
    await engine.accept(letters.document("shared", { text: "the same" }), { source: "c" });
    await engine.accept(letters.document("shared", { text: "the same" }), { source: "d" });
    // Sources and documents have separate numbers, so a document shares its number with each source.
    for (const { id } of await engine.all(letters)) {
      if (id !== "shared")
        await operator.deleteDocument({ collection: "letters", id }, { why: "to clear the numbers" });
    }
    await engine.drain();
    await operator.deleteSource("c", { why: "it is closed" });
    await engine.drain();
    expect(await engine.read(letters, "shared")).toMatchObject({ text: "the same" });
    await operator.deleteSource("d", { why: "it is closed too" });
    await engine.drain();
    expect(await engine.read(letters, "shared")).toBeNull();
    expect(await operator.verify()).toMatchObject({ ok: true });
  });

  it("reports a document that cannot be taken and takes the others", async () => {
    const bad = { collection: "letters" as const, id: "bad", body: { text: 7 } };
    const accepted = await engine.accept([letters.document("good", { text: "x" }), bad as never]);
    expect(accepted).toMatchObject({
      inserted: 1,
      refused: [{ id: "bad", fault: { code: "output.invalid" } }],
    });
    await expect(engine.accept(bad as never)).rejects.toThrow(/\$\.text/);
  });
});
