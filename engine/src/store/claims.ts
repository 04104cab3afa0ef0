import type { Fault } from "../decide/fault.ts";
import type { Place } from "../decide/step-lane.ts";
import type { Task } from "../decide/task.ts";
import type { Queryable } from "./database.ts";
import { int8s, prepared, sql } from "./sql.ts";
import { storedBody } from "./stored-body.ts";

/** A claimed task with its input. */
export interface ClaimedTask extends Task {
  /** The document's id, or the group's key. */
  readonly id: string;
  /** Null for a group: members are loaded separately. */
  readonly hash: Buffer | null;
  readonly body: object | null;
  /** The document was removed meanwhile. */
  readonly gone: boolean;
  readonly request: string;
  /** Of the last failed attempt. */
  readonly fault: Fault | null;
  /** Of the last result, if any. */
  readonly marker: Buffer | null;
}

interface FreshTask extends Pick<ClaimedTask, "subject" | "rank" | "id" | "request"> {
  readonly hash: Buffer;
  readonly json: string;
  readonly now: Date;
}

/** The task of a new document, never run, as returned by `takeTasks`. */
export const freshTask = ({ subject, rank, id, hash, json, request, now }: FreshTask): ClaimedTask => ({
  subject,
  rank,
  readyAt: now,
  generation: 0,
  attempts: 0,
  waits: 0,
  crashes: 0,
  firstAttemptAt: null,
  id,
  hash,
  body: storedBody(json),
  gone: false,
  request,
  fault: null,
  marker: null,
});

export interface Claim {
  readonly id: number;
  readonly tasks: readonly ClaimedTask[];
}

/** Error code for a claim by an evicted worker. */
export const evictedCode = "HW001";

/** Columns named like the fields, so rows are tasks. */
const columns = sql`claim, subject, rank, ready_at as "readyAt", generation, attempts, waits, crashes,
  first_attempt_at as "firstAttemptAt", fault, id, hash, body, gone, request, marker`;

export interface Ask {
  readonly stage: number;
  readonly worker: number;
  readonly now: Date;
  readonly limit: number;
  /** Includes tasks with one crashed worker, then exclusively such tasks. */
  readonly few: boolean;
  /** Includes a task with several crashed workers, then only this task. */
  readonly alone: boolean;
  /** Position of the last claim: reading continues here, instead of skipping dead index entries again. */
  readonly from: Place;
}

/** Claims up to `limit` due tasks of a stage. */
export async function takeTasks(
  db: Queryable,
  { stage, worker, now, limit, few, alone, from }: Ask,
): Promise<Claim | null> {
  const tasks = await db.query<ClaimedTask & { readonly claim: number }>(
    prepared(
      "take",
      sql`select ${columns} from headway.take_tasks(${stage}::int2, ${worker}::int8, ${now}::timestamptz, ${limit}::int4,
        ${few}::bool, ${alone}::bool, ${from.rank}::int2, ${from.readyAt}::timestamptz, ${from.subject}::int8)`,
    ),
  );
  const first = tasks[0];
  return first ? { id: first.claim, tasks } : null;
}

/** A claim with its worker: the fence of every write. */
export interface Held {
  readonly claim: number;
  readonly worker: number;
  readonly stage: number;
}

/**
 * Checks and locks a claim; its tasks stay claimed until the end of the transaction. Returns the subjects still
 * claimed: a write repeated after a lost answer has no right to the rest. Null: the claim is gone.
 */
export async function holdClaim(tx: Queryable, { claim, worker }: Held): Promise<Set<number> | null> {
  const [row] = await tx.query<{ subjects: number[] }>(
    prepared(
      "hold",
      sql`select subjects from headway.claim where id = ${claim} and worker = ${worker} for update`,
    ),
  );
  return row ? new Set(row.subjects) : null;
}

/** Removes tasks from a locked claim; removing the last task ends the claim. */
export async function shrinkClaim(
  tx: Queryable,
  { claim }: Held,
  subjects: readonly number[],
): Promise<void> {
  await tx.query(
    prepared(
      "shrink",
      sql`
        update headway.claim
        set subjects = array(select s from unnest(subjects) s where s <> all (${int8s(subjects)}))
        where id = ${claim}`,
    ),
  );
  await tx.query(
    prepared("endclaim", sql`delete from headway.claim where id = ${claim} and subjects = '{}'`),
  );
}

/** Releases tasks unchanged: at a shutdown, or when a task turned out not to be due. */
export async function releaseTasks(tx: Queryable, held: Held, subjects: readonly number[]): Promise<void> {
  if (await holdClaim(tx, held)) await shrinkClaim(tx, held, subjects);
}

/** Releases claims of a worker at a stage unknown to the worker itself, because the answer to the claim was lost. */
export async function releaseStrays(
  db: Queryable,
  { worker, stage, held }: { worker: number; stage: number; held: readonly number[] },
): Promise<void> {
  await db.query(sql`
    delete from headway.claim where worker = ${worker} and stage = ${stage} and id <> all (${int8s(held)})`);
}
