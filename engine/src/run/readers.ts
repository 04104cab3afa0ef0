import type { AnyCollection, DocumentOf } from "../define/collection.ts";
import type { Queryable } from "../store/database.ts";
import { readDocument, readDocuments } from "../store/documents.ts";

/** Documents as they are now; deleted ones are not among them. */
export interface Readers {
  read<C extends AnyCollection>(collection: C, id: string): Promise<DocumentOf<C> | null>;
  /** All documents of a collection, by id. */
  documents<C extends AnyCollection>(collection: C): AsyncIterable<DocumentOf<C>>;
}

const pageSize = 500;

/** `numberOf`: the number of a collection in the database; null: there is none of that name. */
export function makeReaders(db: Queryable, numberOf: (name: string) => number | null): Readers {
  return {
    async read(collection, id) {
      const number = numberOf(collection.name);
      const row = number === null ? null : await readDocument(db, number, id);
      return row && ({ ...row.body, id: row.id } as never);
    },
    async *documents(collection) {
      const number = numberOf(collection.name);
      if (number === null) return;
      for (let after = ""; ; ) {
        const page = await readDocuments(db, { collection: number, after, limit: pageSize });
        for (const row of page) yield { ...row.body, id: row.id } as never;
        const last = page.at(-1);
        if (!last) return;
        after = last.id;
      }
    },
  };
}
