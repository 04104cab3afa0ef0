import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** What a person did, kept for ever. */
export interface Act {
  readonly at: Date;
  readonly actor: string;
  readonly act: string;
  readonly target: string;
  readonly why: string | null;
  readonly detail: object;
}

export interface AuditRow extends Act {
  readonly id: number;
}

/** Writes down an act, in the transaction of the act itself. */
export async function insertAct(tx: Queryable, act: Act): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`
    insert into headway.audit (at, actor, act, target, why, detail)
    values (${act.at}, ${act.actor}, ${act.act}, ${act.target}, ${act.why}, ${JSON.stringify(act.detail)}::jsonb)
    returning id`);
  return (row as { id: number }).id;
}

/** Acts before `before`, newest first. */
export const listActs = (db: Queryable, { before, limit }: { before: number | null; limit: number }) =>
  db.query<AuditRow>(sql`
    select id, at, actor, act, target, why, detail
    from headway.audit
    where ${before}::int8 is null or id < ${before}::int8
    order by id desc
    limit ${limit}`);

/** Locks the first act of a series and reads the newest one, so that two people do not continue it at once. */
export async function holdSeries(
  tx: Queryable,
  { first, act }: { first: number; act: string },
): Promise<AuditRow | null> {
  await tx.query(sql`select 1 from headway.audit where id = ${first} and act = ${act} for update`);
  const [row] = await tx.query<AuditRow>(sql`
    select id, at, actor, act, target, why, detail
    from headway.audit
    where act = ${act} and (id = ${first} or (id > ${first} and (detail ->> 'ramp')::int8 = ${first}))
    order by id desc
    limit 1`);
  return row ?? null;
}
