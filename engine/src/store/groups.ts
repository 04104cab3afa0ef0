import type { Queryable } from "./database.ts";
import type { Numbers } from "./numbers.ts";
import { int2s, int8s, prepared, type Statement, sql, texts, times, uuids } from "./sql.ts";
import type { Collector, Flow, Prepared } from "./stage-graph.ts";
import { oweAgain, oweAll } from "./tasks.ts";

/** A document that belongs to a group of a fan-in stage. */
export interface Joining {
  readonly document: number;
  readonly stage: number;
  readonly key: string;
  readonly quietMs: number;
  readonly rank: number;
  readonly request: string;
}

/** The groups a document belongs to. */
export function joiningOf(
  document: number,
  { collection, groups }: Prepared,
  { rank, request }: Pick<Joining, "rank" | "request">,
  { collectors }: Flow,
): Joining[] {
  return groups.map(({ stage, key }) => {
    const quietMs = collectors.get(collection)?.find((one) => one.stage === stage)?.quietMs ?? 0;
    return { document, stage, key, quietMs, rank, request };
  });
}

/** Adds documents to their groups. A group with a new, lost or changed member is owed again after its quiet time. */
export async function joinGroups(
  tx: Queryable,
  joining: readonly Joining[],
  numbers: Numbers,
  now: Date,
): Promise<void> {
  const ordered = groupsOf(joining);
  const nextNumber = await numbers.take(tx, ordered.length);
  const rows = await tx.query<{ subject: number; stage: number; key: string }>(
    prepared("join", insertGroups(ordered, nextNumber, now)),
  );
  const subjectOf = new Map(rows.map((row) => [`${row.stage}/${row.key}`, row.subject]));
  const left = await enterMembers(
    tx,
    joining.map((one) => ({ ...one, grouping: subjectOf.get(`${one.stage}/${one.key}`) as number })),
  );
  const touched = new Map(ordered.map((one) => [subjectOf.get(`${one.stage}/${one.key}`) as number, one]));
  for (const one of left) if (!touched.has(one.grouping)) touched.set(one.grouping, one.joining);
  await oweGroups(
    tx,
    [...touched].map(([subject, one]) => ({ subject, ...one })),
    now,
  );
}

/** The joined groups, in a common order, to avoid deadlocks between batches with the same groups. */
function groupsOf(joining: readonly Joining[]): Joining[] {
  const groups = new Map<string, Joining>();
  for (const one of joining) groups.set(`${one.stage}/${one.key}`, one);
  return [...groups.values()].sort(
    (a, b) => a.stage - b.stage || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  );
}

const insertGroups = (
  ordered: readonly Joining[],
  nextNumber: () => number,
  now: Date,
  first = sql``,
): Statement => sql`
  insert into headway.grouping (subject, stage, key, request, touched_at)
  select g.subject, g.stage, g.key, g.request, ${now}
  from unnest(${int8s(ordered.map(nextNumber))}, ${int2s(ordered.map((one) => one.stage))},
    ${texts(ordered.map((one) => one.key))}, ${uuids(ordered.map((one) => one.request))}
  ) with ordinality as g (subject, stage, key, request, place) ${first}
  order by g.place
  on conflict (stage, key) do update set touched_at = excluded.touched_at, request = excluded.request
  returning subject, stage, key`;

/** Number of groups of these documents. */
export function countGroups(documents: readonly Pick<Prepared, "groups">[]): number {
  const seen = new Set<string>();
  for (const { groups } of documents) for (const { stage, key } of groups) seen.add(`${stage}/${key}`);
  return seen.size;
}

/**
 * The same for documents created by the same statement, and so in no group yet. Goes into its `with`; the statement
 * has to select the `rest` of `revived`. `first`: a CTE of one row to run before any group is locked.
 */
export function joinFresh(
  joining: readonly Joining[],
  nextNumber: () => number,
  now: Date,
  first?: Statement,
): Statement {
  if (joining.length === 0) return sql`revived as (select 0 as rest)`;
  const ordered = groupsOf(joining);
  const readyAt = ({ quietMs }: Joining) => new Date(now.getTime() + quietMs);
  return sql`
    grouped as (${insertGroups(ordered, nextNumber, now, first && sql`cross join ${first}`)}),
    entered as (
      insert into headway.member (document, stage, grouping)
      select n.document, n.stage, g.subject
      from unnest(${int8s(joining.map((one) => one.document))}, ${int2s(joining.map((one) => one.stage))},
        ${texts(joining.map((one) => one.key))}) as n (document, stage, key)
      join grouped g on g.key = n.key and g.stage = n.stage
    ),
    ${oweAll(
      sql`
      select g.subject, g.stage, n.rank, n.ready_at, n.reason
      from unnest(${int2s(ordered.map((one) => one.stage))}, ${texts(ordered.map((one) => one.key))},
        ${int2s(ordered.map((one) => one.rank))}, ${times(ordered.map(readyAt))}, ${texts(ordered.map(quietReason))}
      ) as n (stage, key, rank, ready_at, reason)
      join grouped g on g.key = n.key and g.stage = n.stage`,
      now,
    )}`;
}

const quietReason = ({ quietMs }: { readonly quietMs: number }) => (quietMs > 0 ? "quiet" : null);

