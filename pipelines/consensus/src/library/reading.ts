import { type Database, type DocumentOf, readersOf, type Statement, sql, texts } from "@headway/engine";
import { assessments, headers, messages, positions, summaries, threads } from "../collections.ts";

/** All documents of one thread. */
export interface ThreadStory {
  readonly thread: DocumentOf<typeof threads>;
  /** In the thread's order. */
  readonly messages: readonly DocumentOf<typeof messages>[];
  readonly assessment: DocumentOf<typeof assessments> | null;
  readonly summary: DocumentOf<typeof summaries> | null;
  readonly positions: readonly DocumentOf<typeof positions>[];
}

export async function readStory(db: Database, id: string): Promise<ThreadStory | null> {
  const { read, readAll, find } = readersOf(db);
  const thread = await read(threads, id);
  if (!thread) return null;
  const held = await find(positions, { where: { thread: id }, limit: 10_000 });
  return {
    thread,
    messages: await readAll(
      messages,
      thread.messages.map(({ message }) => message),
    ),
    assessment: await read(assessments, id),
    summary: await read(summaries, id),
    positions: [...held].sort((a, b) => compare(a.at ?? undated, b.at ?? undated) || compare(a.id, b.id)),
  };
}

/** Sorts after every date. */
const undated = "~";
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A thread as one line of a list of threads. */
export interface ThreadLine {
  readonly id: string;
  readonly list: string;
  readonly subject: string;
  readonly messages: number;
  readonly participants: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly level: string | null;
  readonly confidence: number | null;
  readonly decisions: number;
  readonly votes: number;
  /** People with a final position of support or objection. */
  readonly support: number;
  readonly object: number;
  /** Number of changes between the two. */
  readonly turns: number;
}

/** Which threads. */
export interface ThreadConditions {
  readonly list?: string;
  readonly level?: string;
  /** Part of the subject. */
  readonly subject?: string;
  /** Part of the question. */
  readonly asks?: string;
  readonly since?: Date;
}

export interface ThreadFilter extends ThreadConditions {
  readonly limit: number;
  readonly order: "newest" | "largest" | "interesting";
  /** The last thread of the page before. */
  readonly after?: string;
}

/** Threads, by latest message, size or interest; the next page begins after a thread. */
export async function listThreads(db: Database, filter: ThreadFilter): Promise<ThreadLine[]> {
  const { limit, order, after } = filter;
  const rank = {
    newest: sql`coalesce("lastDate", '')`,
    largest: sql`messages`,
    // Disagreement, decisions and changes of mind are the most interesting to read.
    interesting: sql`4 * turns + 2 * decisions + 2 * object + support + votes / 4.0 + least(messages, 30) / 10.0`,
  }[order];
  return await db.query<ThreadLine>(sql`
    with thread as (
      select t.id, t.body, a.body as outcome
      from headway_read.threads t
      left join headway_read.assessments a on a.id = t.id
      where ${fitting(filter)}
    ), stance as (
      select p.body ->> 'thread' as id,
        count(*) filter (where p.body ->> 'stance' = 'support' and l.id is null) as support,
        count(*) filter (where p.body ->> 'stance' = 'object' and l.id is null) as object,
        count(*) filter (where p.body ->> 'stance' in ('support', 'object')
          and l.body ->> 'stance' in ('support', 'object') and l.body ->> 'stance' <> p.body ->> 'stance') as turns
      from headway_read.positions p
      left join headway_read.positions l on l.id = p.body ->> 'supersededBy'
      group by p.body ->> 'thread'
    ), line as (
      select t.id, t.body ->> 'list' as list, t.body ->> 'subject' as subject,
        jsonb_array_length(t.body -> 'messages') as messages,
        jsonb_array_length(t.body -> 'participants') as participants,
        t.body ->> 'firstDate' as "firstDate", t.body ->> 'lastDate' as "lastDate",
        t.outcome ->> 'level' as level, (t.outcome ->> 'confidence')::float8 as confidence,
        coalesce(jsonb_array_length(t.outcome -> 'decisions'), 0) as decisions,
        coalesce(jsonb_array_length(t.outcome -> 'votes'), 0) as votes,
        coalesce(s.support, 0)::int4 as support, coalesce(s.object, 0)::int4 as object, coalesce(s.turns, 0)::int4 as turns
      from thread t
      left join stance s on s.id = t.id
    ), ranked as (select l.*, ${rank} as rank from line l), last as (select rank, id from ranked where id = ${after ?? null}::text)
    select r.id, r.list, r.subject, r.messages, r.participants, r."firstDate", r."lastDate", r.level, r.confidence, r.decisions,
      r.votes, r.support, r.object, r.turns
    from ranked r
    left join last l on true
    where ${after ?? null}::text is null or r.rank < l.rank or (r.rank = l.rank and r.id > l.id)
    order by r.rank desc, r.id
    limit ${limit}`);
}

