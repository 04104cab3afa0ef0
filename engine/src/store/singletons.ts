import { createHash } from "node:crypto";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** Takes or keeps a role for a single worker; a dead worker's role is free at once, a hung worker's after `until`. */
export async function takeSingleton(
  db: Queryable,
  { name, worker, now, until }: { name: string; worker: number; now: Date; until: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into headway.singleton (name, worker, until) values (${name}, ${worker}, ${until})
    on conflict (name) do update set worker = excluded.worker, until = excluded.until
    where singleton.worker = excluded.worker
      or singleton.until < ${now}
      or not exists (select 1 from headway.worker w where w.id = singleton.worker and w.evicted_at is null)
    returning 1`);
  return rows.length > 0;
}

/** Whether a living worker has a role. */
export async function isHeld(db: Queryable, { name, now }: { name: string; now: Date }): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from headway.singleton s join headway.worker w on w.id = s.worker and w.evicted_at is null
    where s.name = ${name} and s.until >= ${now}`);
  return rows.length > 0;
}

export async function leaveSingletons(db: Queryable, worker: number): Promise<void> {
  await db.query(sql`delete from headway.singleton where worker = ${worker}`);
}

/** Advisory lock key of manual sweeps, so only one runs at a time. */
export const sweepLockKey = ({ schema }: { readonly schema: string }): bigint =>
  createHash("sha256").update(`headway sweep ${schema}`).digest().readBigInt64BE();
