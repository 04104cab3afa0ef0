import type { Fault } from "../decide/fault.ts";
import type { RampItem, RampResult } from "../decide/ramp.ts";
import type { Queryable } from "./database.ts";
import { int2s, int8s, type Statement, sql, texts } from "./sql.ts";

/** A selection of dead letters. Closed letters are left out unless requested. */
export interface DeadLetterFilter {
  readonly stage?: number;
  readonly code?: string;
  readonly fingerprint?: string;
  readonly ids?: readonly number[];
  /** Ids of documents or keys of groups. */
  readonly documents?: readonly string[];
  readonly diedBefore?: Date;
  readonly diedAfter?: Date;
  readonly state: "open" | "closed" | "all";
}

/** A dead letter, without its input. */
export interface DeadLetterRow {
  readonly id: number;
  readonly subject: number;
  readonly stage: string;
  readonly stage_number: number;
  /** Null for a group. */
  readonly collection: string | null;
  readonly document: string;
  readonly reason: string;
  readonly kind: string;
  readonly code: string;
  readonly fingerprint: string;
  readonly message: string;
  readonly attempts: number;
  readonly waits: number;
  readonly crashes: number;
  readonly version: string | null;
  readonly correlation_id: string;
  readonly died_at: Date;
  readonly closed_at: Date | null;
  readonly closed_as: string | null;
  readonly closed_by: string | null;
}

const source = sql`
  headway.dead_letter x
  join headway.stage s on s.id = x.stage
  left join headway.variant v on v.id = x.variant
  left join headway.document d on d.subject = x.subject
  left join headway.collection c on c.id = d.collection
  left join headway.grouping g on g.subject = x.subject`;

const columns = sql`
  x.id, x.subject, s.name as stage, x.stage as stage_number, c.name as collection,
  coalesce(d.id, g.key, '') as document, x.reason, x.kind, x.code, x.fingerprint,
  coalesce(x.fault ->> 'message', '') as message, x.attempts, x.waits, x.crashes, v.version, x.correlation_id,
  x.died_at, x.closed_at, x.closed_as, x.closed_by`;

/** Dead letters of deleted documents are hidden, because the document's removal deletes them soon. */
function matching(filter: DeadLetterFilter): Statement {
  const { stage, code, fingerprint, ids, documents, diedBefore, diedAfter, state } = filter;
  // An anti-join with the few that are gone, and not a look at the document of every letter.
  return sql`not exists (select 1 from headway.document o where o.subject = x.subject and o.gone_at is not null)
    ${stage === undefined ? sql`` : sql`and x.stage = ${stage}`}
    ${code === undefined ? sql`` : sql`and x.code = ${code}`}
    ${fingerprint === undefined ? sql`` : sql`and x.fingerprint = ${fingerprint}`}
    ${ids === undefined ? sql`` : sql`and x.id = any (${int8s(ids)})`}
    ${documents === undefined ? sql`` : sql`and coalesce(d.id, g.key) = any (${texts(documents)})`}
    ${diedBefore === undefined ? sql`` : sql`and x.died_at < ${diedBefore}`}
    ${diedAfter === undefined ? sql`` : sql`and x.died_at > ${diedAfter}`}
    ${state === "all" ? sql`` : state === "open" ? sql`and x.closed_at is null` : sql`and x.closed_at is not null`}`;
}

export interface Page {
  readonly after: number;
  readonly limit: number;
}

/** A page of dead letters, oldest first. */
export const listDeadLetters = (db: Queryable, filter: DeadLetterFilter, { after, limit }: Page) =>
  db.query<DeadLetterRow>(sql`
    select ${columns}
    from ${source}
    where x.id > ${after} and ${matching(filter)}
    order by x.id
    limit ${limit}`);

/** A dead letter with its input and faults. */
export interface WholeDeadLetterRow extends DeadLetterRow {
  readonly fault: Fault;
  readonly input: object | null;
  readonly input_hash: Buffer | null;
  readonly request: string;
  readonly config: object | null;
  readonly model: string | null;
  readonly faults: readonly DeadFault[];
}

/** One failed attempt in an export. */
export interface DeadFault {
  readonly attempt: number;
  readonly fault: Fault;
  /** Version of the failed code. */
  readonly version: string | null;
  readonly worker: number | null;
  readonly correlation_id: string;
  readonly at: string;
}

/** A page of dead letters with inputs and the whole history of faults. */
export const readDeadLetters = (db: Queryable, filter: DeadLetterFilter, { after, limit }: Page) =>
  db.query<WholeDeadLetterRow>(sql`
    select ${columns}, x.fault, x.input, x.input_hash, x.request, v.config, v.model,
      coalesce((
        select jsonb_agg(jsonb_build_object('attempt', f.attempt, 'fault', f.fault, 'version', w.version,
          'worker', f.worker, 'correlation_id', f.correlation_id, 'at', f.at) order by f.id)
        from headway.fault f
        left join headway.variant w on w.id = f.variant
        where f.subject = x.subject and f.stage = x.stage), '[]'::jsonb) as faults
    from ${source}
    where x.id > ${after} and ${matching(filter)}
    order by x.id
    limit ${limit}`);

export interface DeadGroupRow {
  readonly stage: string;
  readonly fingerprint: string;
  readonly kind: string;
  readonly code: string;
  /** Of the latest letter. */
  readonly message: string;
  readonly letters: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly versions: readonly string[];
  /** The stage's code has changed since some of the deaths. */
  readonly retry_suggested: boolean;
}