/** Number of threads that fit, on all pages. */
export async function countThreads(db: Database, filter: ThreadConditions): Promise<number> {
  const [row] = await db.query<{ threads: number }>(sql`
    select count(*)::int4 as threads
    from headway_read.threads t
    left join headway_read.assessments a on a.id = t.id
    where ${fitting(filter)}`);
  return row?.threads ?? 0;
}

function fitting({ list, level, subject, asks, since }: ThreadConditions): Statement {
  return sql`
    (${list ?? null}::text is null or t.body ->> 'list' = ${list ?? null}::text)
      and (${level ?? null}::text is null or a.body ->> 'level' = ${level ?? null}::text)
      and (${subject ?? null}::text is null or position(lower(${subject ?? null}::text) in lower(t.body ->> 'subject')) > 0)
      and (${asks ?? null}::text is null
        or position(lower(${asks ?? null}::text) in lower(a.body -> 'question' ->> 'quote')) > 0
        or position(lower(${asks ?? null}::text) in lower((a.body -> 'otherQuestions')::text)) > 0)
      and (${since ?? null}::timestamptz is null or (t.body ->> 'lastDate')::timestamptz >= ${since ?? null}::timestamptz)`;
}

/** A list as one line of a list of lists. */
export interface ListLine {
  readonly list: string;
  readonly threads: number;
  readonly lastDate: string | null;
}

/** All lists by name. */
export const readLists = (db: Database): Promise<ListLine[]> =>
  db.query<ListLine>(sql`
    select t.body ->> 'list' as list, count(*)::int4 as threads, max(t.body ->> 'lastDate') as "lastDate"
    from headway_read.threads t
    group by t.body ->> 'list'
    order by (t.body ->> 'list') collate "C"`);

/** Finds a thread by its id, the end of its id, or a Message-ID in the thread. */
export async function findThread(db: Database, given: string): Promise<readonly string[]> {
  const bare = given.trim().replace(/^<|>$/g, "");
  const named = await readersOf(db).find(headers, { where: { messageId: bare }, limit: 20 });
  const members = [bare, ...named.map(({ id }) => id)].map((message) => JSON.stringify([{ message }]));
  const rows = await db.query<{ id: string }>(sql`
    select t.id
    from headway_read.threads t
    where t.id = ${bare}
      or starts_with(t.id, ${bare})
      or starts_with(split_part(t.id, '/t-', 2), ${bare.replace(/^t-/, "")})
      or exists (select 1 from unnest(${texts(members)}) m where t.body -> 'messages' @> m::jsonb)
    order by t.id = ${bare} desc, t.id
    limit 20`);
  const ids = rows.map(({ id }) => id);
  return ids[0] === bare ? [bare] : ids;
}

/** The ledger: every mail found is a message, another copy of a message, or dead. */
export interface Ledger {
  readonly archives: number;
  readonly mails: number;
  readonly messages: number;
  readonly duplicates: number;
  readonly dead: number;
  readonly open: number;
  readonly threads: number;
  readonly flagged: number;
}

export async function readLedger(db: Database, ...lists: readonly string[]): Promise<Ledger> {
  const ofList = lists.length === 0 ? sql`true` : sql`d.body ->> 'list' = any (${texts(lists)})`;
  const [row] = await db.query<Ledger & { readings: number }>(sql`
    with counted as (
      select 'archives' as name, count(*) as documents, 0 as copies, 0 as flagged
      from headway_read.archives d where ${ofList}
      union all
      select 'mails', count(*), 0, 0 from headway_read.mails d where ${ofList}
      union all
      select 'messages', count(*), sum(jsonb_array_length(d.body -> 'occurrences')),
        count(*) filter (where d.body -> 'flags' <> '[]'::jsonb)
      from headway_read.messages d where ${ofList}
      union all
      select 'threads', count(*), 0, 0 from headway_read.threads d where ${ofList}
    ), dead as (
      select count(*) as mails
      from headway_read._dead_letters x
      join headway_read.mails d on d.id = x.document
      where x.stage = 'parsing' and ${ofList}
    ), total as (
      select
        coalesce(max(documents) filter (where name = 'archives'), 0)::int4 as archives,
        coalesce(max(documents) filter (where name = 'mails'), 0)::int4 as mails,
        coalesce(max(documents) filter (where name = 'messages'), 0)::int4 as messages,
        coalesce(max(copies), 0)::int4 as copies,
        coalesce(max(documents) filter (where name = 'threads'), 0)::int4 as threads,
        coalesce(max(flagged), 0)::int4 as flagged
      from counted
    )
    select t.archives, t.mails, t.messages, t.copies - t.messages as duplicates, d.mails::int4 as dead,
      t.mails - t.copies - d.mails::int4 as open, t.threads, t.flagged
    from total t, dead d`);
  return row as Ledger;
}
