import type { Database } from "@headway/engine";
import { expect, it } from "vitest";
import { findMeaning } from "./vectors.ts";

const find = (found: object) => findMeaning({ query: async () => [found] } as unknown as Database);

it.each([
  ["ready where vectors are kept", { table: true, installed: true, available: true }, undefined],
  [
    "not ready before a worker has started",
    { table: false, installed: true, available: true },
    /next start of a worker/,
  ],
  ["not switched on", { table: false, installed: false, available: true }, /"create extension vector"/],
  ["not to be had", { table: false, installed: false, available: false }, /install pgvector/],
] as const)("searching by meaning: %s", async (_, found, because) => {
  const meaning = await find(found);
  expect(meaning).toEqual(
    because ? { kind: "missing", because: expect.stringMatching(because) } : { kind: "ready" },
  );
});
