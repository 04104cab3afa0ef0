import type { Fault } from "../decide/fault.ts";
import type { Task } from "../decide/task.ts";
import type { Queryable } from "./database.ts";
import { int8s, prepared, sql } from "./sql.ts";
import { storedBody } from "./stored-body.ts";

/** A task in a worker's hands, with its input. */
export interface ClaimedTask extends Task {
  /** The document's id, or the group's key. */
  readonly id: string;
  /** Null for a group: its members are loaded apart. */
  readonly hash: Buffer | null;
  readonly body: object | null;
  /** The document was removed meanwhile. */
  readonly gone: boolean;
  readonly request: string;
  /** Of the last failed attempt. */
  readonly fault: Fault | null;
  /** Of the last result, if there is one. */
  readonly marker: Buffer | null;
}

interface FreshTask extends Pick<ClaimedTask, "subject" | "rank" | "id" | "request"> {
  readonly hash: Buffer;
  readonly json: string;
  readonly now: Date;
}

/** The task of a document that nobody has ever worked on, as `takeTasks` would give it. */
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

/** Where the last claim ended: reading goes on from here instead of past everything that is already gone. */
export interface Place {
  readonly rank: number;
  readonly readyAt: Date;
  readonly subject: number;
}

/** The code of the refusal when a worker that was declared dead asks for tasks. */
export const evictedCode = "HW001";

export const theStart: Place = { rank: -32_768, readyAt: new Date(0), subject: 0 };

/** Columns under the names of the fields, so that the rows are the tasks. */
const columns = sql`claim, subject, rank, ready_at as "readyAt", generation, attempts, waits, crashes,
  first_attempt_at as "firstAttemptAt", fault, id, hash, body, gone, request, marker`;

export interface Ask {
  readonly stage: number;
  readonly worker: number;
  readonly now: Date;
  readonly limit: number;
  /** Also some whose worker died, then no others. */
  readonly few: boolean;
  /** Also one whose workers died more than once, then no other. */
  readonly alone: boolean;
  readonly from: Place;
}

/** Takes up to `limit` due tasks of a stage. */
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

/** A claim and who says to have it: the fence of every write. */
export interface Held {
  readonly claim: number;
  readonly worker: number;
  readonly stage: number;
}

/**
 * Checks and locks a claim; what it names cannot be taken from us before the transaction ends. Returns what it still names:
 * a write that is repeated because its answer was lost has no right to the rest. Null: the claim is gone.
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

/** Gives back tasks of a claim that is held; the last one ends the claim. */
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

/** Gives tasks back unchanged: a shutdown, or work that turned out not to be due. */
export async function releaseTasks(tx: Queryable, held: Held, subjects: readonly number[]): Promise<void> {
  if (await holdClaim(tx, held)) await shrinkClaim(tx, held, subjects);
}

/** Gives back claims that a worker has at a stage without knowing of them: the answer to its question was lost. */
export async function releaseStrays(
  db: Queryable,
  { worker, stage, held }: { worker: number; stage: number; held: readonly number[] },
): Promise<void> {
  await db.query(sql`
    delete from headway.claim where worker = ${worker} and stage = ${stage} and id <> all (${int8s(held)})`);
}
