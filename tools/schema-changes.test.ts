import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { breakingChanges } from "./schema-changes.ts";
import { schemaFiles } from "./schema-files.ts";
import { repo } from "./source.ts";

const json = (shape: z.ZodType) => z.toJSONSchema(shape);
const fields = {
  title: z.string(),
  pages: z.number().optional(),
  author: z.object({ name: z.string() }).nullable(),
  tags: z.array(z.object({ word: z.string() })),
  level: z.enum(["low", "high"]),
};
const before = json(z.object(fields));

it.each([
  ["a field more", { ...fields, isbn: z.string() }],
  ["a field more inside", { ...fields, author: z.object({ name: z.string(), born: z.number() }).nullable() }],
  ["a field that is always there from now on", { ...fields, pages: z.number() }],
  ["one more value", { ...fields, level: z.enum(["low", "high", "none"]) }],
  ["a field that is never null from now on", { ...fields, author: z.object({ name: z.string() }) }],
])("%s breaks no reader", (_, shape) => {
  expect(breakingChanges(before, json(z.object(shape)))).toEqual([]);
});

it.each([
  [
    "a field less",
    { pages: fields.pages, author: fields.author, tags: fields.tags, level: fields.level },
    "title is gone",
  ],
  ["another type", { ...fields, title: z.number() }, "title may be number, and was string"],
  [
    "null where there was none",
    { ...fields, title: z.string().nullable() },
    "title may be null, and was string",
  ],
  ["a field that may be missing", { ...fields, title: z.string().optional() }, "title may be missing"],
  ["a field less inside", { ...fields, author: z.object({}).nullable() }, "author.name is gone"],
  ["a field less inside a list", { ...fields, tags: z.array(z.object({})) }, "tags[].word is gone"],
])("%s breaks readers", (_, shape, complaint) => {
  expect(breakingChanges(before, json(z.object(shape))).join()).toContain(complaint);
});

it("no schema breaks the readers of its version", () => {
  for (const { path, text } of schemaFiles()) {
    const kept = JSON.parse(readFileSync(join(repo, path), "utf8"));
    const complaint = `${path}: raise its version in cli/src/schemas/every-schema.ts`;
    expect(breakingChanges(kept, JSON.parse(text)), complaint).toEqual([]);
  }
});
