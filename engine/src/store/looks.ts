import type { Queryable } from "./database.ts";
import { byteas, type Column, int2s, int8s, prepared, type Statement, sql, texts } from "./sql.ts";
import type { Flow } from "./stage-graph.ts";
import { oweAgain } from "./tasks.ts";

/** A document that a task has looked at; hash null: the document was not there. */
export interface LookedAt {
  readonly collection: number;
  readonly id: string;
  readonly hash: Buffer | null;
}

export interface LookingTask {
  readonly subject: number;
  readonly looked: readonly LookedAt[];
}

export interface LookedRow {
  readonly id: string;
  readonly hash: Buffer;
  readonly body: object;
}

/** Documents of a collection by id, or some of their fields. */
export async function readLooked(
  db: Queryable,
  {
    collection,
    ids,
    fields,
  }: {
    readonly collection: number;
    readonly ids: readonly string[];
    readonly fields: readonly string[] | null;
  },
): Promise<LookedRow[]> {
  const body =
    fields === null
      ? sql`d.body`
      : sql`(select coalesce(jsonb_object_agg(f, d.body -> f), '{}'::jsonb) from unnest(${texts(fields)}) f where d.body ? f)`;
  return await db.query<LookedRow>(
    prepared(
      fields === null ? "looked" : "lookedpart",
      sql`
    select d.id, d.hash, ${body} as body
    from headway.document d
    where d.collection = ${collection} and d.id = any (${texts(ids)}) and d.gone_at is null`,
    ),
  );
}

const lockOf = (collection: Statement): Statement => sql`hashtextextended('headway.look', ${collection})`;

/**
 * Locks the looked-up documents of tasks until the end of the transaction, and returns the tasks with a changed document. Documents before
 * tasks: a commit locks a changed document first, then owes the tasks.
 */
export async function lockLooked(tx: Queryable, tasks: readonly LookingTask[]): Promise<Set<number>> {
  const all = tasks.flatMap((one) => one.looked);
  if (all.length === 0) return new Set();
  const missing = [...new Set(all.filter((one) => one.hash === null).map((one) => one.collection))].sort(
    byNumber,
  );
  if (missing.length > 0)
    await tx.query(sql`select pg_advisory_xact_lock(${lockOf(sql`c`)}) from unnest(${int2s(missing)}) c`);
  const rows = await tx.query<{ collection: number; id: string; hash: Buffer | null }>(
    prepared(
      "locklooked",
      sql`
    select d.collection, d.id, case when d.gone_at is null then d.hash end as hash
    from headway.document d
    where d.subject in (
      select k.subject
      from (select distinct o.collection, o.id
        from unnest(${int2s(all.map((one) => one.collection))}, ${texts(all.map((one) => one.id))}) as o (collection, id)) w
      join headway.document k on k.collection = w.collection and k.id = w.id)
    order by d.subject
    for share of d`,
    ),
  );
  const now = new Map(rows.map((row) => [`${row.collection}/${row.id}`, row.hash]));
  const same = ({ collection, id, hash }: LookedAt): boolean => {
    const found = now.get(`${collection}/${id}`) ?? null;
    return hash === null ? found === null : found?.equals(hash) === true;
  };
  return new Set(tasks.filter((one) => !one.looked.every(same)).map((one) => one.subject));
}

/** Records what tasks of a stage have looked at, instead of earlier look-ups. */
export async function keepLooks(tx: Queryable, stage: number, tasks: readonly LookingTask[]): Promise<void> {
  if (tasks.length === 0) return;
  const rows = tasks.flatMap(({ subject, looked }) => looked.map((one) => ({ subject, ...one })));
  await tx.query(
    prepared(
      "keeplooks",
      sql`
    with kept as (
      select distinct on (subject, collection, id) *
      from unnest(${int8s(rows.map((one) => one.subject))}, ${int2s(rows.map((one) => one.collection))},
        ${texts(rows.map((one) => one.id))}, ${byteas(rows.map((one) => one.hash))}) as k (subject, collection, id, hash)
    ), dropped as (
      delete from headway.look l
      where l.stage = ${stage} and l.subject = any (${int8s(tasks.map((one) => one.subject))})
        and not exists (
          select 1 from kept k where k.subject = l.subject and k.collection = l.collection and k.id = l.id)
    )
    insert into headway.look (collection, id, subject, stage, hash)
    select collection, id, subject, ${stage}, hash from kept
    on conflict (collection, id, subject, stage) do update
    set hash = excluded.hash
    where headway.look.hash is distinct from excluded.hash`,
    ),
  );
}

