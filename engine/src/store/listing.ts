import type { Queryable } from "./database.ts";
import { type Statement, sql, texts } from "./sql.ts";

/**
 * State of a document as a whole: the worst of its stages.
 *
 * @example
 * import { documentStates } from "@headway/engine/operate";
 *
 * export const isState = (word: string) => documentStates.some((one) => one === word);
 */
export const documentStates = ["dead", "claimed", "waiting", "done"] as const;
/** State of a document as a whole. */
export type DocumentState = (typeof documentStates)[number];

export interface ListingFilter {
  readonly collection: number;
  /** Only documents after this id. */
  readonly after: string;
  readonly limit: number;
  readonly ids?: readonly string[];
  /** The body must contain at least one of these; empty: all documents. */
  readonly where: readonly object[];
  readonly state?: DocumentState;
  /** Only the state at this stage counts; all stages if omitted. */
  readonly stage?: number;
  /** Only documents with a task owed since before this moment; tasks scheduled by a person do not count. */
  readonly owedBefore?: Date;
  readonly now: Date;
  readonly body: boolean;
}

/** A document with its state, as stored. */
export interface ListedRow {
  readonly id: string;
  readonly state: DocumentState;
  readonly request: string;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly bytes: number;
  /** Maximum of attempts over the stages, and the end of the last attempt. */
  readonly attempts: number;
  readonly last_attempt_at: Date | null;
  /** Failed attempts of open tasks. */
  readonly failures: number;
  /** Null unless requested. */
  readonly body: object | null;
}

/** A page of a collection by id, with the state of each document. */
export function listDocuments(db: Queryable, filter: ListingFilter): Promise<ListedRow[]> {
  const { collection, after, limit, ids, where, state, owedBefore, now, body } = filter;
  const contains = where.map((one) => sql`d.body @> ${JSON.stringify(one)}::jsonb`);
  const either = contains.reduce<Statement>((all, one) => sql`${all} or ${one}`, sql`false`);
  // The page comes first, so that states are looked up for its rows and not for the whole collection.
  return db.query<ListedRow>(sql`
    select d.id, ${standing(filter)} as state, d.request, d.created_at, d.changed_at,
      pg_column_size(d.body) as bytes, ${body ? sql`d.body` : sql`null::jsonb`} as body,
      coalesce(a.attempts, 0) as attempts, a.last_attempt_at, coalesce(a.failures, 0) as failures
    from (
      select d.subject, d.id, d.request, d.created_at, d.changed_at, d.body
      from headway.document d
      where d.collection = ${collection} and d.id > ${after} and d.gone_at is null
        ${ids === undefined ? sql`` : sql`and d.id = any (${texts(ids)})`}
        ${where.length === 0 ? sql`` : sql`and (${either})`}
        ${state === undefined ? sql`` : isIn(filter, state)}
        ${
          owedBefore === undefined
            ? sql``
            : sql`and exists (select 1 from headway.task t
          where t.subject = d.subject ${atStage(filter, sql`t.stage`)} and t.owed_at <= ${owedBefore}
            and not (t.reason is not distinct from 'scheduled' and t.ready_at > ${now}))`
        }
      order by d.id
      limit ${limit}
    ) d
    left join lateral (${tried(filter)}) a on true
    order by d.id`);
}

const atStage = ({ stage }: ListingFilter, column: Statement): Statement =>
  stage === undefined ? sql`` : sql`and ${column} = ${stage}`;

/** Attempts so far, over all stages of a document or at one stage. */
function tried(filter: ListingFilter): Statement {
  const at = (column: Statement) => atStage(filter, column);
  return sql`
    select max(o.attempts) as attempts, max(o.at) as last_attempt_at, max(o.failures) as failures
    from (
      select t.attempts + t.waits + t.crashes as attempts, t.last_attempt_at as at, t.attempts as failures
      from headway.task t where t.subject = d.subject ${at(sql`t.stage`)}
      union all
      select x.attempts + x.waits + x.crashes, x.died_at, 0
      from headway.dead_letter x where x.subject = d.subject ${at(sql`x.stage`)}
      union all
      select r.attempts, r.finished_at, 0
      from headway.done r where r.subject = d.subject ${at(sql`r.stage`)}
    ) o`;
}

/** Parts of a state, each as a condition. */
function parts(filter: ListingFilter) {
  const at = (column: Statement) => atStage(filter, column);
  const claims = filter.stage === undefined ? sql`true` : sql`c.stage = ${filter.stage}`;
  return {
    dead: sql`exists (select 1 from headway.dead_letter x where x.subject = d.subject ${at(sql`x.stage`)})`,
    // Claims are few: workers times their concurrency.
    claimed: sql`d.subject = any (array(select t.subject from headway.claim c
      join headway.task t on t.stage = c.stage and t.subject = any (c.subjects) where ${claims}))`,
    owed: sql`exists (select 1 from headway.task t where t.subject = d.subject ${at(sql`t.stage`)})`,
  };
}

function standing(filter: ListingFilter): Statement {
  const { dead, claimed, owed } = parts(filter);
  return sql`case when ${dead} then 'dead' when ${claimed} then 'claimed' when ${owed} then 'waiting' else 'done' end`;
}

/** The state as conditions that an index of tasks or dead letters can begin with. */
function isIn(filter: ListingFilter, state: DocumentState): Statement {
  const { dead, claimed, owed } = parts(filter);
  if (state === "dead") return sql`and ${dead}`;
  if (state === "claimed") return sql`and ${claimed} and not ${dead}`;
  if (state === "waiting") return sql`and ${owed} and not ${dead} and not ${claimed}`;
  return sql`and not ${owed} and not ${dead}`;
}
