import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesMatching } from "./source.ts";

/** Tables, sequences and functions of the engine, by its schema. */
const names = new Set(
  [
    ...readFileSync(new URL("../engine/schema.sql", import.meta.url), "utf8").matchAll(
      /create (?:or replace )?(?:table|sequence|function|view) headway\.(\w+)/g,
    ),
  ].map(([, name]) => name as string),
);

/** Sources that ship, without the rooms that speak SQL and without tests. */
const isOutside = (path: string): boolean =>
  /^(engine|cli|console|text|intake|pipelines\/\w+)\/(src|migrations)\//.test(path) &&
  !/^engine\/(src\/(store|databases)|migrations)\//.test(path) &&
  /\.(ts|mjs|sql)$/.test(path) &&
  !/\.test\.ts$/.test(path);

function complaintsOf(path: string, text: string): string[] {
  const named = [...text.matchAll(/\bheadway\.(\w+)/g)].filter(([, name]) => names.has(name as string));
  const triggers = [...text.matchAll(/\bcreate (?:or replace )?(?:constraint )?trigger\b/gi)];
  return [
    ...named.map(
      ([, name]) => `${path} names the private ${name}: read headway_read, or ask engine/src/store`,
    ),
    ...triggers.map(() => `${path} makes a trigger: declare a projection`),
  ];
}

it("SQL outside of the store names no table of the engine and hangs no trigger on one", () => {
  const outside = filesMatching(/./).filter(({ path }) => isOutside(path));
  expect(outside.length).toBeGreaterThan(400);
  expect(outside.flatMap(({ path, text }) => complaintsOf(path, text))).toEqual([]);
});

it.each([
  ["select 1 from headway.document d", "document"],
  ["select nextval('headway.claim_number')", "claim_number"],
  ["select headway.project(null, null, null)", "project"],
  ["create trigger t after insert on x", "trigger"],
])("%s is noticed", (text, what) => {
  expect(complaintsOf("a.ts", text)).toEqual([expect.stringContaining(what)]);
});

it("tables of a pipeline and the schema for readers may be named", () => {
  expect(complaintsOf("a.ts", "select * from headway.blob, headway_read.passages")).toEqual([]);
});
