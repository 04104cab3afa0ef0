import { exceededTotal, rowsOfEntries, type Tallied, type TallyEntry } from "../decide/tally.ts";
import type { Database, Queryable } from "./database.ts";
import { type Statement, sql } from "./sql.ts";

const parts = 16;

/** Adds entries of one sweep to the totals, all or nothing. */
export async function addToTally(db: Database, entries: readonly TallyEntry[]): Promise<void> {
  const { add, set } = rowsOfEntries(entries);
  await db.transaction(async (tx) => {
    if (add.length > 0) await tx.query(sql`${upsert(add)} set value = tally.value + excluded.value`);
    if (set.length > 0) await tx.query(sql`${upsert(set)} set value = excluded.value`);
  });
}

/** Rows are locked in the order of their keys, so two sweeps cannot block each other for ever. */
const upsert = (rows: readonly Tallied[]): Statement => sql`
  insert into headway.tally (name, labels, part, value)
  select r.name, r.labels, 0, sum(r.value)
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (name text, labels jsonb, value double precision)
  group by r.name, r.labels
  order by r.name, r.labels
  on conflict (name, labels, part) do update`;

/** Counts documents of a stage that used up their attempts, in the transaction that buries the tasks. */
export const tallyExceeded = (
  { stage, worker }: { readonly stage: number; readonly worker: number },
  documents: number,
): Statement => sql`
  insert into headway.tally (name, labels, part, value)
  select ${exceededTotal}, jsonb_build_object('collection', c.name), ${worker % parts}, ${documents}
  from headway.stage s join headway.collection c on c.id = s.reads
  where s.id = ${stage}
  on conflict (name, labels, part) do update set value = tally.value + excluded.value`;

/** All totals and levels. */
export const readTally = (db: Queryable): Promise<Tallied[]> =>
  db.query<Tallied>(sql`
    select name, labels, sum(value) as value
    from headway.tally
    group by name, labels
    order by name, labels`);
