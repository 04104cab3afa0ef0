import type { StandardSchemaV1 } from "@standard-schema/spec";
import { DefinitionError } from "./definition-error.ts";
import type { Instead } from "./instead.ts";

/** Documents of one shape. `Given` is the author's input, `Body` the stored output of the schema. */
export interface Collection<Name extends string = string, Given = unknown, Body extends object = object> {
  /** Unique in a database. */
  readonly name: Name;
  /** Checks bodies; any Standard Schema (zod, valibot, arktype). */
  readonly schema: StandardSchemaV1<Given, Body>;
  /** Declared indexes, each a list of fields. */
  readonly indexes: Indexes;
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

/** Indexes by name, each with its fields, the most important first. */
export type Indexes<Field extends string = string> = Readonly<Record<string, readonly Field[]>>;

/** A value that documents are found by. */
export type Plain = string | number | boolean | null;

/** The fields of a body that documents are found by. */
export type PlainField<Body> = {
  [Field in Exclude<keyof Body, "id">]-?: Body[Field] extends Plain | undefined ? Field : never;
}[Exclude<keyof Body, "id">] &
  string;

/** Options of `collection`. */
export interface CollectionOptions<Field extends string = string> {
  /**
   * Indexes for `find`, `page` and `count`: `{ byCustomer: ["customer"], byDay: ["customer", "day"] }`. An index helps a question
   * that names its first field, or more of its fields. Made and dropped at the next start after a change, also for documents that
   * exist.
   * @default {}
   */
  readonly indexes?: Indexes<Field>;
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
 * const letters = collection("letters", z.object({ text: z.string(), to: z.string() }), { indexes: { byTo: ["to"] } });
 * console.log(letters.document("a", { text: "Dear Ann", to: "Ann" }));
 */
export function collection<const Name extends string, Given, Body extends object & WithoutId>(
  name: Name,
  schema: StandardSchemaV1<Given, Body>,
  options: CollectionOptions<PlainField<Body>> = {},
): Collection<Name, Given, Body> {
  checkName("collection", name);
  const { indexes = {} } = options;
  for (const [index, fields] of Object.entries(indexes)) checkIndex(name, index, fields);
  const made: Collection<Name, Given, Body> = Object.freeze({
    name,
    schema,
    indexes,
    document: (id: string, body: Given) => ({ collection: name, id, body }),
    only: ((...fields) => ({ of: made, fields })) as Collection<Name, Given, Body>["only"],
  });
  return made;
}

const fieldsMax = 8;

function checkIndex(collection: string, index: string, fields: readonly string[]): void {
  if (fields.length >= 1 && fields.length <= fieldsMax && new Set(fields).size === fields.length) return;
  throw new DefinitionError(
    `The index "${index}" of collection "${collection}" needs one to ${fieldsMax} different fields.`,
  );
}

export function checkName(what: string, name: string): void {
  if (/^[a-z][a-z0-9_-]{0,62}$/.test(name)) return;
  throw new DefinitionError(
    `The ${what} "${name}" needs another name: lower-case letters, digits, "-" and "_", at most 63, a letter first.`,
  );
}
