import { type AnyCollection, jsonSchemaOf, type PlainSchema } from "@headway/engine";
import { assessments, chunks, messages, positions, summaries, threads } from "../collections.ts";
import type { Exportable } from "./exports.ts";

type Fields = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const textOrNull = { anyOf: [{ type: "string" }, { type: "null" }] };

/** Fields of exported rows; fields of a collection are taken over with their types. */
const fieldsOf: Readonly<Record<Exportable, () => Fields>> = {
  messages: () => ({ id: text, ...from(messages), parent: textOrNull, thread: textOrNull }),
  threads: () => ({
    id: text,
    ...from(threads),
    messages: { type: "array", items: text },
    parents: { type: "object", additionalProperties: textOrNull },
  }),
  chunks: () => ({ id: text, ...from(chunks) }),
  summaries: () => ({
    thread: text,
    ...from(summaries, ["used", "fallback"]),
    ...from(assessments, ["subject", "messages", "salient"]),
  }),
  positions: () => ({ id: text, ...from(positions, ["list"]) }),
};

/** The JSON Schema of one exported row. Every row has every field. */
export function exportSchema(kind: Exportable): PlainSchema {
  const properties = fieldsOf[kind]();
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties,
    required: Object.keys(properties),
  };
}

function from(collection: AnyCollection, without: readonly string[] = []): Fields {
  const { properties } = jsonSchemaOf(collection) as { readonly properties: Fields };
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !without.includes(name)));
}
