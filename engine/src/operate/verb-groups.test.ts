import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";
import { verbGroups } from "./verb-groups.ts";
import { verbs } from "./verbs.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

describe("verbs in groups", () => {
  it("have each one place", () => {
    const placed = Object.values(verbGroups).flatMap((group) => Object.values(group));
    expect([...placed].sort()).toEqual(Object.keys(verbs).sort());
  });

  it("do what their names in HTTP do, also where a group is named as a verb", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["bad one", "fine"]);
    await engine.drain();
    expect(await operator.dead.list()).toEqual(await operator.listDead());
    expect(await operator.stages.pause("stamping", "a look")).toBeTruthy();
    expect((await operator.audit.list())[0]).toMatchObject({ act: "stage.pause", target: "stamping" });
    expect(await operator.workers.list()).toEqual(await operator.workers());
    expect((await operator.documents.list({ collection: "letters" })).length).toBe(2);
    expect((await operator.dead.requeue({ stage: "stamping" })).requeued).toBe(1);
  });
});
