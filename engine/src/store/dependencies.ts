import type { DependencyFacts } from "../decide/eligible.ts";
import type { Fault } from "../decide/fault.ts";
import { isOfOutage, type SeenOutage } from "../decide/settle-unit.ts";
import type { Database, Queryable } from "./database.ts";
import { int8s, type Statement, sql, texts } from "./sql.ts";

/** A service that failed, with the state of its circuit breaker. */
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
  /** The failed task; `firstAt`: its first failure under the same claim, if this is a later one. */
  readonly by: {
    readonly stage: number;
    readonly subject: number;
    readonly startedAt: Date;
    readonly firstAt: Date | null;
  };
  /** Only the dependency can be the cause; otherwise different documents have to fail. */
  readonly certain: boolean;
  /** Outages shown by one document; further failures are its own. */
  readonly outagesMax: number;
  /** Time of belief in an outage for each different document that has failed in it, and at most. */
  readonly beliefMs: number;
  readonly beliefMsMax: number;
}

interface Streak {
  readonly failures: number;
  readonly documents: number[];
  readonly since: Date;
  readonly after_fault: number;
}

/** `well`: the document is at fault; `failing`: document or dependency may be; `opened`: the breaker has just opened. */
export type Standing = "well" | "failing" | "opened" | "open" | "disbelieved";

/**
 * Counts a failure of a dependency, for all workers together, and opens the breaker at the limit. Attempts charged to
 * documents since the first failure are refunded: an outage is never a document's fault.
 */
export async function countOutage(db: Database, outage: Outage): Promise<Standing> {
  const { name, certain } = outage;
  return await db.transaction(async (tx) => {
    const known = await readOutage(tx, name);
    if (known?.open) return await countInOutage(tx, outage, known);
    if (isLate(outage, known)) return "open";
    if (!certain && !(await isEvidence(tx, outage)))
      return (await listFailing(tx)).includes(name) ? "failing" : "well";
    return await countStreak(tx, outage);
  });
}

interface KnownOutage {
  readonly open: boolean;
  readonly changed_at: Date;
  readonly believed_from: Date | null;
  readonly documents: number[];
}

async function readOutage(tx: Queryable, name: string): Promise<KnownOutage | undefined> {
  const [known] = await tx.query<KnownOutage>(sql`
    select open, changed_at, believed_from, documents from headway.dependency where name = ${name} for update`);
  return known;
}

/** A late answer belongs to the outage that is over. */
const isLate = ({ by }: Outage, known: KnownOutage | undefined): boolean =>
  known !== undefined && known.changed_at > (by.firstAt ?? by.startedAt);

async function countStreak(tx: Queryable, outage: Outage): Promise<Standing> {
  const { name, by, certain, now, failuresMax, lastingMs } = outage;
  const [row] = await tx.query<Streak>(sql`
    insert into headway.failing (dependency, failures, since, after_fault, documents)
    values (${name}, ${certain ? 1 : 0}, ${now}, (select coalesce(max(id), 0) from headway.fault),
      ${certain ? int8s([]) : int8s([by.subject])})
    on conflict (dependency) do update
    set failures = failing.failures + excluded.failures,
      documents = case when excluded.documents <@ failing.documents or cardinality(failing.documents) >= ${failuresMax}
        then failing.documents else failing.documents || excluded.documents end
    returning failures, documents, since, after_fault`);
  const { failures, documents, since, after_fault } = row as Streak;
  const many = failures + documents.length;
  const lasting = many > 1 && now.getTime() - since.getTime() >= lastingMs;
  // Another worker may have opened the breaker while the row was locked, and closed it again.
  const known = await readOutage(tx, name);
  if (known?.open || isLate(outage, known)) {
    if (many === 1) await endStreak(tx, name);
    return "open";
  }
  if (many < failuresMax && !lasting) return "failing";
  await endStreak(tx, name);
  if (!(await openBreaker(tx, outage, documents))) return "open";
  await forgive(tx, { name, after: after_fault, now });
  await countOutages(tx, documents, sql`outages + 1`);
  return "opened";
}

/**
 * A failure while the breaker is open. A document joins the outage. The belief in an outage grows with the number of
 * different documents and ends: a few documents that fail for ever would otherwise hold each other for ever.
 */
