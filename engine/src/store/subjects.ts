import type { Fault } from "../decide/fault.ts";
import type { Calls } from "../decide/result-facts.ts";
import type { Queryable } from "./database.ts";
import { int2s, int8s, sql } from "./sql.ts";

/** A document or a group by number. */
export interface SubjectRow {
  readonly subject: number;
  /** Null for a group. */
  readonly collection: number | null;
  /** Null for a document. */
  readonly stage: number | null;
  readonly id: string;
  readonly hash: Buffer | null;
  readonly gone_at: Date | null;
  readonly request: string;
}

const documentColumns = sql`subject, collection, null::int2 as stage, id, hash, gone_at, request`;
const groupColumns = sql`subject, null::int2 as collection, stage, key as id, null::bytea as hash,
  null::timestamptz as gone_at, request`;

/** A document by id, including a document marked for removal. */
export async function findDocument(
  db: Queryable,
  collection: number,
  id: string,
): Promise<SubjectRow | null> {
  const [row] = await db.query<SubjectRow>(sql`
    select ${documentColumns} from headway.document where collection = ${collection} and id = ${id}`);
  return row ?? null;
}

export async function findGroup(db: Queryable, stage: number, key: string): Promise<SubjectRow | null> {
  const [row] = await db.query<SubjectRow>(sql`
    select ${groupColumns} from headway.grouping where stage = ${stage} and key = ${key}`);
  return row ?? null;
}

export async function findSubject(db: Queryable, subject: number): Promise<SubjectRow | null> {
  const [row] = await db.query<SubjectRow>(sql`
    select ${documentColumns} from headway.document where subject = ${subject}
    union all
    select ${groupColumns} from headway.grouping where subject = ${subject}`);
  return row ?? null;
}

/** The groups of a document. */
export const groupsOf = (db: Queryable, document: number) =>
  db.query<SubjectRow>(sql`
    select ${groupColumns}
    from headway.grouping
    where subject in (select m.grouping from headway.member m where m.document = ${document})`);

export interface StandingRow {
  readonly subject: number;
  readonly stage: number;
  readonly ready_at: Date | null;
  readonly reason: string | null;
  readonly owed_at: Date | null;
  readonly attempts: number | null;
  readonly waits: number | null;
  readonly crashes: number | null;
  readonly last_attempt_at: Date | null;
  readonly fault: Fault | null;
  readonly claim_worker: number | null;
  readonly claim_at: Date | null;
  readonly worker_name: string | null;
  readonly done_at: Date | null;
  readonly done_attempts: number | null;
  readonly done_outputs: number | null;
  readonly took_ms: number | null;
  readonly facts: { readonly calls?: Calls; readonly batch?: number } | null;
  readonly finding: string | null;
  readonly done_input: Buffer | null;
  readonly done_variant: number | null;
  readonly done_forgotten: boolean | null;
  readonly dead_id: number | null;
  readonly dead_reason: string | null;
  readonly dead_fault: Fault | null;
  readonly dead_attempts: number | null;
  readonly dead_waits: number | null;
  readonly dead_crashes: number | null;
  readonly dead_variant: number | null;
  readonly died_at: Date | null;
  readonly closed_at: Date | null;
  readonly closed_as: string | null;
  readonly closed_by: string | null;
}

/** State of subjects at stages: task, claim, result and dead letter of each pair, at one moment. */
export const standings = (
  db: Queryable,
  pairs: readonly { readonly subject: number; readonly stage: number }[],
) =>
  db.query<StandingRow>(sql`
    select p.subject, p.stage, t.ready_at, t.reason, t.owed_at, t.attempts, t.waits, t.crashes, t.last_attempt_at, t.fault,
      c.worker as claim_worker, c.at as claim_at,
      case when w.evicted_at is null then w.name || ' on ' || w.host || ', process ' || w.pid end as worker_name,
      r.finished_at as done_at, r.attempts as done_attempts, r.outputs as done_outputs, r.input_hash as done_input,
      r.variant as done_variant, r.marker = '' as done_forgotten, r.took_ms, r.facts, r.finding,
      x.id as dead_id, x.reason as dead_reason, x.fault as dead_fault, x.attempts as dead_attempts,
      x.waits as dead_waits, x.crashes as dead_crashes, x.variant as dead_variant, x.died_at, x.closed_at, x.closed_as,
      x.closed_by
    from unnest(${int8s(pairs.map((one) => one.subject))}, ${int2s(pairs.map((one) => one.stage))})
      with ordinality as p (subject, stage, place)
    left join headway.task t on t.subject = p.subject and t.stage = p.stage
    left join headway.claim c on c.stage = p.stage and p.subject = any (c.subjects)
    left join headway.worker w on w.id = c.worker
    left join headway.done r on r.subject = p.subject and r.stage = p.stage
    left join headway.dead_letter x on x.subject = p.subject and x.stage = p.stage
    order by p.place`);

export interface VariantRow {
  readonly id: number;
  readonly stage: number;
  readonly version: string;
  readonly config_hash: Buffer;
  readonly model: string;
  readonly newest: boolean;
}

/** The newest variant of each stage, plus the variants with the given numbers. */
export const readVariants = (db: Queryable, numbers: readonly number[]) =>
  db.query<VariantRow>(sql`
    select v.id, v.stage, v.version, v.config_hash, v.model, v.id = s.variant as newest
    from headway.variant v
    join headway.stage s on s.id = v.stage
    where v.id = s.variant or v.id = any (${int8s(numbers)})`);

export interface MemberStateRow {
  readonly grouping: number;
  readonly id: string;
  readonly hash: Buffer;
  readonly pending: boolean;
  readonly dead: boolean;
}

/** The members of groups, with their state at the `after` stages. */
export const memberStates = (db: Queryable, groups: readonly number[]) =>
  db.query<MemberStateRow>(sql`
    select m.grouping, d.id, d.hash,
      exists (select 1 from headway.task t where t.subject = d.subject and t.stage = any (s.after_stages)) as pending,
      exists (select 1 from headway.dead_letter x where x.subject = d.subject and x.stage = any (s.after_stages)) as dead
    from headway.member m
    join headway.stage s on s.id = m.stage
    join headway.document d on d.subject = m.document and d.gone_at is null
    where m.grouping = any (${int8s(groups)})
    order by m.grouping, d.id`);

/** Stages known to need a dependency that is down, because some of their tasks are held. */
export const heldStages = (db: Queryable, dependency: string) =>
  db.query<{ stage: number }>(sql`
    select s.id as stage
    from headway.stage s
    where exists (select 1 from headway.task t where t.stage = s.id and t.reason = 'held: ' || ${dependency})`);
