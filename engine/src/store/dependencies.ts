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
  /** Failures without a success that open the breaker; two failures `lastingMs` apart also do. */
  readonly failuresMax: number;
  readonly lastingMs: number;
}

interface Streak {
  readonly failures: number;
  readonly since: Date;
  readonly after_fault: number;
}

/** `failing`: document or dependency may be at fault; `opened`: the breaker has just opened. */
export type Standing = "failing" | "opened" | "open";

/**
 * Counts a failure of a dependency, for all workers together, and opens the breaker at the limit. Attempts charged to
 * documents since the first failure are refunded: an outage is never a document's fault.
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

/** A success of the dependency ends the streak: later failures start a new count. */
export async function endStreak(db: Queryable, name: string): Promise<void> {
  await db.query(sql`delete from headway.failing where dependency = ${name}`);
}

/** Dependencies with recent failures and no success since. */
export async function listFailing(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ dependency: string }>(sql`select dependency from headway.failing`);
  return rows.map((row) => row.dependency);
}

/**
 * The given dependencies known to be down. Until the end of the transaction no breaker of the rest opens, so the
 * opener finds everything charged before.
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

/** Opens a breaker; true: it was closed before. */
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
 * Refunds the failures since a fault to the charged documents, as if never attempted. Tasks done or dead by now keep
 * their history, for the count of attempts.
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

/** Takes the right to probe: one worker wins, and the next turn comes at `nextAt`. */
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

/** Closes a breaker; returns the time since it opened, or null if closed already. */
export async function closeBreaker(db: Queryable, name: string, now: Date): Promise<number | null> {
  const [row] = await db.query<{ since: Date }>(sql`
    update headway.dependency
    set open = false, changed_at = ${now}
    where name = ${name} and open
    returning since`);
  return row ? now.getTime() - row.since.getTime() : null;
}
