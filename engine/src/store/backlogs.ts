import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** Things that wait for somebody: a person, another system, or a worker. */
export interface Backlog {
  /**
   * `outbox`: events not handed on. `undelivered`: notices not sent. `quarantine`: deliveries set aside, by queue.
   * `conflict`: documents with refused content. `unexpected`: results that their stage did not expect, by stage. `regression`: errors that came back, by group. `no-worker`: stages with
   * a due task and no living worker. `errors`: groups of the error tracker, by state.
   */
  readonly kind:
    | "outbox"
    | "undelivered"
    | "quarantine"
    | "conflict"
    | "unexpected"
    | "regression"
    | "no-worker"
    | "errors";
  readonly key: string;
  readonly count: number;
  /** The oldest; null: unknown, or nothing waits. */
  readonly since: Date | null;
  readonly message: string | null;
}

const countMax = 100_000;

/** Everything that waits, in one statement. Kinds without a key of their own are always there. */
export const readBacklogs = (db: Queryable, now: Date): Promise<Backlog[]> =>
  db.query<Backlog>(sql`
    select 'outbox' as kind, 'outbox' as key, count(*)::float8 as count, min(o.at) as since, null::text as message
    from (select at from headway.outbox where relayed_at is null order by id limit ${countMax}) o
    union all
    select 'undelivered', 'undelivered', count(*)::float8, min(made_at), null
    from headway.alert_delivery where sent_at is null and given_up_at is null
    union all
    select 'quarantine', queue, count(*)::float8, min(first_at), min(reason) from headway.quarantine group by queue
    union all
    select 'conflict', 'conflict', count(*)::float8, min(c.at), null
    from (select at from headway.conflict order by id limit ${countMax}) c
    union all
    select 'unexpected', s.name, f.results, f.since, f.finding
    from headway.stage s
    cross join lateral (
      select count(*)::float8 as results, min(r.finished_at) as since, min(r.finding) as finding
      from (select finished_at, finding from headway.done where stage = s.id and finding is not null limit ${countMax}) r
    ) f
    where f.results > 0
    union all
    select 'regression', fingerprint, regressions::float8, last_at, service || ': ' || title
    from headway.error_group where state = 'open' and regressions > 0 and resolved_at is not null
    union all
    select 'errors', state, count(*)::float8, null, null from headway.error_group group by state
    union all
    select 'no-worker', s.name, 1, d.ready_at, null
    from headway.stage s
    cross join lateral (
      select t.ready_at from headway.task t where t.stage = s.id and t.ready_at <= ${now} order by t.rank, t.ready_at limit 1
    ) d
    where s.paused_at is null
      and not exists (select 1 from headway.worker w where w.evicted_at is null and s.id = any (w.stages))`);