async function countInOutage(tx: Queryable, outage: Outage, known: KnownOutage): Promise<Standing> {
  const { name, by, now, certain, beliefMs, beliefMsMax, outagesMax } = outage;
  const { documents, changed_at } = known;
  if (certain) {
    await tx.query(
      sql`update headway.dependency set believed_from = ${now}, documents = '{}' where name = ${name}`,
    );
    return "open";
  }
  const joined = documents.includes(by.subject) ? documents : [...documents, by.subject];
  const believedMs = Math.min(beliefMsMax, joined.length * beliefMs);
  if (now.getTime() - (known.believed_from ?? changed_at).getTime() > believedMs) {
    await closeBreaker(tx, name, now);
    await countOutages(tx, joined, sql`${outagesMax}::int2`);
    return "disbelieved";
  }
  if (joined !== documents && documents.length * beliefMs < beliefMsMax) {
    await tx.query(sql`update headway.dependency set documents = ${int8s(joined)} where name = ${name}`);
    await countOutages(tx, [by.subject], sql`outages + 1`);
  }
  return "open";
}

async function countOutages(tx: Queryable, documents: readonly number[], outages: Statement): Promise<void> {
  if (documents.length === 0) return;
  await tx.query(sql`update headway.task set outages = ${outages} where subject = any (${int8s(documents)})`);
}

/**
 * Whether a failure with a possible cause in the document speaks against the dependency. Not if the document failed
 * there before this series began, while others were served, nor if it has shown several outages already.
 */
async function isEvidence(tx: Queryable, { name, by, outagesMax }: Outage): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1
    from headway.task t
    where t.subject = ${by.subject} and t.stage = ${by.stage} and t.outages < ${outagesMax}
      and (${by.firstAt}::timestamptz is null or exists (
        select 1 from headway.failing g where g.dependency = ${name} and g.since <= ${by.firstAt}::timestamptz))
      and not exists (
        select 1 from headway.fault f
        where f.subject = t.subject and f.stage = t.stage and f.fault->>'dependency' = ${name}
          and f.id <= coalesce((select g.after_fault from headway.failing g where g.dependency = ${name}), f.id))`);
  return rows.length > 0;
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

/** A failure of a dependency charged to a document. */
export interface Charge {
  readonly name: string;
  readonly failingSince: Date;
}

/**
 * The outages with charged failures. An outage over by now counts as well: a service may heal between a verdict and
 * its commit. Until the end of the transaction no breaker of the rest opens, so the opener finds everything charged
 * before.
 */
export async function listOutages(tx: Queryable, charges: readonly Charge[]): Promise<SeenOutage[]> {
  const names = texts([...new Set(charges.map((one) => one.name))]);
  await tx.query(sql`select 1 from headway.failing where dependency = any (${names}) for share`);
  const rows = await tx.query<{ name: string; open: boolean; changed_at: Date }>(
    sql`select name, open, changed_at from headway.dependency where name = any (${names})`,
  );
  return rows
    .map(({ name, open, changed_at }) => ({ name, open, changedAt: changed_at }))
    .filter((seen) => charges.some((one) => one.name === seen.name && isOfOutage(seen, one.failingSince)));
}

/** Opens a breaker; true: it was closed before. */
export async function openBreaker(
  db: Queryable,
  { name, fault, now, probeAt }: Pick<Outage, "name" | "fault" | "now" | "probeAt">,
  documents: readonly number[] = [],
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into headway.dependency
      (name, open, changed_at, since, probe_at, probes, fault, documents, believed_from)
    values (${name}, true, ${now}, ${now}, ${probeAt}, 0, ${JSON.stringify(fault)}::jsonb, ${int8s(documents)}, ${now})
    on conflict (name) do update
    set open = true, changed_at = excluded.changed_at, since = excluded.since, probe_at = excluded.probe_at, probes = 0,
      fault = excluded.fault, documents = excluded.documents, believed_from = excluded.believed_from
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
      where f.id > ${after} and f.fault->>'dependency' = ${name}
        and ((f.fault->>'outage')::boolean or f.kind in ('transient', 'unknown'))
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
