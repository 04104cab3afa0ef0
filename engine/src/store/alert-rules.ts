import { type AlertRule, ruleProblem } from "../decide/alert-rules.ts";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

export interface AlertRuleRow extends AlertRule {
  readonly changedAt: Date;
  readonly changedBy: string;
}

const columns = sql`name, alert_type as type, enabled, threshold, window_ms as "windowMs", severity, channels, match,
  remind_ms as "remindMs", resolve_ms as "resolveMs", changed_at as "changedAt", changed_by as "changedBy"`;

/** Rules set by operators. A row with impossible values is left out: the shipped rule of its name applies. */
export async function readAlertRules(db: Queryable): Promise<AlertRuleRow[]> {
  const rows = await db.query<AlertRuleRow>(
    sql`select ${columns} from headway.alert_configurations order by name`,
  );
  return rows.filter((row) => ruleProblem(row) === null);
}

export interface RuleChange {
  readonly name: string;
  /** Null removes the operators' rule; the shipped rule applies again. */
  readonly rule: AlertRule | null;
  readonly by: string;
  readonly why: string | null;
  readonly now: Date;
}

/** Sets or removes a rule and records the previous rule; call in a transaction. */
export async function changeAlertRule(
  tx: Queryable,
  { name, rule, by, why, now }: RuleChange,
): Promise<void> {
  const [before] = await tx.query<AlertRuleRow>(sql`
    select ${columns} from headway.alert_configurations where name = ${name} for update`);
  await tx.query(sql`delete from headway.alert_configurations where name = ${name}`);
  if (rule)
    await tx.query(sql`
      insert into headway.alert_configurations (name, alert_type, enabled, threshold, window_ms, severity, channels,
        match, remind_ms, resolve_ms, changed_at, changed_by)
      values (${name}, ${rule.type}, ${rule.enabled}, ${rule.threshold}, ${rule.windowMs}, ${rule.severity},
        (select array_agg(c) from jsonb_array_elements_text(${JSON.stringify(rule.channels ?? [])}::jsonb) c),
        ${JSON.stringify(rule.match)}::jsonb, ${rule.remindMs}, ${rule.resolveMs}, ${now}, ${by})`);
  await tx.query(sql`
    insert into headway.alert_configurations_history (name, before, after, changed_at, changed_by, why)
    values (${name}, ${before ? JSON.stringify(before) : null}::jsonb, ${rule ? JSON.stringify(rule) : null}::jsonb,
      ${now}, ${by}, ${why})`);
}

/** A change of an alert rule. */
export interface RuleHistoryRow {
  readonly name: string;
  readonly before: AlertRule | null;
  readonly after: AlertRule | null;
  readonly changedAt: Date;
  readonly changedBy: string;
  readonly why: string | null;
}

/** Changes of rules, the newest first. */
export const alertRuleHistory = (db: Queryable, limit: number) =>
  db.query<RuleHistoryRow>(sql`
    select name, before, after, changed_at as "changedAt", changed_by as "changedBy", why
    from headway.alert_configurations_history
    order by id desc
    limit ${limit}`);
