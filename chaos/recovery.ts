import type { Database } from "../engine/src/store/database.ts";
import { sql, texts } from "../engine/src/store/sql.ts";
import type { Death } from "./fleet.ts";
import type { Excuse } from "./world.ts";

/** A task that somebody held when he was killed, and when it was next in somebody's hands. */
export interface Orphaned {
  readonly session: string;
  readonly stage: string;
  readonly killedAt: number;
  /** When the others gave him up. */
  readonly evictedAt: number;
  readonly nextAt: number;
  /** Its workers died more than once, so it is tried alone and one after another: whether it kills them has to be seen. */
  readonly suspect: boolean;
}

interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A kill whose tasks waited, what was taken up first of them, and how much of it passed until he was given up. */
export interface Slow {
  readonly session: string;
  readonly stage: string;
  readonly ms: number;
  readonly givenUpMs: number;
}

export interface Recovery extends Spread {
  /** Kills of workers that held something. */
  readonly kills: number;
  /** How much of it passed until the others had given him up. */
  readonly evicted: Spread;
  /** The same for tasks that wait for their turn to be tried alone. */
  readonly suspects: Spread;
  /** Those that took longest. */
  readonly slowest: readonly Slow[];
}

const slowestShown = 5;

/**
 * From each kill to the next attempt of a task that the killed one held. Time in which nobody could have taken it over,
 * because the database was away, the stage paused or nobody there, does not count. Suspects are told apart: they wait on purpose.
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

/** How much of a time lies in one or more of these. */
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

/** What the killed held, from what the database saw. */
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
