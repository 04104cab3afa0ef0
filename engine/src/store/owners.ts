import type { Owned } from "../decide/own.ts";
import type { Queryable } from "./database.ts";
import { sql, texts } from "./sql.ts";

/** Who declares what in this database. */
export const readOwners = (db: Queryable) =>
  db.query<Owned>(sql`select pipeline, kind, name, meaning from headway.owner order by kind, name, pipeline`);

export async function writeOwners(
  tx: Queryable,
  { put, drop }: { put: readonly Owned[]; drop: readonly Owned[] },
): Promise<void> {
  const columns = (all: readonly Owned[]) =>
    sql`unnest(${texts(all.map((one) => one.pipeline))}, ${texts(all.map((one) => one.kind))},
      ${texts(all.map((one) => one.name))}, ${texts(all.map(({ meaning }) => meaning && JSON.stringify(meaning)))}
    ) as o (pipeline, kind, name, meaning)`;
  await tx.query(sql`
    delete from headway.owner k
    using ${columns(drop)}
    where k.pipeline = o.pipeline and k.kind = o.kind and k.name = o.name`);
  await tx.query(sql`
    insert into headway.owner (pipeline, kind, name, meaning)
    select o.pipeline, o.kind, o.name, o.meaning::jsonb from ${columns(put)}
    on conflict (kind, name, pipeline) do update set meaning = excluded.meaning`);
}
