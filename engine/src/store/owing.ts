import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** Stages that are still to be owed to documents which existed before them, and the last number that is done. */
export async function readOwing(db: Queryable): Promise<Map<number, number>> {
  const rows = await db.query<{ id: number; owing_after: number }>(sql`
    select id, owing_after from headway.stage where owing_after is not null order by id`);
  return new Map(rows.map((row) => [row.id, row.owing_after]));
}

/** A page is owed; null: the last one. Nothing happens if another worker has moved the cursor meanwhile. */
export async function moveOwing(
  tx: Queryable,
  { stage, from, to }: { stage: number; from: number; to: number | null },
): Promise<void> {
  await tx.query(sql`
    update headway.stage set owing_after = ${to}::int8 where id = ${stage} and owing_after = ${from}`);
}
