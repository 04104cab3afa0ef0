import { crashesMin } from "../decide/settle.ts";
import type { Queryable } from "./database.ts";
import { bools, int2s, int4s, int8s, prepared, type Statement, sql, texts, times } from "./sql.ts";

export interface Owed {
  readonly subject: number;
  readonly stage: number;
  readonly rank: number;
}

/** Owes stages to new documents: a plain insert. */
export async function oweNew(tx: Queryable, owed: readonly Owed[], now: Date): Promise<void> {
  await tx.query(
    prepared(
      "owe",
      sql`
    insert into headway.task (subject, stage, rank, ready_at, owed_at)
    select o.subject, o.stage, o.rank, ${now}, ${now}
    from unnest(${int8s(owed.map((one) => one.subject))}, ${int2s(owed.map((one) => one.stage))},
      ${int2s(owed.map((one) => one.rank))}) as o (subject, stage, rank)
    on conflict (subject, stage) do nothing`,
    ),
  );
}

/** Owes stages again because the input changed: a fresh start, regardless of the old task. */
export async function oweChanged(tx: Queryable, owed: readonly Owed[], now: Date): Promise<void> {
  await oweAgain(
    tx,
    owed.map((one) => ({ ...one, readyAt: now, reason: null })),
    now,
  );
}

/** The reason of a task to be run again with the same input. */
export const anew = "anew";

export interface OwedAgain extends Owed {
  readonly readyAt: Date;
  readonly reason: string | null;
}

/** Owes stages again, from now or from a later time on. */
export async function oweAgain(tx: Queryable, owed: readonly OwedAgain[], now: Date): Promise<void> {
  const all = sql`
    select * from unnest(${int8s(owed.map((one) => one.subject))}, ${int2s(owed.map((one) => one.stage))},
      ${int2s(owed.map((one) => one.rank))}, ${times(owed.map((one) => one.readyAt))},
      ${texts(owed.map((one) => one.reason))}) as o (subject, stage, rank, ready_at, reason)`;
  await tx.query(prepared("oweagain", sql`with ${oweAll(all, now)} select 1 from revived where rest > 0`));
}

/**
 * Owes the tasks of a query, and ends their dead letters; goes into a `with`, and the statement has to select the
 * `rest` of `revived`, or the dead letters stay. The order of locks is the same everywhere. The generation is new: a
 * row may have gone and come back while its old version is still running.
 */
export const oweAll = (owed: Statement, now: Date): Statement => sql`
  again as (${owed}),
  owed_again as (
    insert into headway.task (subject, stage, rank, ready_at, reason, owed_at, generation)
    select o.subject, o.stage, o.rank, o.ready_at, o.reason, ${now},
      1 + (nextval('headway.claim_number') % 2000000000)::int4
    from again o
    order by o.stage, o.subject
    on conflict (subject, stage) do update
    set generation = excluded.generation, rank = excluded.rank, ready_at = excluded.ready_at, reason = excluded.reason,
      attempts = 0, waits = 0, crashes = 0, spared = 0, outages = 0, first_attempt_at = null, fault = null
    returning subject, stage
  ),
  revived as (select headway.revive(array_agg(subject), array_agg(stage)) as rest from owed_again)`;

/** Locks tasks of a stage; tasks missing from the answer were deleted meanwhile. */
export async function lockTasks(
  tx: Queryable,
  stage: number,
  subjects: readonly number[],
): Promise<Map<number, { generation: number; reason: string | null }>> {
  const rows = await tx.query<{ subject: number; generation: number; reason: string | null }>(
    prepared(
      "locktasks",
      sql`
    select subject, generation, reason
    from headway.task
    where stage = ${stage} and subject = any (${int8s(subjects)})
    order by subject
    for update`,
    ),
  );
  return new Map(rows.map((row) => [row.subject, row]));
}

/** Ends tasks with an unchanged input; the rest stay owed, with a fresh start. */
export async function endTasks(
  tx: Queryable,
  stage: number,
  ended: readonly { readonly subject: number; readonly generation: number }[],
): Promise<void> {
  await tx.query(
    prepared(
      "endtasks",
      sql`
    delete from headway.task t
    using unnest(${int8s(ended.map((one) => one.subject))}, ${int4s(ended.map((one) => one.generation))})
      as e (subject, generation)
    where t.stage = ${stage} and t.subject = e.subject and t.generation = e.generation`,
    ),
  );
}

export interface Postponed {
  readonly subject: number;
  readonly generation: number;
  readonly readyAt: Date;
  readonly reason: string;
  /** Increment. */
  readonly attempts: number;
  readonly waits: number;
  readonly attempted: boolean;
  /** The attempt ended with its worker: the suspicion stays, so the next one is alone as well. */
  readonly suspect: boolean;
  readonly fault: string | null;
}

