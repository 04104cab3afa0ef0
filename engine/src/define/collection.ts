import type { StandardSchemaV1 } from "@standard-schema/spec";
import { DefinitionError } from "./definition-error.ts";
import type { Instead } from "./instead.ts";

/** Documents of one shape. `Given` is the author's input, `Body` the stored output of the schema. */
export interface Collection<Name extends string = string, Given = unknown, Body extends object = object> {
  /** Unique in a database. */
  readonly name: Name;
  /** Checks bodies; any Standard Schema (zod, valibot, arktype). */
  readonly schema: StandardSchemaV1<Given, Body>;
  /** Describes a document. The id must follow from the content or its origin, never from chance or time. */
  document(id: string, body: Given): DocumentDraft<Name, Given>;
  /** Some fields of its documents, for a look-up that needs no more. */
  only<const Field extends keyof Body & string>(...fields: readonly Field[]): Part<this, Field>;
}

/** Some fields of the documents of a collection; made by `only`. */
export interface Part<Of extends AnyCollection = AnyCollection, Field extends string = string> {
  readonly of: Of;
  readonly fields: readonly Field[];
}

/** A document yielded by a stage, before its commit. */
export interface DocumentDraft<Name extends string = string, Given = unknown> {
  /** The name of its collection. */
  readonly collection: Name;
  /** Unique in its collection. */
  readonly id: string;
  /** Checked by the schema of the collection. */
  readonly body: Given;
}

/** A stored document as seen by stages: body plus id. */
export type Document<Body extends object = object> = Readonly<Body> & { readonly id: string };

/** A collection of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: a collection of any shape; shapes are checked at their use.
export type AnyCollection = Collection<any, any, any>;
/** The documents of a collection, as stages see them. */
export type DocumentOf<C> = C extends Collection<string, infer _Given, infer Body> ? Document<Body> : never;
export type DraftOf<C> =
  C extends Collection<infer Name, infer Given, infer _Body> ? DocumentDraft<Name, Given> : never;

interface WithoutId {
  readonly id?: Instead<"the id is no field of the body: give it to document(id, body)">;
}

/**
 * Declares a collection. The body must be an object without a field `id`, which is reserved for the document's id.
 *
 * @example
 * import { collection } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * console.log(letters.document("a", { text: "Dear Ann" }));
 */
export function collection<const Name extends string, Given, Body extends object & WithoutId>(
  name: Name,
  schema: StandardSchemaV1<Given, Body>,
): Collection<Name, Given, Body> {
  checkName("collection", name);
  const made: Collection<Name, Given, Body> = Object.freeze({
    name,
    schema,
    document: (id: string, body: Given) => ({ collection: name, id, body }),
    only: ((...fields) => ({ of: made, fields })) as Collection<Name, Given, Body>["only"],
  });
  return made;
}

export function checkName(what: string, name: string): void {
  if (/^[a-z][a-z0-9_-]{0,62}$/.test(name)) return;
  throw new DefinitionError(
    `The ${what} "${name}" needs another name: lower-case letters, digits, "-" and "_", at most 63, a letter first.`,
  );
}
