import type { DependencyFacts } from "../decide/eligible.ts";
import type { Fault } from "../decide/fault.ts";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

export interface DependencyRow extends DependencyFacts {
  readonly probes: number;
  readonly fault: Fault | null;
}

/** Dependencies that are down, or were until a moment ago. */
export async function readDependencies(db: Queryable): Promise<DependencyRow[]> {
  const rows = await db.query<{
    name: string;
    open: boolean;
    since: Date;
    changed_at: Date;
    probe_at: Date;
    probes: number;
    fault: Fault | null;
  }>(
    sql`select name, open, since, changed_at, probe_at, probes, fault from headway.dependency order by name`,
  );
  return rows.map(({ changed_at, probe_at, ...row }) => ({
    ...row,
    changedAt: changed_at,
    probeAt: probe_at,
  }));
}

/** Opens a breaker; true: it was closed before, so this is news. */
export async function openBreaker(
  db: Queryable,
  { name, fault, now, probeAt }: { name: string; fault: Fault; now: Date; probeAt: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into headway.dependency (name, open, changed_at, since, probe_at, probes, fault)
    values (${name}, true, ${now}, ${now}, ${probeAt}, 0, ${JSON.stringify(fault)}::jsonb)
    on conflict (name) do update
    set open = true, changed_at = excluded.changed_at, since = excluded.since, probe_at = excluded.probe_at, probes = 0,
      fault = excluded.fault
    where not dependency.open
    returning 1`);
  return rows.length > 0;
}

/** Takes the right to probe: only one worker gets it, and the next turn comes at `nextAt`. */
export async function takeProbe(
  db: Queryable,
  { name, now, nextAt }: { name: string; now: Date; nextAt: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.dependency
    set probe_at = ${nextAt}, probes = probes + 1
    where name = ${name} and open and probe_at <= ${now}
    returning 1`);
  return rows.length > 0;
}

/** Closes a breaker; the time it was open, or null when it was not. */
export async function closeBreaker(db: Queryable, name: string, now: Date): Promise<number | null> {
  const [row] = await db.query<{ since: Date }>(sql`
    update headway.dependency
    set open = false, changed_at = ${now}
    where name = ${name} and open
    returning since`);
  return row ? now.getTime() - row.since.getTime() : null;
}
