import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { emptyDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import { permanent } from "../decide/fault.ts";
import { collection } from "../define/collection.ts";
import { pipeline } from "../define/pipeline.ts";
import { stage } from "../define/stage.ts";
import { openOperator } from "../operate.ts";
import type { Database } from "../store/database.ts";
import { openTestEngine } from "../testing.ts";

const lists = collection("lists", z.object({ round: z.number() }));
const items = collection("items", z.object({ round: z.number() }));

/** Yields more than fits in memory, so parts are committed before the end. */
async function openLists(database: Database) {
  await emptyDatabase(database);
  const state = { yields: ["a", "b", "c", "d"], dies: true };
  const spelling = stage("spelling", {
    reads: lists,
    writes: [items],
    *run({ round }) {
      for (const id of state.yields) yield items.document(id, { round });
      if (state.dies) throw permanent("list.torn", "The list ends in the middle.");
    },
  });
  const engine = await openTestEngine({
    pipelines: [pipeline("lists", { stages: [spelling] })],
    services: {},
    database,
    settings: { streamDocuments: 2 },
  });
  const operator = await openOperator({ database, clock: engine.clock, actor: "ann" });
  await engine.accept(lists.document("list", { round: 1 }));
  await engine.drain();
  expect((await engine.all(items)).map((one) => one.id)).toEqual(["a", "b", "c", "d"]);
  expect(await operator.listDead()).toHaveLength(1);
  Object.assign(state, { yields: ["x"], dies: false });
  return { engine, operator };
}

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
  await (await openTestEngine({ pipelines: [pipelineOfNothing()], services: {}, database })).close();
});
afterAll(() => database.close());

const pipelineOfNothing = () =>
  pipeline("nothing", { stages: [stage("idling", { reads: lists, writes: [], *run() {} })] });

it("what a dead attempt has committed in parts goes when the requeued one yields something else", async () => {
  const { engine, operator } = await openLists(database);
  await operator.requeueDead({});
  await engine.drain();
  expect((await engine.all(items)).map((one) => one.id)).toEqual(["x"]);
  expect(await operator.verify()).toMatchObject({ ok: true });
});

it("what a dead attempt has committed in parts goes when its input changes and yields something else", async () => {
  const { engine, operator } = await openLists(database);
  await engine.accept(lists.document("list", { round: 2 }));
  await engine.drain();
  expect((await engine.all(items)).map((one) => one.id)).toEqual(["x"]);
  expect(await operator.verify()).toMatchObject({ ok: true });
});

it("what a waiting attempt has committed in parts goes when the reset one yields something else", async () => {
  const { engine, operator } = await openLists(database);
  await operator.retryNow({ collection: "lists", id: "list" });
  await engine.drain();
  expect((await engine.all(items)).map((one) => one.id)).toEqual(["x"]);
});
