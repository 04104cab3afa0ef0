import type { DependencyFacts } from "../decide/eligible.ts";
import type { Fault } from "../decide/fault.ts";
import type { Database, Queryable } from "./database.ts";
import { sql, texts } from "./sql.ts";

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

/** One more failure of a dependency. */
export interface Outage {
  readonly name: string;
  readonly fault: Fault;
  readonly now: Date;
  readonly probeAt: Date;
  /** So many failures without a success open the breaker, and two that are so far apart. */
  readonly failuresMax: number;
  readonly lastingMs: number;
}

interface Streak {
  readonly failures: number;
  readonly since: Date;
  readonly after_fault: number;
}

/** `failing`: nobody knows yet whether the document or the dependency is to blame; `opened`: now everybody does. */
export type Standing = "failing" | "opened" | "open";

/**
 * Counts a failure of a dependency, for all workers together, and opens its breaker when that is enough. Documents that
 * were charged with it since the first failure get their attempts back: an outage is nobody's fault but the dependency's.
 */
export async function countOutage(db: Database, outage: Outage): Promise<Standing> {
  const { name, now, failuresMax, lastingMs } = outage;
  return await db.transaction(async (tx) => {
    const [row] = await tx.query<Streak>(sql`
      insert into headway.failing (dependency, failures, since, after_fault)
      values (${name}, 1, ${now}, (select coalesce(max(id), 0) from headway.fault))
      on conflict (dependency) do update set failures = failing.failures + 1
      returning failures, since, after_fault`);
    const { failures, since, after_fault } = row as Streak;
    const open = await listOpen(tx, [name]);
    const lasting = failures > 1 && now.getTime() - since.getTime() >= lastingMs;
    if (open.length === 0 && failures < failuresMax && !lasting) return "failing";
    await endStreak(tx, name);
    if (open.length > 0 || !(await openBreaker(tx, outage))) return "open";
    await forgive(tx, { name, after: after_fault, now });
    return "opened";
  });
}

/** The dependency has done its work for somebody: whoever fails now has only himself to blame. */
export async function endStreak(db: Queryable, name: string): Promise<void> {
  await db.query(sql`delete from headway.failing where dependency = ${name}`);
}

/** Dependencies that have failed lately, without a success since. */
export async function listFailing(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ dependency: string }>(sql`select dependency from headway.failing`);
  return rows.map((row) => row.dependency);
}

/**
 * Those of the dependencies that are known to be down. Until the transaction ends no breaker of the others opens, so that
 * whoever opens it finds everything that was charged before.
 */
export async function listDown(tx: Queryable, names: readonly string[]): Promise<string[]> {
  await tx.query(sql`select 1 from headway.failing where dependency = any (${texts(names)}) for share`);
  return await listOpen(tx, names);
}

async function listOpen(tx: Queryable, names: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    sql`select name from headway.dependency where open and name = any (${texts(names)})`,
  );
  return rows.map((row) => row.name);
}

/** Opens a breaker; true: it was closed before, so this is news. */
export async function openBreaker(
  db: Queryable,
  { name, fault, now, probeAt }: Pick<Outage, "name" | "fault" | "now" | "probeAt">,
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

/**
 * Takes the failures since a fault back from the documents they were put down to, as if these had not been tried. Those that
 * are done or dead by now keep their history: it says how often they were tried.
 */
async function forgive(
  tx: Queryable,
  { name, after, now }: { name: string; after: number; now: Date },
): Promise<void> {
  await tx.query(sql`
    with taken as (
      delete from headway.fault f
      where f.id > ${after} and f.fault->>'dependency' = ${name} and (f.fault->>'outage')::boolean
        and exists (select 1 from headway.task t where t.subject = f.subject and t.stage = f.stage)
      returning f.subject, f.stage, f.at, f.kind in ('rate-limited', 'not-found-yet') as waited
    ),
    charged as (
      select subject, stage, min(at) as since,
        count(*) filter (where waited) as waits, count(*) filter (where not waited) as attempts
      from taken group by 1, 2
    )
    update headway.task t
    set attempts = greatest(0, t.attempts - c.attempts), waits = greatest(0, t.waits - c.waits),
      ready_at = least(t.ready_at, ${now}), reason = ${`held: ${name}`},
      first_attempt_at = case when t.first_attempt_at >= c.since then null else t.first_attempt_at end
    from charged c
    where t.subject = c.subject and t.stage = c.stage`);
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
