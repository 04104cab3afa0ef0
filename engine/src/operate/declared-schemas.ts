import { doneSchema, failedSchema, failedType, schemaOf } from "../decide/envelope.ts";
import { jsonSchemaOf, type PlainSchema } from "../define/json-schema-of.ts";
import type { Pipeline } from "../define/pipeline.ts";

export interface DeclaredSchema {
  readonly kind: "documents" | "events";
  readonly name: string;
  /** Null: the collection's validator cannot describe itself. */
  readonly schema: PlainSchema | null;
}

/** Schemas of all documents and events of pipelines, made from the declarations. */
export function declaredSchemas(pipelines: readonly Pipeline[]): DeclaredSchema[] {
  const documents = new Map<string, DeclaredSchema>();
  const events = new Map<string, DeclaredSchema>();
  for (const { collections, stages } of pipelines) {
    for (const collection of collections) {
      const { name } = collection;
      documents.set(name, { kind: "documents", name, schema: jsonSchemaOf(collection) });
    }
    for (const { announces } of stages) {
      const { done } = announces;
      const failed = failedType(announces);
      if (done !== undefined)
        events.set(done, { kind: "events", name: done, schema: { ...schemaOf(done, doneSchema) } });
      events.set(failed, { kind: "events", name: failed, schema: { ...schemaOf(failed, failedSchema) } });
    }
  }
  return [...documents.values(), ...events.values()];
}
