import type { Fault } from "../decide/fault.ts";
import type { Queryable } from "./database.ts";
import { int2s, int8s, sql } from "./sql.ts";

/**
 * Keeps workers from claiming tasks of these stages until the end of the transaction: unclaimed tasks stay unclaimed.
 * The same lock serialises `take_tasks`.
 */
export async function lockStages(tx: Queryable, stages: readonly number[]): Promise<void> {
  await tx.query(
    sql`select 1 from headway.stage where id = any (${int2s(stages)}) order by id for no key update`,
  );
}

const unclaimed = sql`not exists (
  select 1 from headway.claim c where c.stage = t.stage and t.subject = any (c.subjects))`;

export interface TaskRow {
  readonly subject: number;
  readonly stage: number;
}

/** A subject's tasks, each claimed or not. */
export const tasksOf = (db: Queryable, subject: number) =>
  db.query<TaskRow & { readonly claimed: boolean }>(sql`
    select t.subject, t.stage, not ${unclaimed} as claimed
    from headway.task t
    where t.subject = ${subject}
    order by t.stage`);

/** A subject's claimed tasks. */
export const claimedTasks = (tx: Queryable, subject: number) =>
  tx.query<TaskRow>(sql`
    select t.subject, t.stage from headway.task t where t.subject = ${subject} and not ${unclaimed}`);

/** Sets the time of a subject's unclaimed tasks. */
export const scheduleTasks = (
  tx: Queryable,
  { subject, stage, at, reason }: { subject: number; stage: number | null; at: Date; reason: string | null },
) =>
  tx.query<TaskRow>(sql`
    update headway.task t
    set ready_at = ${at}, reason = ${reason}
    where t.subject = ${subject} and (${stage}::int2 is null or t.stage = ${stage}::int2) and ${unclaimed}
    returning t.subject, t.stage`);

/**
 * Sets the rank of a subject's unclaimed tasks; their outputs inherit it. At every stage: the document keeps it, for
 * tasks owed later.
 */
export async function setRank(
  tx: Queryable,
  { subject, stage, rank }: { subject: number; stage: number | null; rank: number },
): Promise<void> {
  await tx.query(sql`
    update headway.task t
    set rank = ${rank}
    where t.subject = ${subject} and (${stage}::int2 is null or t.stage = ${stage}::int2) and ${unclaimed}`);
  if (stage === null)
    await tx.query(sql`update headway.document set rank = ${rank} where subject = ${subject}`);
}

/** Waiting tasks with earlier attempts, a page at a time. */
export const findTried = (
  db: Queryable,
  {
    stage,
    subjects,
    after,
    limit,
  }: { stage: number; subjects: readonly number[] | null; after: number; limit: number },
) =>
  db.query<TaskRow>(sql`
    select t.subject, t.stage
    from headway.task t
    where t.stage = ${stage} and t.subject > ${after} and (t.attempts > 0 or t.waits > 0 or t.crashes > 0)
      ${subjects === null ? sql`` : sql`and t.subject = any (${int8s(subjects)})`}
    order by t.subject
    limit ${limit}`);

/** Gives waiting tasks a fresh start. Not a first attempt: leftovers of an earlier attempt have to be compared. */
export const resetTried = (
  tx: Queryable,
  { stage, subjects, now }: { stage: number; subjects: readonly number[]; now: Date },
) =>
  tx.query<TaskRow>(sql`
    update headway.task t
    set attempts = 0, waits = 0, crashes = 0, spared = 0, outages = 0, first_attempt_at = null, last_attempt_at = null, fault = null,
      ready_at = ${now}, reason = null, generation = 1 + (nextval('headway.claim_number') % 2000000000)::int4
    where t.stage = ${stage} and t.subject = any (${int8s(subjects)}) and ${unclaimed}
    returning t.subject, t.stage`);

/** Turns a subject's tasks into dead letters. A running attempt finds its task gone and writes nothing. */
export const cancelTasks = (
  tx: Queryable,
  { subject, stage, fault, now }: { subject: number; stage: number | null; fault: Fault; now: Date },
) =>
  tx.query<TaskRow>(sql`
    with ended as (
      delete from headway.task t
      where t.subject = ${subject} and (${stage}::int2 is null or t.stage = ${stage}::int2)
      returning *
    )
    insert into headway.dead_letter (subject, stage, reason, kind, code, fingerprint, fault, input, input_hash, variant,
      attempts, waits, crashes, rank, request, correlation_id, died_at)
    select e.subject, e.stage, 'cancelled', ${fault.kind}, ${fault.code}, ${fault.fingerprint},
      ${JSON.stringify(fault)}::jsonb,
      coalesce(d.body, jsonb_build_object('key', g.key, 'documents', (
        select coalesce(jsonb_agg(i.id order by i.id), '[]'::jsonb)
        from headway.member m
        join headway.document i on i.subject = m.document and i.gone_at is null
        where m.grouping = g.subject))),
      d.hash, (select s.variant from headway.stage s where s.id = e.stage), e.attempts, e.waits, e.crashes, e.rank,
      coalesce(d.request, g.request),
      'req_' || coalesce(d.request, g.request) || '.stage_' || s.name || '.retry_' || (e.attempts + e.waits + e.crashes),
      ${now}
    from ended e
    join headway.stage s on s.id = e.stage
    left join headway.document d on d.subject = e.subject
    left join headway.grouping g on g.subject = e.subject
    returning subject, stage`);

/** Number of claimed tasks of a stage. */
export async function runningTasks(tx: Queryable, stage: number): Promise<number> {
  const [row] = await tx.query<{ tasks: number }>(sql`
    select count(*) as tasks from headway.task t where t.stage = ${stage} and not ${unclaimed}`);
  return row?.tasks ?? 0;
}
