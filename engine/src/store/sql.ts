import { createHash } from "node:crypto";

/** SQL text with separate parameters, ready to run. */
export interface Runnable {
  readonly text: string;
  readonly values: readonly Value[];
  /** Set for the hot statements: prepared once per connection under this name. */
  readonly name?: string;
}

/**
 * A statement made by the `sql` tag. Only instances of this process are spliced into other statements: an object of
 * the same shape from JSON is refused, because its text would run as SQL.
 *
 * @example
 * import { type Database, type Statement, sql } from "@headway/engine";
 *
 * const newest = (limit: number): Statement => sql`select name from shop.order order by at desc limit ${limit}`;
 * export const readNewest = (database: Database) => database.query<{ name: string }>(newest(10));
 */
export class Statement implements Runnable {
  readonly text: string;
  readonly values: readonly Value[];
  declare readonly name?: string;
  /** The brand: missing in object literals, so the compiler refuses look-alikes as well. */
  readonly #made = true;
  constructor(text: string, values: readonly Value[], name?: string) {
    this.text = text;
    this.values = values;
    if (name !== undefined) this.name = name;
  }
  static isOne(part: unknown): part is Statement {
    return typeof part === "object" && part !== null && #made in part;
  }
}

/** A whole column as one parameter for `unnest`; each database uses its fastest encoding. */
export class Column {
  readonly type: ColumnType;
  readonly items: readonly unknown[];
  constructor(type: ColumnType, items: readonly unknown[]) {
    this.type = type;
    this.items = items;
  }
}

export type ColumnType = "int8" | "int4" | "int2" | "text" | "bytea" | "timestamptz" | "uuid" | "bool";
export type Value = string | number | bigint | boolean | Date | Uint8Array | Column | null;

export const int8s = (items: readonly (number | bigint | null)[]) => new Column("int8", items);
export const int4s = (items: readonly (number | null)[]) => new Column("int4", items);
export const int2s = (items: readonly (number | null)[]) => new Column("int2", items);
/**
 * A column of texts as one parameter, for `unnest` and `any`.
 *
 * @example
 * import { type Database, sql, texts } from "@headway/engine";
 *
 * export const readNamed = (database: Database, names: readonly string[]) =>
 *   database.query(sql`select * from shop.item where name = any(${texts(names)}::text[])`);
 */
export const texts = (items: readonly (string | null)[]) => new Column("text", items);
export const byteas = (items: readonly (Uint8Array | null)[]) => new Column("bytea", items);
export const times = (items: readonly (Date | null)[]) => new Column("timestamptz", items);
export const uuids = (items: readonly (string | null)[]) => new Column("uuid", items);
export const bools = (items: readonly (boolean | null)[]) => new Column("bool", items);

type Part = Value | Statement;

/**
 * Writes a statement: values become parameters, nested statements are spliced in and renumbered.
 *
 * @example
 * import { type Database, sql } from "@headway/engine";
 *
 * export const countSince = (database: Database, since: Date) =>
 *   database.query<{ orders: number }>(sql`select count(*)::int4 as orders from shop.order where at > ${since}`);
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Statement {
  const values: Value[] = [];
  // A column used twice is one parameter: its bodies are sent once.
  const place = (value: Value): number => {
    const at = value instanceof Column ? values.indexOf(value) : -1;
    return at >= 0 ? at + 1 : values.push(value);
  };
  let text = strings[0] as string;
  for (const [index, part] of parts.entries()) {
    if (Statement.isOne(part)) {
      const places = part.values.map(place);
      text += part.text.replace(/\$(\d+)/g, (_, number) => `$${places[Number(number) - 1]}`);
    } else {
      text += `$${place(part)}${castOf(part)}`;
    }
    text += strings[index + 1];
  }
  return new Statement(text, values);
}

/** Marks a statement as hot: prepared once per connection. The text must be the same for each call. */
export const prepared = (name: string, statement: Statement): Statement =>
  new Statement(statement.text, statement.values, name);

/** A statement of ours without parameters, e.g. a definition of a table; never made of input. */
export const statementOf = (text: string): Statement => new Statement(text, []);

/** A number of the database as a literal, where a partial index needs a constant. */
export const literal = (number: number): Statement => {
  if (!Number.isSafeInteger(number)) throw new TypeError(`${number} is no whole number.`);
  return new Statement(String(number), []);
};

/** Written as a constant text. */
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A statement's text with its schema in place, and a unique hash. */
export interface PlacedText {
  readonly text: string;
  readonly hash: string;
}

const placedMax = 2_000;

/** Substitutes a schema for `headway.` and its schema for readers for `headway_read.` in statements; caches each text, because there are few, used often. */
export function placeIn(schema: string): (text: string) => PlacedText {
  if (!/^[a-z_][a-z0-9_-]{0,57}$/i.test(schema)) {
    throw new Error(`The schema "${schema}" is not usable: expected up to 58 letters, digits, "_" or "-".`);
  }
  const placed = new Map<string, PlacedText>();
  return (text) => {
    const seen = placed.get(text);
    if (seen) return seen;
    const final = schema === "headway" ? text : text.replace(/\bheadway(_read)?\./g, `"${schema}$1".`);
    const fresh = { text: final, hash: createHash("sha256").update(final).digest("base64url").slice(0, 12) };
    if (placed.size >= placedMax) placed.clear();
    placed.set(text, fresh);
    return fresh;
  };
}

/** The name under which a hot statement is prepared; PostgreSQL cuts names after 63 bytes. */
export const preparedName = (name: string, hash: string): string => `${hash}_${name}`.slice(0, 63);

/** Adds the type to a parameter, so PostgreSQL need not infer it. */
function castOf(value: Value): string {
  if (value instanceof Column) return `::${value.type}[]`;
  if (value instanceof Date) return "::timestamptz";
  if (value instanceof Uint8Array) return "::bytea";
  if (typeof value === "number") return Number.isInteger(value) ? "::int8" : "::float8";
  if (typeof value === "bigint") return "::int8";
  if (typeof value === "boolean") return "::bool";
  if (typeof value === "string") return "::text";
  if (value === null || value === undefined) return "";
  throw new TypeError(`A parameter of a statement must be a plain value, not ${typeof value}.`);
}

/** Written as an identifier, so that any name is just a name. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
