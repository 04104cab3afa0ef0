import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { collection } from "../define/collection.ts";
import { pipeline } from "../define/pipeline.ts";
import { stage } from "../define/stage.ts";
import { openOperator } from "../operate.ts";
import { openTestEngine, type TestEngine } from "../testing.ts";

const firsts = collection("firsts", z.object({ text: z.string() }));
const seconds = collection("seconds", z.object({ text: z.string() }));
const shared = collection("shared", z.object({ text: z.string() }));
let meanwhile = async () => undefined as unknown;

const early = stage("early", {
  reads: firsts,
  writes: [shared],
  *run({ text }) {
    yield shared.document("x", { text });
  },
});
const streaming = stage("streaming", {
  reads: seconds,
  writes: [shared],
  async *run({ text }) {
    yield shared.document("x", { text });
    await meanwhile();
    yield shared.document("y", { text });
  },
});

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine({
    pipelines: [pipeline("two", { stages: [early, streaming] })],
    services: {},
    settings: { streamDocuments: 1 },
  });
}, 60_000);
afterAll(() => engine.close());

it("a stream that was refused an id gets it when the first owner goes before the stream has ended", async () => {
  const operator = await openOperator({ database: engine.database, actor: "test", clock: engine.clock });
  await engine.accept(firsts.document("a", { text: "first" }));
  await engine.drain();
  meanwhile = async () => {
    meanwhile = async () => undefined;
    await operator.deleteDocument({ collection: "firsts", id: "a" });
    await engine.worker.reap();
  };
  await engine.accept(seconds.document("b", { text: "second" }));
  await engine.drain();
  expect(await engine.read(shared, "x")).toMatchObject({ text: "second" });
  expect(await engine.read(shared, "y")).toMatchObject({ text: "second" });
  expect(await operator.conflicts()).toEqual([]);
  expect(await operator.verify()).toMatchObject({ ok: true });
});
