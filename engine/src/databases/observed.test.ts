import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../store/sql.ts";
import { type ObservedStatement, observed } from "./observed.ts";
import { type EmbeddedDatabase, openPglite } from "./pglite.ts";

let database: EmbeddedDatabase;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

describe("an observed database", () => {
  it("tells each statement with its time, in transactions too, and failures as such", async () => {
    const heard: ObservedStatement[] = [];
    const seen = observed(database, (one) => heard.push(one));
    expect(await seen.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await seen.transaction(async (tx) => void (await tx.query(sql`select 2 as two`)));
    await expect(seen.query(sql`select nothing`)).rejects.toThrow(/nothing/);
    expect(heard.map(({ text, failed }) => [text, failed])).toEqual([
      ["select 1 as one", false],
      ["select 2 as two", false],
      ["select nothing", true],
    ]);
    expect(heard.every(({ ms }) => ms >= 0)).toBe(true);
    expect([seen.kind, seen.place]).toEqual([database.kind, database.place]);
  });
});