/** The given collections, as far as stages look at documents there. */
export const lookedAt = ({ lookers }: Flow, collections: readonly number[]): number[] =>
  lookers.size > 0 ? [...new Set(collections.filter((one) => lookers.has(one)))].sort(byNumber) : [];

const byNumber = (a: number, b: number): number => a - b;

/** Part of a statement that inserts documents: refuses the insert of a document that a task has looked for. */
export const refuseLooked = (documents: {
  readonly collection: readonly number[];
  readonly id: readonly string[];
}): Statement => sql`headway.refuse_looked(${int2s(documents.collection)}, ${texts(documents.id)})`;

/** Waits for commits that found documents of these collections missing; see `functions/refuse_looked.sql`. */
export async function announceInserts(tx: Queryable, collections: readonly number[]): Promise<void> {
  if (collections.length === 0) return;
  await tx.query(
    sql`select pg_advisory_xact_lock_shared(${lockOf(sql`c`)}) from unnest(${int2s(collections)}) c`,
  );
}

/** Owes stages again to tasks that have looked at documents which came, changed or went. */
export async function oweLookers(
  tx: Queryable,
  flow: Flow,
  changed: readonly { readonly collection: number; readonly id: string }[],
  now: Date,
): Promise<void> {
  const seen = changed.filter((one) => flow.lookers.has(one.collection));
  if (seen.length === 0) return;
  const lookers = await findLookers(
    tx,
    sql`select * from unnest(${int2s(seen.map((one) => one.collection))}, ${texts(seen.map((one) => one.id))})
      as c (collection, id)`,
  );
  await oweLooking(tx, lookers, (stage) => flow.looking.get(stage) ?? 0, now);
}

export interface Looker {
  readonly subject: number;
  readonly stage: number;
  readonly rank: number;
}

/** Tasks that have looked at the documents of a query by `collection` and `id`. */
export const findLookers = (tx: Queryable, documents: Statement): Promise<Looker[]> =>
  tx.query<Looker>(sql`
    select distinct l.stage, l.subject, coalesce(s.rank, 0)::int2 as rank
    from (${documents}) c
    join headway.look l on l.collection = c.collection and l.id = c.id
    left join headway.document s on s.subject = l.subject
    where s.gone_at is null
    order by l.stage, l.subject`);

export async function oweLooking(
  tx: Queryable,
  lookers: readonly Looker[],
  quietMsOf: (stage: number) => number,
  now: Date,
): Promise<void> {
  if (lookers.length === 0) return;
  const owed = lookers.map(({ subject, stage, rank }) => {
    const quietMs = quietMsOf(stage);
    const readyAt = new Date(now.getTime() + quietMs);
    return { subject, stage, rank, readyAt, reason: quietMs > 0 ? "quiet" : null };
  });
  await oweAgain(tx, owed, now);
}

/** Forgets the look-ups of removed tasks. */
export const forgetLooks = (subjects: Column): Statement =>
  sql`delete from headway.look where subject = any (${subjects})`;

/**
 * Results of a stage with a changed look-up and no owed task; the sweep owes such tasks. A false positive costs nothing: the marker shows
 * no change.
 */
export async function findStaleLooks(db: Queryable, stage: number): Promise<number[]> {
  const rows = await db.query<{ subject: number }>(sql`
    select distinct l.subject
    from headway.look l
    left join headway.document d on d.collection = l.collection and d.id = l.id and d.gone_at is null
    where l.stage = ${stage} and l.hash is distinct from d.hash
      and not exists (select 1 from headway.task t where t.subject = l.subject and t.stage = l.stage)
      and not exists (select 1 from headway.document g where g.subject = l.subject and g.gone_at is not null)
    order by l.subject`);
  return rows.map((row) => row.subject);
}
