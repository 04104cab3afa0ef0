import { policyProblem, type RetryKind, type RetryPolicy } from "../define/retry.ts";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

export interface PolicyRow {
  readonly stage: string;
  readonly kind: RetryKind;
  readonly policy: RetryPolicy;
  readonly changedAt: Date;
  readonly changedBy: string;
}

/** All policies set by operators. Invalid rows from other sources are reported, never applied and never fatal. */
export async function readPolicies(
  db: Queryable,
): Promise<{ policies: PolicyRow[]; refused: { stage: string; kind: string; problem: string }[] }> {
  const rows = await db.query<Record<string, unknown>>(
    sql`select * from headway.retry_policy order by stage, kind`,
  );
  const policies: PolicyRow[] = [];
  const refused: { stage: string; kind: string; problem: string }[] = [];
  for (const row of rows) {
    const policy = toPolicy(row);
    const problem = policyProblem(policy);
    const [stage, kind] = [String(row.stage), String(row.kind) as RetryKind];
    if (problem) refused.push({ stage, kind, problem });
    else
      policies.push({
        stage,
        kind,
        policy,
        changedAt: row.changed_at as Date,
        changedBy: String(row.changed_by),
      });
  }
  return { policies, refused };
}

function toPolicy(row: Record<string, unknown>): RetryPolicy {
  return {
    attemptsMax: Number(row.attempts_max),
    initialMs: Number(row.initial_ms),
    maxMs: Number(row.max_ms),
    multiplier: Number(row.multiplier),
    jitter: row.jitter as "full" | "none",
    ttlMs: row.ttl_ms === null ? null : Number(row.ttl_ms),
  };
}

export interface PolicyChange {
  readonly stage: string;
  readonly kind: RetryKind;
  /** Null removes the operators' policy; the policy from the code applies again. */
  readonly policy: RetryPolicy | null;
  readonly by: string;
  readonly why: string | null;
  readonly now: Date;
}

/** Sets or removes a policy and records the previous policy; call in a transaction. */
export async function changePolicy(tx: Queryable, change: PolicyChange): Promise<void> {
  const { stage, kind, policy, by, why, now } = change;
  const [before] = await tx.query<Record<string, unknown>>(sql`
    select * from headway.retry_policy where stage = ${stage} and kind = ${kind} for update`);
  if (policy) await upsertPolicy(tx, change, policy);
  else await tx.query(sql`delete from headway.retry_policy where stage = ${stage} and kind = ${kind}`);
  await tx.query(sql`
    insert into headway.retry_policy_history (stage, kind, before, after, changed_at, changed_by, why)
    values (${stage}, ${kind}, ${before ? JSON.stringify(toPolicy(before)) : null}::jsonb,
      ${policy ? JSON.stringify(policy) : null}::jsonb, ${now}, ${by}, ${why})`);
}

async function upsertPolicy(
  tx: Queryable,
  { stage, kind, by, now }: PolicyChange,
  policy: RetryPolicy,
): Promise<void> {
  await tx.query(sql`
    insert into headway.retry_policy
      (stage, kind, attempts_max, initial_ms, max_ms, multiplier, jitter, ttl_ms, changed_at, changed_by)
    values (${stage}, ${kind}, ${policy.attemptsMax}, ${policy.initialMs}, ${policy.maxMs}, ${policy.multiplier},
      ${policy.jitter}, ${policy.ttlMs}, ${now}, ${by})
    on conflict (stage, kind) do update
    set attempts_max = excluded.attempts_max, initial_ms = excluded.initial_ms, max_ms = excluded.max_ms,
      multiplier = excluded.multiplier, jitter = excluded.jitter, ttl_ms = excluded.ttl_ms,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by`);
}

/** A change of a retry policy. */
export interface PolicyHistoryRow {
  readonly stage: string;
  readonly kind: RetryKind;
  readonly before: RetryPolicy | null;
  readonly after: RetryPolicy | null;
  readonly changed_at: Date;
  readonly changed_by: string;
  readonly why: string | null;
}

export const policyHistory = (db: Queryable, stage: string | null, limit: number) =>
  db.query<PolicyHistoryRow>(sql`
    select stage, kind, before, after, changed_at, changed_by, why
    from headway.retry_policy_history
    where ${stage}::text is null or stage = ${stage}::text
    order by id desc
    limit ${limit}`);
