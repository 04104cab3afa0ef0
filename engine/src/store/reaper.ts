import { leaveOutputs } from "./co-producers.ts";
import type { Database, Queryable } from "./database.ts";
import { dropFormer } from "./former-content.ts";
import { leaveGroups } from "./groups.ts";
import { findLookers, forgetLooks, oweLookers, oweLooking } from "./looks.ts";
import { markGone } from "./outputs.ts";
import { project } from "./projections.ts";
import { byteas, int2s, int8s, sql, texts, uuids } from "./sql.ts";
import type { Flow } from "./stage-graph.ts";
import { anew, oweAgain, oweNew } from "./tasks.ts";

/**
 * Removes a page of gone documents, one generation at a time: derived documents are marked as gone in the same
 * transaction, so nothing is ever left without its origin and an interrupted removal can continue.
 */
export async function reapPage(
  db: Database,
  { flow, now, limit }: { flow: Flow; now: Date; limit: number },
): Promise<number> {
  const quietMs = new Map([...flow.collectors.values()].flat().map((one) => [one.stage, one.quietMs]));
  return await db.transaction(async (tx) => {
    const page = await tx.query<{ subject: number }>(sql`
      select subject
      from headway.document
      where gone_at is not null
      order by subject
      limit ${limit}
      for update skip locked`);
    const subjects = page.map((row) => row.subject);
    if (subjects.length === 0) return 0;
    const quietMsOf = (stage: number) => quietMs.get(stage) ?? flow.looking.get(stage) ?? 0;
    await disown(tx, subjects, quietMsOf, now);
    await leaveGroups(tx, subjects, quietMsOf, now);
    const successors = await findSuccessors(tx, subjects);
    await resolveConflicts(tx, subjects, successors, now);
    await erase(tx, subjects);
    await succeed(tx, successors, flow, now);
    return subjects.length;
  });
}

/** Documents with no other producer go too; the rest pass to their other producers. */
async function disown(
  tx: Queryable,
  subjects: readonly number[],
  quietMsOf: (stage: number) => number,
  now: Date,
): Promise<void> {
  const children = await leaveOutputs(tx, subjects, null);
  if (children.length === 0) return;
  await markGone(tx, children, now);
  const lookers = await findLookers(
    tx,
    sql`select collection, id from headway.document where subject = any (${int8s(children)})`,
  );
  await oweLooking(tx, lookers, quietMsOf, now);
}

interface Successor {
  readonly subject: number;
  readonly collection: number;
  readonly id: string;
  readonly source: number;
  readonly hash: Buffer;
  readonly body: object;
  readonly request: string;
}

/** Refused content of another source under the same id; the oldest first. */
async function findSuccessors(tx: Queryable, subjects: readonly number[]): Promise<Successor[]> {
  return await tx.query<Successor>(sql`
    select distinct on (d.subject) d.subject, d.collection, d.id, c.producer as source, c.hash, c.body, d.request
    from headway.conflict c
    join headway.document d on d.subject = c.document
    where c.document = any (${int8s(subjects)}) and c.stage = 0
    order by d.subject, c.id`);
}

/** A source cannot be run again, so its refused content takes the free id, with its tasks. */
async function succeed(
  tx: Queryable,
  successors: readonly Successor[],
  flow: Flow,
  now: Date,
): Promise<void> {
  if (successors.length === 0) return;
  const collections = int2s(successors.map((one) => one.collection));
  const ids = texts(successors.map((one) => one.id));
  const bodies = texts(successors.map((one) => JSON.stringify(one.body)));
  await tx.query(sql`
    with made as (
    insert into headway.document
      (subject, collection, id, hash, body, producer, producer_stage, request, created_at, changed_at)
    select h.subject, h.collection, h.id, h.hash, h.body::jsonb, h.source, 0, h.request, ${now}, ${now}
    from unnest(${int8s(successors.map((one) => one.subject))}, ${collections},
      ${ids}, ${byteas(successors.map((one) => one.hash))},
      ${bodies}, ${int8s(successors.map((one) => one.source))},
      ${uuids(successors.map((one) => one.request))}) as h (subject, collection, id, hash, body, source, request)
    )
    select ${project({ collections, ids, bodies })}`);
  const owed = successors.flatMap(({ subject, collection }) =>
    (flow.readers.get(collection) ?? []).map((stage) => ({ subject, stage, rank: 0 })),
  );
  if (owed.length > 0) await oweNew(tx, owed, now);
  await oweLookers(tx, flow, successors, now);
}

/** Producers refused because of these documents get their turn now. */
async function resolveConflicts(
  tx: Queryable,
  subjects: readonly number[],
  successors: readonly Successor[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    delete from headway.conflict c
    using unnest(${int8s(successors.map((one) => one.subject))}, ${int8s(successors.map((one) => one.source))}) as h (subject, source)
    where c.document = h.subject and c.producer = h.source and c.stage = 0`);
  const rows = await tx.query<{ subject: number; stage: number; rank: number }>(sql`
    with freed as (
      delete from headway.conflict where document = any (${int8s(subjects)}) and stage <> 0 returning producer, stage
    )
    select distinct f.producer as subject, f.stage, 0 as rank
    from freed f
    where exists (select 1 from headway.done r where r.subject = f.producer and r.stage = f.stage)
      or exists (select 1 from headway.task t where t.subject = f.producer and t.stage = f.stage)
    order by 2, 1`);
  if (rows.length === 0) return;
  await forgetMarkers(tx, rows);
  await oweAgain(
    tx,
    rows.map((row) => ({ ...row, readyAt: now, reason: anew })),
    now,
  );
}

/** Makes results stale, to force the work; outputs stay until then. */
export async function forgetMarkers(
  tx: Queryable,
  tasks: readonly { readonly subject: number; readonly stage: number }[],
): Promise<void> {
  await tx.query(sql`
    update headway.done r
    set marker = ''
    from unnest(${int8s(tasks.map((one) => one.subject))}, ${int2s(tasks.map((one) => one.stage))}) as t (subject, stage)
    where r.subject = t.subject and r.stage = t.stage`);
}

async function erase(tx: Queryable, subjects: readonly number[]): Promise<void> {
  const gone = int8s(subjects);
  for (const statement of [
    sql`delete from headway.task where subject = any (${gone})`,
    sql`delete from headway.done where subject = any (${gone})`,
    forgetLooks(gone),
    sql`delete from headway.dead_letter where subject = any (${gone})`,
    sql`delete from headway.fault where subject = any (${gone})`,
    sql`delete from headway.co_producer where document = any (${gone})`,
    dropFormer(gone),
    sql`delete from headway.conflict where producer = any (${gone}) and stage <> 0`,
  ]) {
    await tx.query(statement);
  }
  await tx.query(sql`
    with gone as (delete from headway.document where subject = any (${gone}) returning collection)
    insert into headway.deleted (collection, documents)
    select collection, count(*) from gone group by collection order by collection
    on conflict (collection) do update set documents = deleted.documents + excluded.documents`);
}

/** Number of documents waiting for removal. */
export async function countGone(db: Queryable): Promise<number> {
  const [row] = await db.query<{ documents: number }>(sql`
    select count(*) as documents from headway.document where gone_at is not null`);
  return row?.documents ?? 0;
}