/** Dead letters by cause of death, the largest group first. */
export const groupDeadLetters = (db: Queryable, filter: DeadLetterFilter, limit: number) =>
  db.query<DeadGroupRow>(sql`
    select g.stage, g.fingerprint, g.kind, g.code, coalesce(n.fault ->> 'message', '') as message, g.letters, g.first_at,
      g.last_at, g.versions, g.retry_suggested
    from (
      select p.stage, p.fingerprint, min(p.kind) as kind, min(p.code) as code, max(p.newest) as newest,
        sum(p.letters)::int8 as letters, min(p.first_at) as first_at, max(p.last_at) as last_at,
        coalesce(array_agg(distinct p.version) filter (where p.version is not null), '{}') as versions,
        bool_or(p.retry_suggested) as retry_suggested
      from (
        -- By variant first: letters are hashed, and only the few groups are sorted.
        select s.name as stage, x.fingerprint, v.version, coalesce(x.variant <> s.variant, false) as retry_suggested,
          min(x.kind) as kind, min(x.code) as code, max(x.id) as newest, count(*) as letters,
          min(x.died_at) as first_at, max(x.died_at) as last_at
        from ${source}
        where ${matching(filter)}
        group by s.name, x.fingerprint, v.version, coalesce(x.variant <> s.variant, false)
      ) p
      group by p.stage, p.fingerprint
      order by letters desc, p.stage, p.fingerprint
      limit ${limit}
    ) g
    join headway.dead_letter n on n.id = g.newest
    order by g.letters desc, g.stage, g.fingerprint`);

export async function countDeadLetters(
  db: Queryable,
  filter: DeadLetterFilter,
): Promise<{ stage: string; letters: number }[]> {
  return await db.query(sql`
    select s.name as stage, count(*) as letters from ${source} where ${matching(filter)} group by s.name order by s.name`);
}

export interface Requeued extends RampItem {
  readonly id: number;
  /** False: the stage was owed already. */
  readonly owed: boolean;
}

/**
 * Requeues dead letters, each for its own stage, with a fresh start. Letters requeued concurrently are missing from
 * the answer. The generation is new, as in `oweAgain`: neither a first attempt, because leftovers of an earlier
 * attempt have to be compared, nor a generation possibly still running.
 */
export async function requeueDeadLetters(
  tx: Queryable,
  { ids, readyAt, reason, now }: { ids: readonly number[]; readyAt: Date; reason: string | null; now: Date },
): Promise<Requeued[]> {
  return await tx.query<Requeued>(sql`
    with moved as (
      delete from headway.dead_letter x
      where x.id = any (${int8s(ids)})
        and (exists (select 1 from headway.document d where d.subject = x.subject and d.gone_at is null)
          or exists (select 1 from headway.grouping g where g.subject = x.subject))
      returning x.id, x.subject, x.stage, x.rank, x.fingerprint
    ), owed as (
      insert into headway.task (subject, stage, rank, ready_at, reason, owed_at, generation)
      select m.subject, m.stage, m.rank, ${readyAt}, ${reason}::text, ${now},
        1 + (nextval('headway.claim_number') % 2000000000)::int4
      from moved m
      order by m.stage, m.subject
      on conflict (subject, stage) do nothing
      returning subject, stage
    )
    select m.id, m.subject, m.stage, m.fingerprint, o.subject is not null as owed
    from moved m
    left join owed o on o.subject = m.subject and o.stage = m.stage
    order by m.id`);
}

/** Closes dead letters: unlisted, but still dead, so the stage is not owed anew. */
export async function closeDeadLetters(
  tx: Queryable,
  { ids, as, by, now }: { ids: readonly number[]; as: string; by: string; now: Date },
): Promise<{ subject: number; stage: number }[]> {
  return await tx.query(sql`
    update headway.dead_letter
    set closed_at = ${now}, closed_as = ${as}, closed_by = ${by}
    where id = any (${int8s(ids)}) and closed_as is distinct from ${as}
    returning subject, stage`);
}

/** Deletes inputs and fault details for good; the fact and the cause of death remain. */
export async function stripDeadLetters(tx: Queryable, ids: readonly number[]): Promise<void> {
  await tx.query(sql`
    update headway.dead_letter
    set input = null, fault = jsonb_build_object('kind', kind, 'code', code, 'fingerprint', fingerprint, 'message', '')
    where id = any (${int8s(ids)})`);
  await tx.query(sql`
    delete from headway.fault f
    using headway.dead_letter x
    where x.id = any (${int8s(ids)}) and f.subject = x.subject and f.stage = x.stage`);
}

/** Outcomes of requeued tasks. */
export const resultsOf = (db: Queryable, items: readonly RampItem[]) =>
  db.query<RampResult>(sql`
    select i.subject, i.stage,
      case when t.subject is not null then 'pending' when x.subject is not null then 'dead' else 'settled' end as state,
      coalesce(t.fault ->> 'fingerprint', x.fingerprint) as fingerprint
    from unnest(${int8s(items.map((one) => one.subject))}, ${int2s(items.map((one) => one.stage))}) as i (subject, stage)
    left join headway.task t on t.subject = i.subject and t.stage = i.stage
    left join headway.dead_letter x on x.subject = i.subject and x.stage = i.stage`);
