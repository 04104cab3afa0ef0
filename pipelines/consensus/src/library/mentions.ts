import { type Database, sql } from "@headway/engine";

/** Threads with the letters in subject or text of a message, in any case. */
export async function findThreadsWith(
  db: Database,
  { literal, list, limit }: { readonly literal: string; readonly list?: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with named as (
      select m.id
      from headway_read.messages m
      where (position(lower(${literal}) in lower(m.body ->> 'subject')) > 0
          or position(lower(${literal}) in lower(m.body ->> 'clean')) > 0)
        and (${list ?? null}::text is null or m.body ->> 'list' = ${list ?? null}::text)
    )
    select distinct t.id
    from headway_read.threads t
    cross join lateral jsonb_array_elements(t.body -> 'messages') as p (place)
    where p.place ->> 'message' in (select id from named)
    order by t.id
    limit ${limit}`);
  return rows.map(({ id }) => id);
}
