import type { Queryable } from "./database.ts";
import { prepared, sql } from "./sql.ts";

/** Tasks that are neither done nor dead, whoever works on them. */
export async function countOpenTasks(db: Queryable): Promise<number> {
  const [row] = await db.query<{ tasks: number }>(
    prepared(
      "open",
      sql`
    select (select count(*) from headway.task) + (select count(*) from headway.document where gone_at is not null) as tasks`,
    ),
  );
  return row?.tasks ?? 0;
}

/** Where the documents of a stage stand. */
export interface StageStatus {
  readonly stage: number;
  readonly waiting: number;
  readonly later: number;
  readonly leased: number;
  readonly done: number;
  readonly dead: number;
  readonly oldest: Date | null;
}

/** Every stage's tasks, counted by where they stand. */
export async function countByStage(db: Queryable, now: Date): Promise<StageStatus[]> {
  return await db.query<StageStatus>(sql`
    with claimed as (select stage, sum(cardinality(subjects))::int8 as tasks from headway.claim group by stage),
    open as (
      select stage, count(*) as tasks, count(*) filter (where ready_at > ${now}) as later, min(owed_at) as oldest
      from headway.task group by stage
    ),
    done as (
      select r.stage, count(*) as tasks
      from headway.done r
      where not exists (select 1 from headway.task t where t.subject = r.subject and t.stage = r.stage)
        and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)
      group by r.stage
    ),
    dead as (select stage, count(*) as tasks from headway.dead_letter group by stage)
    select s.id as stage,
      coalesce(o.tasks, 0) - coalesce(o.later, 0) - coalesce(c.tasks, 0) as waiting,
      coalesce(o.later, 0) as later,
      coalesce(c.tasks, 0) as leased,
      coalesce(d.tasks, 0) as done,
      coalesce(x.tasks, 0) as dead,
      o.oldest
    from headway.stage s
    left join open o on o.stage = s.id
    left join claimed c on c.stage = s.id
    left join done d on d.stage = s.id
    left join dead x on x.stage = s.id
    order by s.id`);
}
