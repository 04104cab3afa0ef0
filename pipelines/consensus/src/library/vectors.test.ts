import type { Database } from "@headway/engine";
import { describe, expect, it } from "vitest";
import { enableMeaning } from "./vectors.ts";

interface Found {
  readonly table: boolean;
  readonly installed: boolean;
  readonly available: boolean;
}

/** A database with scripted findings, and with these errors for its first scripts. */
function aServer(finds: readonly Found[], failures: readonly string[] = []) {
  const scripts: string[] = [];
  const [asked, refused] = [[...finds], [...failures]];
  const database = {
    query: async () => [asked.length > 1 ? asked.shift() : asked[0]],
    async script(text: string) {
      scripts.push(text.trim().split("\n")[0] as string);
      const failure = refused.shift();
      if (failure !== undefined) throw new Error(failure);
    },
  };
  return { database: database as unknown as Database, scripts };
}

const bare = { table: false, installed: false, available: true };

describe("searching by meaning", () => {
  it("is ready at once where it was before", async () => {
    const { database, scripts } = aServer([{ table: true, installed: true, available: true }]);
    expect(await enableMeaning(database)).toEqual({ kind: "ready" });
    expect(scripts).toEqual([]);
  });

  it("is switched on where pgvector can be", async () => {
    const { database, scripts } = aServer([bare]);
    expect(await enableMeaning(database)).toEqual({ kind: "ready" });
    expect(scripts[0]).toBe("create extension if not exists vector");
    expect(scripts).toHaveLength(2);
  });

  it("needs no right to install what an administrator has installed", async () => {
    const { database, scripts } = aServer([{ ...bare, installed: true }]);
    expect(await enableMeaning(database)).toEqual({ kind: "ready" });
    expect(scripts).toHaveLength(1);
  });

  it("is left out where the server has no pgvector, with what to do about it", async () => {
    const { database, scripts } = aServer([{ ...bare, available: false }]);
    const because =
      "This PostgreSQL has no pgvector, so words are searched and meaning is not; install pgvector on the server and start again.";
    expect(await enableMeaning(database)).toEqual({ kind: "missing", because });
    expect(scripts).toEqual([]);
  });

  it("is left out where this user may not switch it on, with the server's words", async () => {
    const denied = "permission denied to create extension";
    const { database } = aServer([bare], [denied, denied]);
    expect(await enableMeaning(database)).toEqual({
      kind: "missing",
      because: expect.stringMatching(/permission denied.*words are searched.*"create extension vector"/),
    });
  });

  it("is ready when another process has just switched it on", async () => {
    const meanwhile = { table: true, installed: true, available: true };
    const { database } = aServer([bare, meanwhile], ["duplicate key value"]);
    expect(await enableMeaning(database)).toEqual({ kind: "ready" });
  });
});
