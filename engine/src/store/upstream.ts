import type { Queryable } from "./database.ts";
import { int2s, int8s, prepared, sql } from "./sql.ts";

export interface StreamingRow {
  readonly subject: number;
  readonly owedAt: Date;
  readonly changedAt: Date;
}

export interface Streaming {
  readonly stage: number;
  readonly groups: readonly number[];
  readonly upstream: readonly number[];
  /** An earlier task due later than this does not count. */
  readonly dueBy: Date;
}

/**
 * The groups with tasks of the same request, due or claimed, at an earlier stage. Only the first tasks of each stage's
 * queue are looked at: tasks queue in the order of their requests, so the rest of a request is near the front as soon
 * as its first documents are through.
 */
export async function findStreaming(
  db: Queryable,
  { stage, groups, upstream, dueBy }: Streaming,
): Promise<StreamingRow[]> {
  return await db.query<StreamingRow>(
    prepared(
      "streaming",
      sql`
    with early as (
      select q.subject
      from unnest(${int2s(upstream)}) as s (stage)
      cross join lateral (
        select t.subject
        from headway.task t
        where t.stage = s.stage and t.ready_at <= ${dueBy}
        order by t.rank, t.ready_at, t.subject
        limit 256
      ) q
    ), requests as (
      select distinct coalesce(
        (select d.request from headway.document d where d.subject = e.subject),
        (select g.request from headway.grouping g where g.subject = e.subject)) as request
      from early e
    )
    select t.subject, t.owed_at as "owedAt", g.touched_at as "changedAt"
    from headway.grouping g
    join headway.task t on t.subject = g.subject and t.stage = ${stage}
    where g.subject = any (${int8s(groups)}) and g.request in (select request from requests)`,
    ),
  );
}
