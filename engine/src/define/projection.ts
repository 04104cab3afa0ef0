import { type AnyCollection, checkName } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";

/** A table kept in step with a collection, in the transaction of each commit. Made by `projection`. */
export interface Projection<Of extends AnyCollection = AnyCollection> {
  /** The name of the table in the schema `headway_read`. */
  readonly name: string;
  /** The collection whose documents it shows. */
  readonly of: Of;
  /** Its columns beside `id`, in order. */
  readonly columns: readonly ProjectionColumn[];
  /** Its indexes. */
  readonly indexes: readonly ProjectionIndex[];
  /** An extension of PostgreSQL that its columns need; the projection is left out where the extension is missing. */
  readonly extension: string | null;
}

/** A column of a projection. */
export interface ProjectionColumn {
  readonly name: string;
  /** A type of PostgreSQL. */
  readonly type: string;
  /** An SQL expression of `id` (text) and `body` (jsonb). */
  readonly value: string;
}

/** An index of a projection. */
export interface ProjectionIndex {
  /** The access method: `btree`, `gin`, … */
  readonly using: string;
  readonly on: readonly string[];
}

/** Options of `projection`. */
export interface ProjectionOptions<Of extends AnyCollection = AnyCollection> {
  /** The collection whose documents it shows. */
  readonly of: Of;
  /**
   * Columns beside `id`. A type alone takes the field of the same name; `value` is an SQL expression of `id` (text) and `body`
   * (jsonb) without a look at other tables. An expression that fails makes the commit of its document fail.
   */
  readonly columns: Readonly<Record<string, string | { readonly type: string; readonly value: string }>>;
  /**
   * Indexes by name: columns for a btree, or columns with another access method.
   * @default {}
   */
  readonly indexes?: Readonly<
    Record<string, readonly string[] | { readonly using: string; readonly on: readonly string[] }>
  >;
  /**
   * An extension that the columns need, e.g. `vector`. Where a server has none, the projection is left out until it has.
   * @default null
   */
  readonly extension?: string | null;
}

/**
 * Declares a table that shows the documents of a collection, one row each, for SQL of your own: `headway_read.<name>`. The table
 * is kept by the commit that writes, changes or removes a document, and filled at the start of an engine for documents that exist.
 * A changed declaration makes the table anew.
 *
 * @example
 * import { collection, pipeline, projection, stage } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string(), to: z.string() }));
 * const keeping = stage("keeping", { reads: letters, writes: [], *run() {} });
 * const words = projection("letter_words", {
 *   of: letters,
 *   columns: { to: "text", words: { type: "tsvector", value: "to_tsvector('english', body ->> 'text')" } },
 *   indexes: { words: { using: "gin", on: ["words"] } },
 * });
 * export const post = pipeline("post", { stages: [keeping], projections: [words] });
 */
export function projection<Of extends AnyCollection>(
  name: string,
  { of, columns, indexes = {}, extension = null }: ProjectionOptions<Of>,
): Projection<Of> {
  checkName("projection", name);
  const made = Object.entries(columns).map(([column, given]) => columnOf(name, column, given));
  if (made.length === 0) refuse(name, "has no columns");
  const known = new Set(["id", ...made.map((one) => one.name)]);
  const access = Object.values(indexes).map((given): ProjectionIndex => {
    const { using, on } = "using" in given ? given : { using: "btree", on: given };
    const unknown = on.find((one) => !known.has(one));
    if (unknown !== undefined || on.length === 0 || !plainName.test(using))
      refuse(name, `has an index on ${unknown ?? "nothing"}, which is none of its columns`);
    return { using, on };
  });
  if (extension !== null && !plainName.test(extension))
    refuse(name, `needs "${extension}", which is no name`);
  return Object.freeze({ name, of, columns: made, indexes: access, extension });
}

const plainName = /^[a-z][a-z0-9_]{0,58}$/;
const plainType = /^[a-z][a-z0-9_ ]*(\(\d+(, ?\d+)?\))?(\[\])?$/;

function columnOf(
  projection: string,
  name: string,
  given: string | { readonly type: string; readonly value: string },
): ProjectionColumn {
  const { type, value } = typeof given === "string" ? { type: given, value: fieldOf(name, given) } : given;
  if (name === "id" || !plainName.test(name))
    refuse(projection, `cannot have a column "${name}": lower-case letters, digits and "_", and not "id"`);
  if (!plainType.test(type))
    refuse(projection, `has a column "${name}" of type "${type}", which is no type of PostgreSQL`);
  return { name, type, value };
}

const fieldOf = (field: string, type: string): string => {
  if (type === "jsonb") return `body -> '${field}'`;
  return type === "text" ? `body ->> '${field}'` : `(body ->> '${field}')::${type}`;
};

function refuse(name: string, problem: string): never {
  throw new DefinitionError(`The projection "${name}" ${problem}.`);
}
