import { expect, it } from "vitest";
import { z } from "zod";
import { collection, pipeline, stage } from "../../engine/src/index.ts";
import { makeReaders } from "../../engine/src/run/readers.ts";
import { listCollections } from "../../engine/src/store/registry.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const letters = collection(
  "letters",
  z.object({ list: z.string(), pages: z.number(), read: z.boolean().optional(), tags: z.array(z.string()) }),
);
const copying = stage("copying", { reads: letters, writes: [], *run() {} });
const unknown = collection("unknown", z.object({ list: z.string() }));

async function openLetters() {
  const pipelines = [pipeline("post", { stages: [copying] })] as const;
  const engine = await engines.open({ pipelines, services: {} });
  const letter = (at: number) => {
    const body = { list: at % 2 ? "odd" : "even", pages: at, ...(at === 3 && { read: true }), tags: ["a"] };
    return letters.document(`l${at}`, body);
  };
  await engine.accept(Array.from({ length: 9 }, (_, at) => letter(at)));
  const numbers = new Map((await listCollections(engine.database)).map(({ id, name }) => [name, id]));
  return makeReaders(engine.database, (name) => numbers.get(name) ?? null);
}
const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

it("documents are found and counted by their fields", async () => {
  const { find, count } = await openLetters();
  expect(ids(await find(letters, { where: { list: "odd" } }))).toEqual(["l1", "l3", "l5", "l7"]);
  expect(await find(letters, { where: { list: "odd", read: true } })).toEqual([
    { id: "l3", list: "odd", pages: 3, read: true, tags: ["a"] },
  ]);
  expect(ids(await find(letters, { after: "l6" }))).toEqual(["l7", "l8"]);
  expect(await count(letters, { where: { list: "even" } })).toBe(5);
  expect(await count(letters)).toBe(9);
  expect([await find(unknown), await count(unknown)]).toEqual([[], 0]);
});

it("pages follow each other without a gap or a repetition, and the last says so", async () => {
  const { page } = await openLetters();
  const seen: string[][] = [];
  for (let after = ""; ; ) {
    const { documents, next } = await page(letters, { where: { list: "even" }, after, limit: 2 });
    seen.push(ids(documents));
    if (next === null) break;
    after = next;
  }
  expect(seen).toEqual([["l0", "l2"], ["l4", "l6"], ["l8"]]);
});

it("a question that cannot be meant is refused with one sentence", async () => {
  const { find, count } = await openLetters();
  const where = { list: undefined } as unknown as { list: string };
  await expect(find(letters, { where })).rejects.toThrow("cannot be found by list");
  await expect(count(letters, { where: { tags: ["a"] } as never })).rejects.toThrow(
    "cannot be found by tags",
  );
  await expect(find(letters, { limit: 0 })).rejects.toThrow("limit 0");
});
