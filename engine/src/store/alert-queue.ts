import type { AlertRule } from "../decide/alert-rules.ts";
import type { AlertFacts } from "../decide/alert-text.ts";
import type { Fault } from "../decide/fault.ts";
import { maskText } from "../decide/mask.ts";
import type { DeathReason } from "../decide/settle.ts";
import type { Queryable } from "./database.ts";
import { int8s, type Statement, sql } from "./sql.ts";

/** The part of a death for people. */
interface QueuedDeath {
  readonly subject: number;
  readonly reason: DeathReason;
  readonly fault: Fault;
  readonly correlationId: string;
}

/** News for the alerter about deaths of one commit: a row for each fingerprint and reason, not for each death. */
export function queueDeaths(
  deaths: readonly QueuedDeath[],
  { stage, variant, now }: { readonly stage: number; readonly variant: number; readonly now: Date },
): Statement {
  const groups = new Map<string, { readonly death: QueuedDeath; count: number }>();
  for (const death of deaths) {
    const key = `${death.fault.fingerprint}/${death.reason}`;
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { death, count: 1 });
  }
  const rows = [...groups.values()].map(({ death: { fault, reason, subject, correlationId }, count }) => ({
    fingerprint: fault.fingerprint,
    reason,
    code: fault.code,
    count,
    subject,
    facts: { code: fault.code, message: maskText(fault.message), correlationId },
  }));
  return sql`
    insert into headway.alert_queue (stage, fingerprint, reason, code, count, facts, at)
    select ${stage}, r.fingerprint, r.reason, r.code, r.count, r.facts || jsonb_build_object(
      'stage', s.name,
      'version', (select v.version from headway.variant v where v.id = ${variant}),
      'document', coalesce((select c.name || '/' || d.id from headway.document d
        join headway.collection c on c.id = d.collection where d.subject = r.subject), '')), ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r (fingerprint text, reason text, code text, count int, subject int8, facts jsonb)
    join headway.stage s on s.id = ${stage}`;
}

/** Deaths under one key of a rule. */
export interface QueuedDeaths {
  readonly key: string;
  readonly stage: string;
  /** Within the window, and after the last alert of the key was resolved. */
  readonly count: number;
  /** Not seen before. */
  readonly fresh: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly facts: AlertFacts;
  readonly ids: readonly number[];
}

/** The queue through the eyes of a count rule. */
export async function readQueue(
  tx: Queryable,
  { name, type, match }: AlertRule,
  { since, dayAgo }: { readonly since: Date; readonly dayAgo: Date },
): Promise<QueuedDeaths[]> {
  const key = type === "stage-deaths" ? sql`s.name` : sql`s.name || '/' || q.fingerprint`;
  return await tx.query<QueuedDeaths>(sql`
    with resolved as (
      select key, max(resolved_at) as at from headway.alert
      where configuration = ${name} and resolved_at > ${dayAgo}
      group by key
    )
    select k.key, min(k.stage) as stage, coalesce(sum(k.count) filter (where k.counts), 0)::float8 as count,
      coalesce(sum(k.count) filter (where k.seen_at is null), 0)::float8 as fresh, min(k.at) as first_at,
      max(k.at) as last_at, (array_agg(k.facts order by k.id desc))[1] as facts, array_agg(k.id) as ids
    from (
      select ${key} as key, s.name as stage, q.id, q.count, q.seen_at, q.at, q.facts,
        q.at > ${since} and q.at > coalesce(r.at, '-infinity') as counts
      from headway.alert_queue q
      join headway.stage s on s.id = q.stage
      left join resolved r on r.key = ${key}
      where (q.at > ${since} or q.seen_at is null)
        ${match.stage === undefined ? sql`` : sql`and s.name = ${match.stage}`}
        ${match.code === undefined ? sql`` : sql`and q.code = ${match.code}`}
        ${match.reason === undefined ? sql`` : sql`and q.reason = ${match.reason}`}
        ${
          type === "new-fault"
            ? sql`and not exists (select 1 from headway.alert_queue e
                where e.stage = q.stage and e.fingerprint = q.fingerprint and e.at <= ${since})`
            : sql``
        }
    ) k
    group by k.key
    order by k.key
    limit 10000`);
}

/** Looks at the queue come one after another, until the end of the transaction; false: another look is underway. */
export async function takeTurn(
  tx: Queryable,
  { schema, waits }: { readonly schema: string; readonly waits: boolean },
): Promise<boolean> {
  const key = sql`hashtextextended(${`headway alerts ${schema}`}, 0)`;
  if (waits) {
    await tx.query(sql`select pg_advisory_xact_lock(${key})`);
    return true;
  }
  const [row] = await tx.query<{ ours: boolean }>(sql`select pg_try_advisory_xact_lock(${key}) as ours`);
  return row?.ours === true;
}

/** Ids of rows not counted yet by a look. */
export async function unseenRows(tx: Queryable): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    sql`select id from headway.alert_queue where seen_at is null order by id limit 10000`,
  );
  return rows.map(({ id }) => id);
}

export async function markSeen(tx: Queryable, ids: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`update headway.alert_queue set seen_at = ${now} where id = any (${int8s(ids)})`);
}

export async function endRows(
  tx: Queryable,
  ids: readonly number[],
  { as, now }: { readonly as: "alerted" | "digested"; readonly now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(sql`
    update headway.alert_queue set ended_as = ${as}, ended_at = ${now}
    where id = any (${int8s(ids)}) and ended_at is null`);
}

/** Deaths below every threshold, by stage and code, that ended in no alert. */
export const restOfQueue = (tx: Queryable, before: Date) =>
  tx.query<{ stage: string; code: string; count: number; ids: readonly number[] }>(sql`
    select s.name as stage, q.code, sum(q.count)::float8 as count, array_agg(q.id) as ids
    from headway.alert_queue q join headway.stage s on s.id = q.stage
    where q.ended_at is null and q.at < ${before}
    group by s.name, q.code
    order by count desc, s.name, q.code`);

/** Old news and notices are deleted; open alerts stay. */
export async function forgetAlerts(db: Queryable, before: Date): Promise<void> {
  await db.query(sql`delete from headway.alert_queue where ended_at < ${before} and at < ${before}`);
  await db.query(sql`delete from headway.alert_delivery where made_at < ${before} and alert is null`);
  await db.query(sql`delete from headway.alert where resolved_at < ${before}`);
}