/** Inserts members; returns the groups left by moving documents. */
async function enterMembers(
  tx: Queryable,
  members: readonly (Joining & { readonly grouping: number })[],
): Promise<{ grouping: number; joining: Joining }[]> {
  const moved = await tx.query<{ document: number; stage: number; grouping: number }>(
    prepared(
      "enter",
      sql`
    with joining as (
      select * from unnest(${int8s(members.map((one) => one.document))}, ${int2s(members.map((one) => one.stage))},
        ${int8s(members.map((one) => one.grouping))}) as n (document, stage, grouping)
    ), entered as (
      insert into headway.member (document, stage, grouping)
      select * from joining
      on conflict (document, stage) do update set grouping = excluded.grouping
    )
    select m.document, m.stage, m.grouping
    from joining n
    join headway.member m on m.document = n.document and m.stage = n.stage and m.grouping <> n.grouping`,
    ),
  );
  return moved.flatMap((one) => {
    const joining = members.find((each) => each.document === one.document && each.stage === one.stage);
    return joining ? [{ grouping: one.grouping, joining }] : [];
  });
}

interface OwedGroup {
  readonly subject: number;
  readonly stage: number;
  readonly rank: number;
  readonly quietMs: number;
}

async function oweGroups(tx: Queryable, groups: readonly OwedGroup[], now: Date): Promise<void> {
  const owed = groups.map(({ subject, stage, rank, quietMs }) => ({
    subject,
    stage,
    rank,
    readyAt: new Date(now.getTime() + quietMs),
    reason: quietReason({ quietMs }),
  }));
  await oweAgain(tx, owed, now);
}

/** Members passed (or died in) an `after` stage: their groups are checked again. */
export async function touchWaitingGroups(
  tx: Queryable,
  waiting: readonly Collector[],
  documents: readonly number[],
  now: Date,
): Promise<void> {
  for (const { stage, quietMs } of waiting) {
    const groups = await tx.query<{ subject: number; rank: number }>(sql`
      select distinct m.grouping as subject, 0 as rank
      from headway.member m
      where m.stage = ${stage} and m.document = any (${int8s(documents)})
      order by m.grouping`);
    if (groups.length > 0)
      await oweGroups(
        tx,
        groups.map((one) => ({ ...one, stage, quietMs })),
        now,
      );
  }
}

/** Members leave with their documents: their groups are owed again. Returns the ids of the members. */
export async function leaveGroups(
  tx: Queryable,
  documents: readonly number[],
  quietMsOf: (stage: number) => number,
  now: Date,
): Promise<{ subject: number; stage: number; ids: string[] }[]> {
  const left = await tx.query<{ subject: number; stage: number; ids: string[] }>(sql`
    with gone as (
      delete from headway.member where document = any (${int8s(documents)}) returning document, grouping, stage
    )
    select g.grouping as subject, g.stage, array_agg(d.id) as ids
    from gone g
    join headway.document d on d.subject = g.document
    group by g.stage, g.grouping
    order by g.stage, g.grouping`);
  if (left.length > 0) {
    await oweGroups(
      tx,
      left.map(({ subject, stage }) => ({ subject, stage, rank: 0, quietMs: quietMsOf(stage) })),
      now,
    );
  }
  return left;
}

export interface MemberRow {
  readonly grouping: number;
  readonly id: string;
  readonly hash: Buffer;
  readonly body: object;
  readonly request: string;
  /** `after` stages not yet passed by this member. */
  readonly pending: boolean;
  readonly dead: boolean;
}

/** The members of some groups, with their state at the `after` stages. */
export async function loadMembers(
  db: Queryable,
  groups: readonly number[],
  afterStages: readonly number[],
): Promise<MemberRow[]> {
  const after = int2s(afterStages);
  // A large group without `after` stages needs no check per member.
  const passed =
    afterStages.length === 0
      ? sql`false as pending, false as dead`
      : sql`
      exists (select 1 from headway.task t where t.subject = d.subject and t.stage = any (${after})) as pending,
      exists (select 1 from headway.dead_letter x
        where x.subject = d.subject and x.stage = any (${after}) and x.closed_at is null) as dead`;
  return await db.query<MemberRow>(sql`
    select m.grouping, d.id, d.hash, d.body, d.request, ${passed}
    from headway.member m
    join headway.document d on d.subject = m.document and d.gone_at is null
    where m.grouping = any (${int8s(groups)})
    order by m.grouping, d.id`);
}

/** Deletes groups without members, with their results. */
export async function dissolveGroups(tx: Queryable, groups: readonly number[]): Promise<void> {
  const subjects = int8s(groups);
  await tx.query(
    sql`select 1 from headway.grouping where subject = any (${subjects}) order by subject for update`,
  );
  await tx.query(sql`
    with empty as (
      delete from headway.grouping g
      where g.subject = any (${subjects})
        and not exists (select 1 from headway.member m where m.grouping = g.subject)
        and not exists (select 1 from headway.task t where t.subject = g.subject)
      returning g.subject
    ), unlooked as (delete from headway.look l using empty e where l.subject = e.subject)
    delete from headway.done r using empty e where r.subject = e.subject`);
}

/**
 * Groups of a stage without a result, or with a member changed since, although nothing is owed; the sweep owes them.
 * One too many costs nothing: the marker shows that nothing has changed.
 */
export async function findIdleGroups(db: Queryable, stage: number): Promise<number[]> {
  const rows = await db.query<{ subject: number }>(sql`
    select g.subject
    from headway.grouping g
    where g.stage = ${stage}
      and not exists (select 1 from headway.task t where t.subject = g.subject and t.stage = g.stage)
      and not exists (select 1 from headway.dead_letter x where x.subject = g.subject and x.stage = g.stage)
      and not exists (select 1 from headway.done r
        where r.subject = g.subject and r.stage = g.stage and not exists (
          select 1 from headway.member m join headway.document d on d.subject = m.document
          where m.grouping = g.subject and d.changed_at > r.finished_at))
    order by g.subject`);
  return rows.map((row) => row.subject);
}