/** Postpones tasks. A task with a changed input keeps its fresh start. */
export async function postponeTasks(
  tx: Queryable,
  stage: number,
  tasks: readonly Postponed[],
  now: Date,
): Promise<void> {
  await tx.query(
    prepared(
      "postpone",
      sql`
    update headway.task t
    set ready_at = p.ready_at, reason = p.reason, attempts = t.attempts + p.attempts, waits = t.waits + p.waits,
      fault = coalesce(p.fault::jsonb, t.fault),
      crashes = case when p.suspect then ${crashesMin - 1} when p.attempted then 0 else t.crashes end,
      spared = case when p.attempted and not p.suspect then 0 else t.spared end,
      last_attempt_at = case when p.attempted then ${now} else t.last_attempt_at end,
      first_attempt_at = case when p.attempted then coalesce(t.first_attempt_at, ${now}) else t.first_attempt_at end
    from unnest(${int8s(tasks.map((one) => one.subject))}, ${int4s(tasks.map((one) => one.generation))},
      ${times(tasks.map((one) => one.readyAt))}, ${texts(tasks.map((one) => one.reason))},
      ${int4s(tasks.map((one) => one.attempts))}, ${int4s(tasks.map((one) => one.waits))},
      ${bools(tasks.map((one) => one.attempted))}, ${bools(tasks.map((one) => one.suspect))},
      ${texts(tasks.map((one) => one.fault))}
    ) as p (subject, generation, ready_at, reason, attempts, waits, attempted, suspect, fault)
    where t.stage = ${stage} and t.subject = p.subject and t.generation = p.generation`,
    ),
  );
}

/** Whether a stage has claimable tasks now. */
export async function hasDue(
  db: Queryable,
  { stage, now }: { readonly stage: number; readonly now: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1
    from headway.task
    where stage = ${stage} and ready_at <= ${now}
      and subject not in (select unnest(c.subjects) from headway.claim c where c.stage = ${stage})
    limit 1`);
  return rows.length > 0;
}

/** Outlook for a stage: whether a task is claimable now, and when the next becomes due. */
export interface Outlook {
  readonly stage: number;
  readonly due: boolean;
  /** As in `nextReadyAt`. */
  readonly next: Date | null;
}

/** The outlook for many stages in one statement. */
export const findDue = (
  db: Queryable,
  { stages, now }: { readonly stages: readonly number[]; readonly now: Date },
): Promise<Outlook[]> =>
  db.query<Outlook>(
    prepared(
      "due",
      sql`
    select s.stage::int4 as stage,
      exists (
        select 1
        from headway.task t
        where t.stage = s.stage and t.ready_at <= ${now}
          and t.subject not in (select unnest(c.subjects) from headway.claim c where c.stage = s.stage)
      ) as due,
      (select t.ready_at
        from headway.task t
        where t.stage = s.stage and t.rank = 0 and t.ready_at > ${now}
        order by t.ready_at
        limit 1) as next
    from unnest(${int2s(stages)}) as s (stage)`,
    ),
  );

/** The due time of the next task of normal priority; tasks of other priorities are found by polling. */
export async function nextReadyAt(db: Queryable, stage: number, after: Date): Promise<Date | null> {
  const rows = await db.query<{ ready_at: Date }>(
    prepared(
      "nextready",
      sql`
    select ready_at
    from headway.task
    where stage = ${stage} and rank = 0 and ready_at > ${after}
    order by ready_at
    limit 1`,
    ),
  );
  return rows[0]?.ready_at ?? null;
}

/** The earliest time after `now` at which any task becomes due. */
export async function earliestReadyAt(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ ready_at: Date | null }>(sql`
    select min(ready_at) as ready_at from headway.task where ready_at > ${now}`);
  return rows[0]?.ready_at ?? null;
}

/** A clock set back leaves tasks scheduled far away, beyond any backoff. Returns their stages. */
export async function pullIn(
  db: Queryable,
  { latest, now, dryRun }: { latest: Date; now: Date; dryRun: boolean },
): Promise<number[]> {
  const far = sql`ready_at > ${latest} and reason is distinct from 'scheduled'`;
  const rows = await db.query<{ stage: number }>(
    dryRun
      ? sql`select stage from headway.task where ${far}`
      : sql`update headway.task set ready_at = ${now} where ${far} returning stage`,
  );
  return rows.map((row) => row.stage);
}

/** Tasks beyond the limit of a lowered policy: made due, to die. */
export async function pullPastLimit(
  db: Queryable,
  limit: { stage: number; kind: string; attemptsMax: number; now: Date; dryRun: boolean },
): Promise<number> {
  const { stage, kind, attemptsMax, now, dryRun } = limit;
  const past = sql`stage = ${stage} and attempts >= ${attemptsMax} and fault ->> 'kind' = ${kind} and ready_at > ${now}`;
  const rows = dryRun
    ? await db.query(sql`select 1 from headway.task where ${past}`)
    : await db.query(sql`update headway.task set ready_at = ${now} where ${past} returning 1`);
  return rows.length;
}
