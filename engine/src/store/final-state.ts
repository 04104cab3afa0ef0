import type { JsonObject } from "../define/stage.ts";
import type { Queryable } from "./database.ts";
import { prepared, sql, texts } from "./sql.ts";

/**
 * A line about the final state, independent of numbers and times: equal endings have equal lines.
 * `stage` is the responsible stage; null: from outside.
 */
export interface FinalLine {
  readonly kind: string;
  readonly stage: string | null;
  readonly subject: string;
  readonly line: string;
}

/** Names for numbers: documents as `collection/id`, groups as `stage[key]`. */
export const names = sql`
  name as (
    select d.subject, c.name || '/' || d.id as name
    from headway.document d join headway.collection c on c.id = d.collection
    union all
    select g.subject, s.name || '[' || g.key || ']' from headway.grouping g join headway.stage s on s.id = g.stage
  ),
  producer as (
    select d.subject as document, d.producer, d.producer_stage as stage from headway.document d
    union all
    select document, producer, stage from headway.co_producer
  ),
  origin as (
    select p.document, string_agg(case when p.stage = 0 then 'source ' || coalesce(o.name, 'unknown')
      else coalesce(s.name, 'unknown') || ' of ' || coalesce(n.name, 'nobody') end, ', ' order by 1) as names
    from (select distinct * from producer) p
    left join headway.source o on p.stage = 0 and o.id = p.producer
    left join headway.stage s on s.id = p.stage
    left join name n on p.stage <> 0 and n.subject = p.producer
    group by p.document
  )`;

const endingLines = sql`
  with ${names}
  select 'document' as kind, s.name as stage, n.name as subject,
    encode(d.hash, 'hex') || ' from ' || coalesce(o.names, 'nobody') as line
  from headway.document d join name n on n.subject = d.subject left join origin o on o.document = d.subject
  left join headway.stage s on s.id = d.producer_stage
  where d.gone_at is null
  union all
  select 'done', s.name, s.name || ' of ' || coalesce(n.name, 'nobody'),
    encode(r.marker, 'hex') || ' with ' || r.outputs || ' outputs'
  from headway.done r join headway.stage s on s.id = r.stage left join name n on n.subject = r.subject
  union all
  select 'tries', s.name, s.name || ' of ' || coalesce(n.name, 'nobody'), r.attempts::text
  from headway.done r join headway.stage s on s.id = r.stage left join name n on n.subject = r.subject
  union all
  select 'dead', s.name, s.name || ' of ' || coalesce(n.name, 'nobody'),
    x.reason || ' ' || x.code || ' after ' || x.attempts || ' attempts'
  from headway.dead_letter x join headway.stage s on s.id = x.stage left join name n on n.subject = x.subject
  union all
  select 'task', s.name, s.name || ' of ' || coalesce(n.name, 'nobody'), coalesce(t.reason, 'waits')
  from headway.task t join headway.stage s on s.id = t.stage left join name n on n.subject = t.subject
  union all
  select 'faults', s.name, s.name || ' of ' || coalesce(n.name, 'nobody'), count(*)::text
  from headway.fault f join headway.stage s on s.id = f.stage left join name n on n.subject = f.subject
  group by 2, 3
  union all
  select 'conflict', s.name, coalesce(n.name, 'nobody'),
    encode(c.hash, 'hex') || ' from ' || coalesce(s.name || ' of ' || p.name, 'a source')
  from headway.conflict c left join name n on n.subject = c.document
  left join headway.stage s on s.id = c.stage left join name p on p.subject = c.producer
  union all
  select 'member', s.name, coalesce(g.name, 'nobody'), coalesce(n.name, 'nobody')
  from headway.member m left join name g on g.subject = m.grouping left join name n on n.subject = m.document
  left join headway.stage s on s.id = m.stage
  union all
  select 'group', s.name, n.name, ''
  from headway.grouping g join name n on n.subject = g.subject join headway.stage s on s.id = g.stage
  union all
  select 'deleted', null, c.name, d.documents::text
  from headway.deleted d join headway.collection c on c.id = d.collection`;

export const readEnding = (db: Queryable): Promise<FinalLine[]> =>
  db.query<FinalLine>(prepared("ending-lines", endingLines));

/** Bodies of existing documents by name (`collection/id`). */
export async function readBodies(
  db: Queryable,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const rows = await db.query<{ name: string; body: JsonObject }>(sql`
    select c.name || '/' || d.id as name, d.body
    from headway.document d join headway.collection c on c.id = d.collection
    where d.gone_at is null and c.name || '/' || d.id = any (${texts(wanted)})`);
  return new Map(rows.map(({ name, body }) => [name, body]));
}
