import { leaveOutputs } from "./co-producers.ts";
import type { Queryable } from "./database.ts";
import { dropFormer } from "./former-content.ts";
import { leaveGroups } from "./groups.ts";
import { findLookers, forgetLooks, oweLooking } from "./looks.ts";
import { hideDocuments } from "./outputs.ts";
import { forgetMarkers } from "./reaper.ts";
import { int8s, sql, texts } from "./sql.ts";

export interface Hiding {
  readonly now: Date;
  /** The quiet time of a fan-in stage, for groups with fewer members from now on. */
  readonly quietMsOf: (stage: number) => number;
}

/**
 * Deletes documents: invisible from the end of the transaction, with everything derived. The walk goes generation by generation and not in a
 * recursive statement: each generation loses tasks and claims first, so a running attempt either has committed before
 * the look at its children, or never commits. The reaper frees the space later.
 */
export async function hideDeep(
  tx: Queryable,
  documents: readonly number[],
  { now, quietMsOf }: Hiding,
): Promise<number> {
  if (documents.length === 0) return 0;
  const madeOf = await lockFanIns(tx);
  let hidden = 0;
  for (let level = documents; level.length > 0; ) {
    await hideLevel(tx, level, now);
    hidden += level.length;
    const children = await leaveOutputs(tx, level, null);
    const groups = await findGroups(tx, level);
    await fenceGroups(tx, groups);
    const left = await leaveGroups(tx, level, quietMsOf, now);
    if (left.length > 0) await forgetMarkers(tx, left);
    const results: number[] = [];
    for (const stage of new Set(left.map((one) => one.stage))) {
      const some = left.filter((one) => one.stage === stage);
      results.push(...(await hideResults(tx, stage, some, madeOf.get(stage) ?? "all")));
    }
    results.push(...(await hideLookers(tx, level, { now, quietMsOf })));
    level = [...new Set([...children, ...results])];
  }
  return hidden;
}

/** No group and no look-up is claimed until the transaction ends: a concurrent claim would bring deleted content back. */
async function lockFanIns(tx: Queryable): Promise<Map<number, string>> {
  const rows = await tx.query<{ id: number; made_of: string }>(sql`
    select id, made_of from headway.stage where shape = 'fan-in' or looks order by id for no key update`);
  return new Map(rows.map((row) => [row.id, row.made_of]));
}

/** Tasks before documents, as in a commit. Markers go too: a returning document must be run again. */
async function hideLevel(tx: Queryable, documents: readonly number[], now: Date): Promise<void> {
  const level = int8s(documents);
  for (const statement of [
    sql`delete from headway.task where subject = any (${level})`,
    sql`delete from headway.done where subject = any (${level})`,
    forgetLooks(level),
    sql`delete from headway.conflict where producer = any (${level}) and stage <> 0`,
    dropFormer(level),
    hideDocuments(level, now),
  ])
    await tx.query(statement);
}

const findGroups = async (tx: Queryable, documents: readonly number[]): Promise<number[]> => {
  const rows = await tx.query<{ grouping: number }>(sql`
    select distinct grouping from headway.member where document = any (${int8s(documents)})`);
  return rows.map((row) => row.grouping);
};

/** Running attempts on these groups know the deleted members: their commits are refused. */
async function fenceGroups(tx: Queryable, groups: readonly number[]): Promise<void> {
  if (groups.length === 0) return;
  const fenced = int8s(groups);
  await tx.query(sql`
    update headway.claim
    set subjects = array(select s from unnest(subjects) s where s <> all (${fenced}))
    where subjects && ${fenced}`);
  await tx.query(sql`delete from headway.claim where subjects = '{}'`);
}

/** Results made with a look at deleted documents: hidden, and owed again. */
async function hideLookers(
  tx: Queryable,
  documents: readonly number[],
  { now, quietMsOf }: Hiding,
): Promise<number[]> {
  const lookers = await findLookers(
    tx,
    sql`select collection, id from headway.document where subject = any (${int8s(documents)})`,
  );
  if (lookers.length === 0) return [];
  await fenceGroups(
    tx,
    lookers.map((one) => one.subject),
  );
  await oweLooking(tx, lookers, quietMsOf, now);
  await forgetMarkers(tx, lookers);
  const results: number[] = [];
  for (const stage of new Set(lookers.map((one) => one.stage))) {
    const left = lookers.filter((one) => one.stage === stage).map(({ subject }) => ({ subject, ids: [] }));
    results.push(...(await hideResults(tx, stage, left, "all")));
  }
  return results;
}

/** The results of groups with gone members: the next generation. */
async function hideResults(
  tx: Queryable,
  stage: number,
  left: readonly { readonly subject: number; readonly ids: readonly string[] }[],
  madeOf: string,
): Promise<number[]> {
  const groups = int8s(left.map((one) => one.subject));
  const lost = texts(left.flatMap((one) => one.ids));
  const touched =
    madeOf === "all"
      ? sql`true`
      : madeOf === "any"
        ? sql`false`
        : sql`o.subject in (
            select named.subject
            from (
              select d.subject, jsonb_path_query(d.body, ${madeOf}::jsonpath) #>> '{}' as id
              from headway.document d
              where d.subject in (select subject from result)
            ) named
            join unnest(${lost}) as lost (id) on lost.id = named.id)`;
  const rows = await tx.query<{ subject: number }>(sql`
    with result as materialized (
      select d.subject, d.producer as grouping
      from headway.document d
      where d.producer = any (${groups}) and d.producer_stage = ${stage} and d.gone_at is null
      union all
      select c.document, c.producer
      from headway.co_producer c
      where c.producer = any (${groups}) and c.stage = ${stage}
    )
    select distinct o.subject
    from result o
    where ${touched} or not exists (select 1 from headway.member m where m.grouping = o.grouping)`);
  const results = rows.map((row) => row.subject);
  if (results.length === 0) return [];
  return await leaveOutputs(
    tx,
    left.map((one) => one.subject),
    results,
  );
}
