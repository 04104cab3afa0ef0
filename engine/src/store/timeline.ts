import type { StoredFacts } from "../decide/result-facts.ts";
import type { Queryable } from "./database.ts";
import { int2s, int8s, type Statement, sql, texts } from "./sql.ts";

/** Scope of a timeline: all consequences of one request, or some documents and groups. */
export type Scope = { readonly request: string } | { readonly subjects: readonly number[] };

/**
 * Order of simultaneous entries about one document; the last two describe the present.
 *
 * @example
 * import { timelineKinds } from "@headway/engine/operate";
 *
 * export const isKind = (word: string) => timelineKinds.some((one) => one === word);
 */
export const timelineKinds = [
  "accepted",
  "made",
  "changed",
  "fault",
  "dead",
  "done",
  "event",
  "closed",
  "act",
  "deleted",
  "claimed",
  "waiting",
] as const;
/** Kind of an entry of a timeline. */
export type TimelineKind = (typeof timelineKinds)[number];

/**
 * One past entry, or for a waiting task a future entry. The meaning of a field depends on the kind; see
 * `operate/trace.ts`.
 */
export interface TimelineRow {
  readonly at: Date;
  readonly kind: TimelineKind;
  readonly subject: number | null;
  readonly stage: number | null;
  /** Collection and id, or stage and key. */
  readonly name: string;
  /** Attempts made, outputs yielded, or the number of a dead letter. */
  readonly number: number | null;
  readonly word: string | null;
  readonly text: string | null;
  readonly ms: number | null;
  /** Facts of a result, for `done`. */
  readonly made: StoredFacts | null;
}

export interface StoryFilter {
  readonly kinds: readonly TimelineKind[];
  readonly stage?: number;
}

/** Entries in order of time. */
export const readStory = (
  db: Queryable,
  scope: Scope,
  { limit, ...filter }: StoryFilter & { limit: number },
) =>
  db.query<TimelineRow>(sql`
    ${storyOf(scope)}
    select l.at, l.kind, l.subject, l.stage, coalesce(n.name, l.name, '') as name, l.number, l.word, l.text, l.ms, l.made
    from lines l
    left join named n on n.subject = l.subject
    where ${fits(filter)}
    order by l.kind in ('claimed', 'waiting'), l.at, l.subject, array_position(${texts(timelineKinds)}, l.kind), l.stage
    limit ${limit}`);

export const countStory = (db: Queryable, scope: Scope, filter: StoryFilter) =>
  db.query<{ kind: TimelineKind; lines: number }>(sql`
    ${storyOf(scope)}
    select l.kind, count(*) as lines from lines l where ${fits(filter)} group by l.kind`);

const fits = ({ kinds, stage }: StoryFilter): Statement =>
  sql`l.kind = any (${texts(kinds)}) ${stage === undefined ? sql`` : sql`and l.stage = ${stage}`}`;

/** All sources of entries, in one format. */
const storyOf = (scope: Scope): Statement => sql`
  with mine as (${subjectsOf(scope)}),
  named as (
    select d.subject, c.name || '/' || d.id as name
    from headway.document d join headway.collection c on c.id = d.collection
    where d.subject in (select subject from mine)
    union all
    select g.subject, s.name || '/' || g.key
    from headway.grouping g join headway.stage s on s.id = g.stage
    where g.subject in (select subject from mine)
  ),
  lines (at, kind, subject, stage, name, number, word, text, ms, made) as (
    ${linesOfDocuments} union all ${linesOfWork} union all ${linesOfFailure(scope)} union all ${linesOfActs}
  )`;

function subjectsOf(scope: Scope): Statement {
  if ("subjects" in scope) return sql`select unnest(${int8s(scope.subjects)}) as subject`;
  const { request } = scope;
  return sql`
    select subject from headway.document where request = ${request}::uuid
    union select subject from headway.grouping where request = ${request}::uuid
    -- What it failed at, also of documents that another request has changed since.
    union select subject from headway.fault where request = ${request}::uuid
    union select subject from headway.dead_letter where request = ${request}::uuid`;
}

const linesOfDocuments = sql`
  select d.created_at, case when d.producer_stage = 0 then 'accepted' else 'made' end, d.subject, d.producer_stage, null, null::int8,
    coalesce(o.name, s.name), p.id, null::float8, null::jsonb
  from headway.document d
  left join headway.source o on d.producer_stage = 0 and o.id = d.producer
  left join headway.stage s on s.id = d.producer_stage
  left join headway.document p on d.producer_stage <> 0 and p.subject = d.producer
  where d.subject in (select subject from mine)
  union all
  select d.changed_at, 'changed', d.subject, d.producer_stage, null, null, coalesce(o.name, s.name), null, null, null
  from headway.document d
  left join headway.source o on d.producer_stage = 0 and o.id = d.producer
  left join headway.stage s on s.id = d.producer_stage
  where d.subject in (select subject from mine) and d.changed_at > d.created_at
  union all
  select d.gone_at, 'deleted', d.subject, null, null, null, null, null, null, null
  from headway.document d
  where d.subject in (select subject from mine) and d.gone_at is not null`;

