import type { StandardSchemaV1 } from "@standard-schema/spec";
import { DefinitionError } from "./definition-error.ts";

/** Documents of one shape. `Given` is what an author hands in, `Body` what the schema makes of it and is stored. */
export interface Collection<Name extends string = string, Given = unknown, Body extends object = object> {
  readonly name: Name;
  readonly schema: StandardSchemaV1<Given, Body>;
  /** A document that should exist. The id must follow from the content or its origin, never from chance or time. */
  document(id: string, body: Given): DocumentDraft<Name, Given>;
}

/** What a stage yields: it does not exist before the engine has committed it. */
export interface DocumentDraft<Name extends string = string, Given = unknown> {
  readonly collection: Name;
  readonly id: string;
  readonly body: Given;
}

/** A stored document as stages see it: its body, and its id. */
export type Document<Body extends object = object> = Readonly<Body> & { readonly id: string };

// biome-ignore lint/suspicious/noExplicitAny: a collection of whatever shape; the shapes are checked where they are used.
export type AnyCollection = Collection<any, any, any>;
export type DocumentOf<C> = C extends Collection<string, infer _Given, infer Body> ? Document<Body> : never;
export type DraftOf<C> =
  C extends Collection<infer Name, infer Given, infer _Body> ? DocumentDraft<Name, Given> : never;

/** A body must be an object without a field `id`: a document's id is its own. */
export function collection<const Name extends string, Given, Body extends object & { readonly id?: never }>(
  name: Name,
  schema: StandardSchemaV1<Given, Body>,
): Collection<Name, Given, Body> {
  checkName("collection", name);
  return Object.freeze({
    name,
    schema,
    document: (id: string, body: Given) => ({ collection: name, id, body }),
  });
}

export function checkName(what: string, name: string): void {
  if (/^[a-z][a-z0-9_-]{0,62}$/.test(name)) return;
  throw new DefinitionError(
    `The ${what} "${name}" needs another name: lower-case letters, digits, "-" and "_", at most 63, a letter first.`,
  );
}
