import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** Unfinished work of a collection, for the sweep's report. */
export interface CollectionBacklog {
  readonly collection: string;
  /** The stages that read the collection. */
  readonly stages: readonly number[];
  /** Failed before, and not due yet. */
  readonly skippedBackoff: number;
  /** Owed since before `stuckBefore`. Tasks postponed by a person are not stuck. */
  readonly stuck: number;
  /** Open dead letters. */
  readonly failed: number;
}

/** Every collection read by a stage. A document counts once, regardless of the number of stages. */
export const countBacklog = (db: Queryable, { now, stuckBefore }: { now: Date; stuckBefore: Date }) =>
  db.query<CollectionBacklog>(sql`
    with open as (
      select s.reads,
        count(distinct t.subject) filter (where t.reason = 'backoff' and t.ready_at > ${now}) as backoff,
        count(distinct t.subject) filter (
          where t.owed_at <= ${stuckBefore} and not (t.reason is not distinct from 'scheduled' and t.ready_at > ${now})
        ) as stuck
      from headway.task t
      join headway.stage s on s.id = t.stage
      group by s.reads
    ),
    dead as (
      select s.reads, count(distinct x.subject) as failed
      from headway.dead_letter x
      join headway.stage s on s.id = x.stage
      where x.closed_at is null
      group by s.reads
    ),
    readers as (select reads, array_agg(id order by id) as stages from headway.stage group by reads)
    select c.name as collection, r.stages, coalesce(o.backoff, 0) as "skippedBackoff",
      coalesce(o.stuck, 0) as stuck, coalesce(d.failed, 0) as failed
    from headway.collection c
    join readers r on r.reads = c.id
    left join open o on o.reads = c.id
    left join dead d on d.reads = c.id
    order by c.id`);