const linesOfWork = sql`
  select r.finished_at, 'done', r.subject, r.stage, null, r.outputs, r.attempts::text, v.version,
    -- Since its document came or changed: what it waited for and was worked on together.
    case when d.changed_at <= r.finished_at then extract(epoch from r.finished_at - d.changed_at)::float8 * 1000 end,
    jsonb_build_object('attemptMs', r.took_ms, 'calls', r.facts -> 'calls', 'batch', coalesce(r.facts -> 'batch', '1'),
      'finding', r.finding)
  from headway.done r
  left join headway.variant v on v.id = r.variant
  left join headway.document d on d.subject = r.subject
  where r.subject in (select subject from mine)
  union all
  select coalesce(c.at, t.ready_at), case when c.id is null then 'waiting' else 'claimed' end, t.subject, t.stage, null,
    t.attempts + t.waits + t.crashes, coalesce(w.name || ' on ' || w.host, c.worker::text, t.reason), null, null, null
  from headway.task t
  left join headway.claim c on c.stage = t.stage and t.subject = any (c.subjects)
  left join headway.worker w on w.id = c.worker
  where t.subject in (select subject from mine)`;

/** For a request, only entries of the request; for documents, entries of all requests. */
function linesOfFailure(scope: Scope): Statement {
  const ours = (table: Statement) =>
    "request" in scope
      ? sql`${table}.request = ${scope.request}::uuid`
      : sql`${table}.subject in (select subject from mine)`;
  return sql`
    select f.at, 'fault', f.subject, f.stage, null, f.attempt, f.kind || ' ' || f.code, f.fault ->> 'message', null, null
    from headway.fault f where ${ours(sql`f`)}
    union all
    select x.died_at, 'dead', x.subject, x.stage, null, x.id, x.reason || ' ' || x.code, x.fault ->> 'message', null, null
    from headway.dead_letter x where ${ours(sql`x`)}
    union all
    select x.closed_at, 'closed', x.subject, x.stage, null, x.id, x.closed_as, x.closed_by, null, null
    from headway.dead_letter x where ${ours(sql`x`)} and x.closed_at is not null
    union all
    select e.at, 'event', e.subject, e.stage, null, e.id, e.type, e.correlation_id, null, null
    from headway.outbox e where ${ours(sql`e`)}`;
}

/** Acts on a subject by name or number, and acts on its stages since its creation. */
const linesOfActs = sql`
  select a.at, 'act', null, null, a.target, a.id, a.act, a.actor || coalesce(': ' || a.why, ''), null, null
  from headway.audit a
  where a.target in (select name from named)
    or exists (
      select 1
      from jsonb_path_query(a.detail, 'lax $.keyvalue() ? (@.key == "items" || @.key == "batch").value[*].subject') as s (subject)
      where jsonb_typeof(s.subject) = 'number' and s.subject::int8 in (select subject from mine)
    )
    or (a.act like 'stage.%'
      and a.target in (
        select s.name
        from headway.stage s
        where s.id in (
          select stage from headway.done where subject in (select subject from mine)
          union select stage from headway.task where subject in (select subject from mine)
          union select stage from headway.dead_letter where subject in (select subject from mine)
        )
      )
      and a.at >= (select min(d.created_at) from headway.document d where d.subject in (select subject from mine)))`;

/** A document or group with all ancestors and descendants, and their groups; the subject itself first. */
export async function findFamily(
  db: Queryable,
  subject: number,
  { stages, limit }: { readonly stages: readonly number[]; readonly limit: number },
): Promise<number[]> {
  // The stages by number: "not 0" would read every document where most come from one source.
  const rows = await db.query<{ subject: number }>(sql`
    with recursive up (subject) as (
      select ${subject}
      union
      select p.producer
      from up u
      cross join lateral (
        select d.producer from headway.document d where d.subject = u.subject and d.producer_stage <> 0
        union all
        select c.producer from headway.co_producer c where c.document = u.subject and c.stage <> 0
      ) p
    ),
    down (subject) as (
      select ${subject}
      union
      select p.document
      from down n
      cross join lateral (
        select d.subject as document from headway.document d 
        where d.producer = n.subject and d.producer_stage = any (${int2s(stages)})
        union all
        select c.document from headway.co_producer c where c.producer = n.subject and c.stage <> 0
      ) p
    )
    select f.subject
    from (
      select subject from up
      union
      (select subject from down limit ${limit})
      union
      select m.grouping from headway.member m where m.document in (select subject from down)
      union
      (select m.document from headway.member m where m.grouping = ${subject} limit ${limit})
    ) f
    order by f.subject <> ${subject}, f.subject
    limit ${limit}`);
  return rows.map((row) => row.subject);
}
