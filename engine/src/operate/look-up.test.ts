import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";
import { editDistance } from "./look-up.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

describe("looking up a name", () => {
  it("finds a document or a group, by its id alone or with its collection before it", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    const letter = { collection: "letters", stage: null, id: "box-one" };
    expect((await operator.lookUp("letters/box-one")).found).toMatchObject([letter]);
    expect((await operator.lookUp("box-one", { collection: "letters" })).found).toMatchObject([letter]);
    expect((await operator.lookUp("list-a", { stage: "bundling" })).found).toMatchObject([
      { collection: null, stage: "bundling", id: "list-a" },
    ]);
  });

  it("names all places of a name that is in several", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["one"]);
    await engine.drain();
    const places = async (name: string) =>
      (await operator.lookUp(name)).found.map((one) => one.collection ?? one.stage).sort();
    expect(await places("box-one")).toEqual(["letters", "stamped"]);
    expect(await places("list-a")).toEqual(["bundles", "bundling"]);
  });

  it("suggests what comes near, and nothing when nothing does", async () => {
    const { engine, operator, bring } = await openOffice(database);
    await bring("box", ["first letter", "other"]);
    await engine.drain();
    const near = async (name: string) =>
      (await operator.lookUp(name, { collection: "letters" })).near.map((one) => one.id);
    expect(await near("box-first leter")).toEqual(["box-first letter"]);
    expect(await near("BOX-OTHER")).toEqual(["box-other"]);
    expect(await near("bxo-other")).toEqual(["box-other"]);
    expect(await near("letter")).toEqual(["box-first letter"]);
    expect(await near("100% _ of it")).toEqual([]);
    await expect(operator.lookUp("x", { collection: "nope" })).rejects.toThrow(
      'There is no collection "nope"',
    );
  });
});

describe("how far two names are from each other", () => {
  it("is the number of characters to change, the same from both sides", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
