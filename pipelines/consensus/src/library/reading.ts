import { type Database, type DocumentOf, sql, texts } from "@headway/engine";
import type { assessments, messages, positions, summaries, threads } from "../collections.ts";
import { readBodies } from "./library.ts";

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
  const one = async <T extends object>(collection: string) => {
    const body = (await readBodies<T>(db, collection, [id])).get(id);
    return body ? { ...body, id } : null;
  };
  const thread = await one<Omit<ThreadStory["thread"], "id">>("threads");
  if (!thread) return null;
  const ids = thread.messages.map(({ message }) => message);
  const bodies = await readBodies<Omit<DocumentOf<typeof messages>, "id">>(db, "messages", ids);
  return {
    thread,
    messages: ids.flatMap((message) => {
      const body = bodies.get(message);
      return body ? { ...body, id: message } : [];
    }),
    assessment: await one("assessments"),
    summary: await one("summaries"),
    positions: await readPositions(db, id),
  };
}

const readPositions = async (db: Database, thread: string): Promise<ThreadStory["positions"]> => {
  const rows = await db.query<{ id: string; body: Omit<DocumentOf<typeof positions>, "id"> }>(sql`
    select d.id, d.body
    from headway.stage s
    join headway.grouping g on g.stage = s.id and g.key = ${thread}
    join headway.document d on d.producer = g.subject and d.producer_stage = s.id and d.gone_at is null
    join headway.collection c on c.id = d.collection and c.name = 'positions'
    where s.name = 'weighing'
    order by d.body ->> 'at', d.id`);
  return rows.map(({ id, body }) => ({ ...body, id }));
};

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

export interface ThreadFilter {
  readonly list?: string;
  readonly level?: string;
  /** Part of the subject. */
  readonly subject?: string;
  /** Part of the question. */
  readonly asks?: string;
  readonly since?: Date;
  readonly limit: number;
  readonly order: "newest" | "largest" | "interesting";
}

/** Threads, by latest message or by interest. */
export async function listThreads(db: Database, filter: ThreadFilter): Promise<ThreadLine[]> {
  const { list, level, subject, asks, since, limit, order } = filter;
  const by = {
    newest: sql`"lastDate" desc nulls last, id`,
    largest: sql`messages desc, id`,
    // Disagreement, decisions and changes of mind are the most interesting to read.
    interesting: sql`4 * turns + 2 * decisions + 2 * object + support + votes / 4.0 + least(messages, 30) / 10.0 desc, id`,
  }[order];
  return await db.query<ThreadLine>(sql`
    with thread as (
      select t.subject, t.id, t.body, a.body as outcome
      from headway.document t
      join headway.collection c on c.id = t.collection and c.name = 'threads'
      left join headway.collection k on k.name = 'assessments'
      left join headway.document a on a.collection = k.id and a.id = t.id and a.gone_at is null
      where t.gone_at is null
        and (${list ?? null}::text is null or t.body ->> 'list' = ${list ?? null}::text)
        and (${level ?? null}::text is null or a.body ->> 'level' = ${level ?? null}::text)
        and (${subject ?? null}::text is null or position(lower(${subject ?? null}::text) in lower(t.body ->> 'subject')) > 0)
        and (${asks ?? null}::text is null
          or position(lower(${asks ?? null}::text) in lower(a.body -> 'question' ->> 'quote')) > 0
          or position(lower(${asks ?? null}::text) in lower((a.body -> 'otherQuestions')::text)) > 0)
        and (${since ?? null}::timestamptz is null or (t.body ->> 'lastDate')::timestamptz >= ${since ?? null}::timestamptz)
    ), stance as (
      select p.body ->> 'thread' as id,
        count(*) filter (where p.body ->> 'stance' = 'support' and l.id is null) as support,
        count(*) filter (where p.body ->> 'stance' = 'object' and l.id is null) as object,
        count(*) filter (where p.body ->> 'stance' in ('support', 'object')
          and l.body ->> 'stance' in ('support', 'object') and l.body ->> 'stance' <> p.body ->> 'stance') as turns
      from headway.document p
      join headway.collection c on c.id = p.collection and c.name = 'positions'
      left join headway.document l on l.collection = c.id and l.id = p.body ->> 'supersededBy' and l.gone_at is null
      where p.gone_at is null
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
    )
    select * from line order by ${by} limit ${limit}`);
}

/** A list as one line of a list of lists. */
export interface ListLine {
  readonly list: string;
  readonly threads: number;
  readonly lastDate: string | null;
}

/** All lists by name: groups of the stage that threads them. */
export const readLists = (db: Database): Promise<ListLine[]> =>
  db.query<ListLine>(sql`
    select g.key as list, t.threads, t."lastDate"
    from headway.stage s
    join headway.grouping g on g.stage = s.id
    cross join lateral (
      select count(*)::int4 as threads, max(d.body ->> 'lastDate') as "lastDate"
      from headway.document d
      join headway.collection c on c.id = d.collection and c.name = 'threads'
      where d.producer = g.subject and d.producer_stage = s.id and d.gone_at is null
    ) t
    where s.name = 'threading' and t.threads > 0
    order by g.key`);

/** Finds a thread by its id, the end of its id, or a Message-ID in the thread. */
export async function findThread(db: Database, given: string): Promise<readonly string[]> {
  const bare = given.trim().replace(/^<|>$/g, "");
  const rows = await db.query<{ id: string }>(sql`
    select t.id
    from headway.document t
    join headway.collection c on c.id = t.collection and c.name = 'threads'
    where t.gone_at is null
      and (t.id = ${bare}
        or starts_with(t.id, ${bare})
        or starts_with(split_part(t.id, '/t-', 2), ${bare.replace(/^t-/, "")})
        or exists (
          select 1
          from headway.document m
          join headway.collection h on h.id = m.collection and h.name = 'headers'
          where m.gone_at is null and (m.id = ${bare} or m.body ->> 'messageId' = ${bare})
            and t.body -> 'messages' @> jsonb_build_array(jsonb_build_object('message', m.id))))
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
      select c.name, count(*) as documents,
        sum(jsonb_array_length(d.body -> 'occurrences')) filter (where c.name = 'messages') as copies,
        count(*) filter (where c.name = 'messages' and d.body -> 'flags' <> '[]'::jsonb) as flagged
      from headway.document d
      join headway.collection c on c.id = d.collection
      where d.gone_at is null and c.name in ('archives', 'mails', 'messages', 'threads') and ${ofList}
      group by c.name
    ), dead as (
      select count(*) as mails
      from headway.dead_letter x
      join headway.stage s on s.id = x.stage and s.name = 'parsing'
      join headway.document d on d.subject = x.subject
      where d.gone_at is null and ${ofList}
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
