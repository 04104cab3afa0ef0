import type { Database } from "../engine/src/store/database.ts";
import { sql, texts } from "../engine/src/store/sql.ts";
import type { Death } from "./fleet.ts";
import type { Excuse } from "./world.ts";

/** A task claimed by a killed worker, with the time of its next claim. */
export interface Orphaned {
  readonly session: string;
  readonly stage: string;
  readonly killedAt: number;
  /** Time of the killed worker's eviction. */
  readonly evictedAt: number;
  readonly nextAt: number;
  /** Several workers died with the task, so it runs alone, one suspect after another. */
  readonly suspect: boolean;
}

interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A kill with waiting tasks, the first task claimed again, and the part of the time before the eviction. */
export interface Slow {
  readonly session: string;
  readonly stage: string;
  readonly ms: number;
  readonly givenUpMs: number;
}

export interface Recovery extends Spread {
  /** Kills of workers with claims. */
  readonly kills: number;
  /** Part of the time before the eviction. */
  readonly evicted: Spread;
  /** The same for tasks that wait for their turn to run alone. */
  readonly suspects: Spread;
  /** The longest recoveries. */
  readonly slowest: readonly Slow[];
}

const slowestShown = 5;

/**
 * Time from each kill to the next attempt of a claimed task. Time without a possible takeover, because the database
 * was away, the stage paused or no worker alive, does not count. Suspects are separate: they wait on purpose.
 */
export function measureRecovery(orphaned: readonly Orphaned[], excuses: readonly Excuse[]): Recovery {
  const first = new Map<string, Slow>();
  const evicted = new Map<string, number>();
  const suspects = new Map<string, number>();
  const sooner = (times: Map<string, number>, of: string, ms: number) =>
    times.set(of, Math.min(times.get(of) ?? Number.POSITIVE_INFINITY, ms));
  for (const { session, stage, killedAt, evictedAt, nextAt, suspect } of orphaned) {
    const apart = excuses.filter((one) => one.stage === null || one.stage === stage);
    const took = (to: number) => Math.round(to - killedAt - overlapMs(apart, killedAt, to));
    const [ms, givenUpMs] = [took(nextAt), took(evictedAt)];
    if (suspect) sooner(suspects, session, ms);
    else if (ms < (first.get(session)?.ms ?? Number.POSITIVE_INFINITY))
      first.set(session, { session, stage, ms, givenUpMs });
    sooner(evicted, session, givenUpMs);
  }
  const slowest = [...first.values()].sort((a, b) => b.ms - a.ms);
  return {
    kills: evicted.size,
    ...spread(slowest.map((one) => one.ms)),
    evicted: spread([...evicted.values()]),
    suspects: spread([...suspects.values()]),
    slowest: slowest.slice(0, slowestShown),
  };
}

function spread(of: readonly number[]): Spread {
  const times = [...of].sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Part of an interval covered by at least one excuse. */
function overlapMs(excuses: readonly Excuse[], from: number, to: number): number {
  let [sum, reached] = [0, from];
  for (const one of [...excuses].sort((a, b) => a.from - b.from)) {
    const [start, end] = [Math.max(one.from, reached), Math.min(one.to, to)];
    if (end <= start) continue;
    sum += end - start;
    reached = end;
  }
  return sum;
}

interface OrphanedRow {
  readonly session: string;
  readonly stage: string;
  readonly killed_at: Date;
  readonly evicted_at: Date;
  readonly next_at: Date;
  readonly suspect: boolean;
}

/** Tasks of the killed workers, from the witness's rows. */
export async function readOrphaned(db: Database, deaths: readonly Death[]): Promise<Orphaned[]> {
  const rows = await db.query<OrphanedRow>(sql`
    with death as (
      select * from unnest(${texts(deaths.map((one) => one.name))},
        ${texts(deaths.map((one) => new Date(one.at).toISOString()))}::timestamptz[]) as d (session, at)
    ),
    held as (
      select d.session, d.at, h.stage, h.subject, h.to_at
      from death d join chaos.hand h on h.session = d.session and h.from_at <= d.at and (h.to_at is null or h.to_at > d.at)
    )
    select h.session, g.name as stage, h.at as killed_at, coalesce(h.to_at, n.from_at) as evicted_at,
      n.from_at as next_at, coalesce(x.crashes > 1, false) as suspect
    from held h
    join headway.stage g on g.id = h.stage
    cross join lateral (
      select c.from_at from chaos.hand c
      where c.stage = h.stage and c.subject = h.subject and c.from_at > h.at
      order by c.from_at limit 1
    ) n
    left join lateral (
      select r.crashes from chaos.crashed r
      where r.stage = h.stage and r.subject = h.subject and r.at > h.at and r.at <= n.from_at
      order by r.at limit 1
    ) x on true`);
  return rows.map((row) => ({
    session: row.session,
    stage: row.stage,
    killedAt: row.killed_at.getTime(),
    evictedAt: row.evicted_at.getTime(),
    nextAt: row.next_at.getTime(),
    suspect: row.suspect,
  }));
}
