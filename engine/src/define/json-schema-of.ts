import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { AnyCollection } from "./collection.ts";

/** A JSON Schema (draft 2020-12) as plain data. */
export type PlainSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a collection's stored bodies, for readers in any language: unknown fields are not refused, because
 * fields may be added later. Null if the collection's validator does not implement Standard JSON Schema (Zod 4 does).
 *
 * @example
 * import { collection, jsonSchemaOf } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * console.log(JSON.stringify(jsonSchemaOf(letters)));
 */
export function jsonSchemaOf({ schema }: Pick<AnyCollection, "schema">): PlainSchema | null {
  const standard = schema["~standard"] as Partial<StandardJSONSchemaV1["~standard"]>;
  if (!standard.jsonSchema) return null;
  return forReaders(standard.jsonSchema.output({ target: "draft-2020-12" })) as PlainSchema;
}

function forReaders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forReaders);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(
    ([name, field]) => !(name === "additionalProperties" && field === false) && name !== "readOnly",
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, forReaders(field)]));
}
