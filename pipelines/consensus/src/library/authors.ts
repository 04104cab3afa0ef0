import { type Database, sql } from "@headway/engine";
import type { Author } from "../people/book.ts";

/** Every author as written, with the number of messages. */
export const readAuthors = (db: Database): Promise<Author[]> =>
  db.query<Author>(sql`
    select h.body -> 'from' ->> 'name' as name, h.body -> 'from' ->> 'address' as address,
      count(*)::int4 as messages, array_agg(distinct h.body ->> 'list') as lists,
      min(h.body ->> 'date') as "firstDate", max(h.body ->> 'date') as "lastDate"
    from headway_read.headers h
    group by 1, 2`);
