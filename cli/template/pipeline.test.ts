import assert from "node:assert/strict";
import { test } from "node:test";
import { aDocument, openTestEngine, runStage } from "@headway/engine/testing";
import { cutting, digests, letters, post } from "./pipeline.ts";

test("a letter becomes its paragraphs", async () => {
  const letter = aDocument(letters, { text: "One.\n\nTwo." }, "a");
  const found = await runStage(cutting, letter, {});
  assert.deepEqual(
    found.map(({ id }) => id),
    ["a/1", "a/2"],
  );
});

test("an empty letter is dead, the others are done", async () => {
  const engine = await openTestEngine({ pipelines: [post], services: {} });
  try {
    await engine.accept([
      letters.document("full", { text: "One two.\n\nThree." }),
      letters.document("empty", { text: "" }),
    ]);
    await engine.drain();
    assert.deepEqual(await engine.all(digests), [{ id: "full", paragraphs: 2, words: 3 }]);
    assert.ok(engine.signals.some(({ kind }) => kind === "task.died"));
  } finally {
    await engine.close();
  }
});
