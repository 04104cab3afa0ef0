import { type Database, sql, texts } from "@headway/engine";

/** Bodies of documents by id. */
export async function readBodies<Body extends object>(
  db: Database,
  collection: string,
  ids: readonly string[],
): Promise<Map<string, Body>> {
  const rows = await db.query<{ id: string; body: Body }>(sql`
    select d.id, d.body
    from headway.document d
    join headway.collection c on c.id = d.collection and c.name = ${collection}
    where d.id = any (${texts(ids)}) and d.gone_at is null`);
  return new Map(rows.map(({ id, body }) => [id, body]));
}
