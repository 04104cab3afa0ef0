import type { Queryable } from "./database.ts";
import { type Statement, sql } from "./sql.ts";

/** The producer in the rows of these documents leaves: the next of those who yield them as well takes its place there. */
export async function passToHeirs(tx: Queryable, documents: Statement): Promise<void> {
  await tx.query(sql`
    with heir as (
      select distinct on (c.document) c.document, c.producer, c.stage, c.stamp
      from headway.co_producer c
      where c.document in (${documents})
      order by c.document, c.producer, c.stage
    ), moved as (
      update headway.document d
      set producer = h.producer, producer_stage = h.stage, stamp = h.stamp
      from heir h
      where d.subject = h.document
    )
    delete from headway.co_producer c
    using heir h
    where c.document = h.document and c.producer = h.producer and c.stage = h.stage`);
}
