import type { ResultFacts } from "../decide/result-facts.ts";
import type { Queryable } from "./database.ts";
import { byteas, int4s, int8s, sql, texts } from "./sql.ts";

/** The recorded part of a result. */
export interface DoneResult {
  readonly subject: number;
  readonly marker: Buffer;
  readonly inputHash: Buffer;
  readonly looks: { readonly hash: Buffer } | null;
  readonly attempts: number;
  /** Time of the attempt; null for an unchanged result, which keeps the facts. */
  readonly tookMs: number | null;
  readonly facts: ResultFacts | null;
}

/** Writes results of the compared commit over earlier results. */
export async function upsertDone(
  tx: Queryable,
  commit: { readonly stage: number; readonly now: Date; readonly variant: number },
  finished: readonly DoneResult[],
): Promise<void> {
  const { stage, now, variant } = commit;
  await tx.query(sql`
    insert into headway.done (subject, stage, marker, input_hash, looked, variant, attempts, outputs, finished_at, took_ms,
      facts, finding)
    select r.subject, ${stage}, r.marker, r.input_hash, r.looked, ${variant}, r.attempts,
      (select count(*) from headway.document d
        where d.producer = r.subject and d.producer_stage = ${stage} and d.gone_at is null)
      + (select count(*) from headway.co_producer c where c.producer = r.subject and c.stage = ${stage}), ${now},
      r.took_ms, r.facts::jsonb, r.finding
    from unnest(${int8s(finished.map((one) => one.subject))}, ${byteas(finished.map((one) => one.marker))},
      ${byteas(finished.map((one) => one.inputHash))}, ${byteas(finished.map((one) => one.looks?.hash ?? null))},
      ${int4s(finished.map((one) => one.attempts))}, ${int4s(finished.map((one) => one.tookMs))},
      ${texts(finished.map(factsText))}, ${texts(finished.map(findingOf))}
    ) as r (subject, marker, input_hash, looked, attempts, took_ms, facts, finding)
    on conflict (subject, stage) do update
    set marker = excluded.marker, input_hash = excluded.input_hash, looked = excluded.looked, variant = excluded.variant,
      attempts = excluded.attempts, outputs = excluded.outputs, finished_at = excluded.finished_at,
      -- An unchanged result keeps the facts of its making.
      took_ms = coalesce(excluded.took_ms, done.took_ms),
      facts = case when excluded.took_ms is null then done.facts else excluded.facts end,
      finding = case when excluded.took_ms is null then done.finding else excluded.finding end`);
}

/** Results that their stage did not expect, by stage. */
export const countFindings = (db: Queryable) =>
  db.query<{ readonly stage: number; readonly results: number }>(sql`
    select stage, count(*)::float8 as results from headway.done where finding is not null group by stage`);

export interface ServiceCallsRow {
  readonly service: string;
  readonly calls: number;
  readonly ms: number;
  readonly tokens: number;
}

/** Calls of all kept results by service; documents of a batch share theirs. */
export const sumServiceCalls = (db: Queryable) =>
  db.query<ServiceCallsRow>(sql`
    select c.key as service,
      sum((c.value ->> 'count')::float8 / coalesce((r.facts ->> 'batch')::float8, 1)) as calls,
      sum((c.value ->> 'ms')::float8 / coalesce((r.facts ->> 'batch')::float8, 1)) as ms,
      sum(coalesce((c.value ->> 'tokens')::float8, 0) / coalesce((r.facts ->> 'batch')::float8, 1)) as tokens
    from headway.done r
    cross join lateral jsonb_each(r.facts -> 'calls') c
    where r.facts is not null
    group by c.key
    order by c.key`);

export interface FindingRow {
  readonly subject: number;
  readonly stage: number;
  readonly collection: number | null;
  readonly id: string;
  readonly outputs: number;
  readonly finding: string;
  readonly finished_at: Date;
}

/** A page of results that their stage did not expect, with their document or group. */
export const listFindings = (
  db: Queryable,
  { stage, after, limit }: { readonly stage: number | null; readonly after: number; readonly limit: number },
) =>
  db.query<FindingRow>(sql`
    select r.subject, r.stage, d.collection, coalesce(d.id, g.key) as id, r.outputs, r.finding, r.finished_at
    from headway.done r
    left join headway.document d on d.subject = r.subject
    left join headway.grouping g on g.subject = r.subject
    where r.finding is not null and r.subject > ${after} and coalesce(d.id, g.key) is not null and d.gone_at is null
      and (${stage}::int2 is null or r.stage = ${stage}::int2)
    order by r.subject, r.stage
    limit ${limit}`);

/** Calls and batch as stored; null without either. */
export const factsText = ({ facts }: Pick<DoneResult, "facts">): string | null =>
  facts && (facts.calls || facts.batch > 1)
    ? JSON.stringify({
        ...(facts.calls && { calls: facts.calls }),
        ...(facts.batch > 1 && { batch: facts.batch }),
      })
    : null;
export const findingOf = ({ facts }: Pick<DoneResult, "facts">): string | null => facts?.finding ?? null;
