import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Operator, RefusedLetter } from "../operate.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

async function exportAll(operator: Operator) {
  const all = [];
  for await (const one of operator.exportDead({ state: "all" })) all.push(JSON.parse(JSON.stringify(one)));
  return all;
}

describe("importing an export", () => {
  it("brings back what was purged, groups and a whole history included, once", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["bad one", "sticky two"]);
    await operator.pauseStage("bundling");
    await engine.drain();
    await operator.cancel({ stage: "bundling", key: "list-a" });
    await operator.resolveDead({ code: "letter.bad" });
    const before = await exportAll(operator);
    expect(before.map((one) => [one.collection, one.document, one.faults.length])).toEqual([
      ["letters", "box-bad one", 1],
      ["letters", "box-sticky two", 3],
      [null, "list-a", 0],
    ]);
    await operator.purgeDead({ state: "all" });
    const purged = await hashDatabase(database);
    expect(await operator.importDead(before, { dryRun: true })).toMatchObject({ restored: 3, dryRun: true });
    expect(await hashDatabase(database)).toBe(purged);
    // A letter twice in one file counts once.
    expect(await operator.importDead([...before, ...before])).toEqual({
      restored: 3,
      unchanged: 3,
      refused: 0,
      dryRun: false,
    });
    expect(await exportAll(operator)).toEqual(before);
    expect(await operator.importDead(before)).toMatchObject({ restored: 0, unchanged: 3 });
    expect((await operator.audit())[0]).toMatchObject({ act: "dead.import", detail: { letters: [1, 2, 3] } });
    expect(await operator.verify()).toMatchObject({ ok: true });
  });

  it("takes no line that was damaged, and the others all the same", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["bad one"]);
    await engine.drain();
    const [whole] = await exportAll(operator);
    await operator.purgeDead({});
    const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`);
    const damaged = [
      null,
      "text",
      { ...whole, died_at: "yesterday" },
      { ...whole, collection: 3 },
      { ...whole, input: "a text" },
      { ...whole, faults: [{}] },
      {
        ...whole,
        faults: whole.faults.map((one: object) => ({ ...one, correlation_id: "x" })),
        request: "x",
      },
      { ...whole, fault: { kind: "permanent" } },
      { ...whole, input: { text: "\0" } },
      { ...whole, input: deep },
    ];
    const refused: RefusedLetter[] = [];
    const result = await operator.importDead([...damaged, whole], { onRefused: (one) => refused.push(one) });
    expect(result).toMatchObject({ restored: 1, refused: damaged.length });
    expect(refused.map(({ line }) => line)).toEqual(damaged.map((_, index) => index + 1));
    expect(await exportAll(operator)).toEqual([whole]);
  });
});
