import type { Queryable } from "./database.ts";
import { int8s, type Statement, sql } from "./sql.ts";

/** Replaces a leaving producer in the rows of these documents by the next co-producer. */
export async function passToCoProducers(tx: Queryable, documents: Statement): Promise<void> {
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

/**
 * Removes producers from all or some of their outputs. An output with another producer is passed on and stays;
 * returns the outputs without any producer.
 */
export async function leaveOutputs(
  tx: Queryable,
  producers: readonly number[],
  outputs: readonly number[] | null,
): Promise<number[]> {
  const leaving = int8s(producers);
  const among = (column: Statement): Statement =>
    outputs === null ? sql`` : sql`and ${column} = any (${int8s(outputs)})`;
  // A source may have the same number as a document: as a producer its stage is 0.
  await tx.query(sql`
    delete from headway.co_producer where producer = any (${leaving}) and stage <> 0 ${among(sql`document`)}`);
  const theirs = sql`producer = any (${leaving}) and producer_stage <> 0 ${among(sql`subject`)}`;
  await passToCoProducers(tx, sql`select subject from headway.document where ${theirs}`);
  const rows = await tx.query<{ subject: number }>(sql`
    select subject
    from headway.document
    where ${theirs} and gone_at is null
    order by subject
    for update`);
  return rows.map((row) => row.subject);
}
