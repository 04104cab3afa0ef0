import type { AnyCollection, DocumentOf, PlainField } from "../define/collection.ts";
import { DefinitionError } from "../define/definition-error.ts";
import type { Queryable } from "../store/database.ts";
import {
  countFound,
  type DocumentRow,
  findDocuments,
  readDocument,
  readDocuments,
  readNamed,
} from "../store/documents.ts";

/** Current documents, without deleted documents. */
export interface Readers<Holds extends AnyCollection = AnyCollection> {
  /** One document as it is now, or null. */
  read<C extends Holds>(collection: C, id: string): Promise<DocumentOf<C> | null>;
  /** Several documents by their ids, in the order of the ids; missing ones are left out. */
  readAll<C extends Holds>(collection: C, ids: readonly string[]): Promise<readonly DocumentOf<C>[]>;
  /** All documents of a collection, by id. */
  documents<C extends Holds>(collection: C): AsyncIterable<DocumentOf<C>>;
  /** Documents with the given fields, by id. Without a declared index the collection is read from `after` on until `limit` are found. */
  find<C extends Holds>(collection: C, query?: FindQuery<C>): Promise<readonly DocumentOf<C>[]>;
  /** The same as a page with the `after` of the next page; null: this was the last. */
  page<C extends Holds>(collection: C, query?: FindQuery<C>): Promise<Page<C>>;
  /** Number of documents with the given fields. Without a declared index the whole collection is read. */
  count<C extends Holds>(collection: C, query?: Pick<FindQuery<C>, "where">): Promise<number>;
}

/** A question to `find`, `page` and `count`. */
export interface FindQuery<C extends AnyCollection = AnyCollection> {
  /** Values of plain fields (text, number, yes or no, null), all of which have to be equal. */
  readonly where?: { readonly [Field in PlainField<DocumentOf<C>>]?: DocumentOf<C>[Field] };
  /** The last id of the page before. */
  readonly after?: string;
  /**
   * At most so many documents, from 1 to 10,000.
   * @default 100
   */
  readonly limit?: number;
}

/** A page of documents. */
export interface Page<C extends AnyCollection = AnyCollection> {
  /** By id. */
  readonly documents: readonly DocumentOf<C>[];
  /** For `after` of the next page; null: there is none. */
  readonly next: string | null;
}

type MaybePromise<T> = T | Promise<T>;

const pageSize = 500;
const limits = { default: 100, max: 10_000 } as const;

/** `numberOf`: the number of a collection in the database; null: there is none of that name. */
export function makeReaders(db: Queryable, numberOf: (name: string) => MaybePromise<number | null>): Readers {
  async function find({ name, indexes }: AnyCollection, query: FindQuery, more = 0): Promise<DocumentRow[]> {
    const where = whereOf(name, query.where);
    const limit = limitOf(name, query.limit) + more;
    const collection = await numberOf(name);
    return collection === null
      ? []
      : await findDocuments(db, { collection, where, indexes, after: query.after ?? "", limit });
  }
  return {
    async read(collection, id) {
      const number = await numberOf(collection.name);
      const row = number === null ? null : await readDocument(db, number, id);
      return row && documentOf(row);
    },
    async readAll(collection, ids) {
      const number = await numberOf(collection.name);
      const rows = number === null || ids.length === 0 ? [] : await readNamed(db, number, ids);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => byId.get(id) ?? []).map(documentOf);
    },
    async *documents(collection) {
      const number = await numberOf(collection.name);
      if (number === null) return;
      for (let after = ""; ; ) {
        const page = await readDocuments(db, { collection: number, after, limit: pageSize });
        for (const row of page) yield documentOf(row);
        const last = page.at(-1);
        if (!last) return;
        after = last.id;
      }
    },
    async find(collection, query = {}) {
      return (await find(collection, query)).map(documentOf);
    },
    async page(collection, query = {}) {
      const rows = await find(collection, query, 1);
      const shown = rows.slice(0, limitOf(collection.name, query.limit));
      return {
        documents: shown.map(documentOf),
        next: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null,
      };
    },
    async count({ name, indexes }, { where } = {}) {
      const asked = whereOf(name, where);
      const collection = await numberOf(name);
      return collection === null ? 0 : await countFound(db, { collection, where: asked, indexes });
    },
  };
}

const documentOf = ({ body, id }: DocumentRow) => ({ ...body, id }) as never;

/** A value of another kind, or undefined by mistake, would find more or less than was asked for. */
function whereOf(collection: string, where: object = {}): Readonly<Record<string, unknown>> {
  for (const [field, value] of Object.entries(where)) {
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) continue;
    throw new DefinitionError(
      `Documents of "${collection}" cannot be found by ${field}: give a text, a number, true, false or null.`,
    );
  }
  return where as Readonly<Record<string, unknown>>;
}

function limitOf(collection: string, limit: number = limits.default): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= limits.max) return limit;
  throw new DefinitionError(
    `Documents of "${collection}" cannot be found with limit ${limit}: give a whole number from 1 to ${limits.max}.`,
  );
}
