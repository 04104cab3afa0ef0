import { afterAll, beforeAll, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";
import { forgetFormer } from "../store/former-content.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

const box = { collection: "boxes", id: "box" };
const bundle = { collection: "bundles", id: "list-a" };
const stampedFine = { collection: "stamped", id: "box-fine" };

it("the former content is told with its cause: another source's word, another input, another version", async () => {
  const { engine, operator, bring, clock } = await openOffice(database);
  await bring("box", ["fine"]);
  await engine.drain();
  expect(await operator.former(box)).toBeNull();
  await bring("box", ["fine", "nice"]);
  await engine.drain();
  expect(await operator.former(box)).toMatchObject({
    body: { list: "list-a", letters: ["fine"] },
    because: ["source"],
  });
  expect(await operator.former(bundle)).toMatchObject({ body: { size: 1 }, because: ["input"] });
  expect(await operator.former(stampedFine)).toBeNull();

  const newer = await openOffice(database, { version: "2", keep: true, clock });
  await newer.operator.reprocess({ stage: "stamping", stale: true }, { why: "a new version" });
  await newer.engine.drain();
  expect(await newer.operator.former(stampedFine)).toMatchObject({
    body: { text: "fine v1" },
    because: ["version 1 → 2"],
  });
});

it("a former content is forgotten after a week, and goes at once with its document", async () => {
  const { engine, operator, bring, clock } = await openOffice(database);
  const change = async () => {
    await bring("box", ["fine"]);
    await engine.drain();
    await bring("box", ["other"]);
    await engine.drain();
  };
  await change();
  const weekMs = 7 * 86_400_000;
  await forgetFormer(database, new Date(clock.now().getTime() + weekMs - 60_000));
  expect(await operator.former(box)).not.toBeNull();
  await forgetFormer(database, new Date(clock.now().getTime() + weekMs + 60_000));
  expect(await operator.former(box)).toBeNull();

  await change();
  expect(await operator.former(box)).not.toBeNull();
  await operator.deleteDocument(box, { why: "a wish" });
  await bring("box", ["new"]);
  await engine.drain();
  expect(await operator.former(box)).toBeNull();
});
