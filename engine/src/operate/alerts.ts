import {
  type AlertRule,
  alertTypes,
  ruleProblem,
  rulesInForce,
  type Severity,
} from "../decide/alert-rules.ts";
import { DefinitionError } from "../define/definition-error.ts";
import { type Duration, durationMs } from "../define/duration.ts";
import { changeAlertRule, readAlertRules, alertRuleHistory as readHistory } from "../store/alert-rules.ts";
import {
  type AlertRow,
  acknowledgeAlert,
  type DeliveryRow,
  deliveriesOf,
  listAlertRows,
  muteAlert as mute,
  readAlert,
} from "../store/alerts.ts";
import { type DryRun, type Operating, perform, record } from "./context.ts";

/** An alert for people. */
export type AlertLine = Omit<AlertRow, "configuration"> & {
  readonly rule: string;
  readonly state: "open" | "muted" | "acknowledged" | "resolved";
};

/** Alerts, the newest first. */
export async function listAlerts(
  { database, clock }: Operating,
  {
    state = "open",
    limit = 100,
    before,
  }: { state?: "open" | "resolved" | "all"; limit?: number; before?: number } = {},
): Promise<AlertLine[]> {
  const rows = await listAlertRows(database, { state, limit, before });
  return rows.map((row) => toLine(row, clock.now()));
}

function toLine({ configuration, ...row }: AlertRow, now: Date): AlertLine {
  const muted = row.mutedUntil !== null && row.mutedUntil > now;
  const open = muted ? "muted" : row.acknowledgedAt ? "acknowledged" : "open";
  return { ...row, rule: configuration, state: row.resolvedAt ? "resolved" : open };
}

/** An alert with its notices. */
export interface WholeAlert {
  readonly alert: AlertLine;
  readonly deliveries: readonly DeliveryRow[];
}

/** One alert with its notices. */
export async function showAlert({ database, clock }: Operating, id: number): Promise<WholeAlert> {
  const row = await readAlert(database, id);
  if (!row) throw noAlert(id);
  return { alert: toLine(row, clock.now()), deliveries: await deliveriesOf(database, id) };
}

const noAlert = (id: number) =>
  new DefinitionError(`There is no alert ${id}: see them with "headway alerts list".`);

/** Somebody cares for it: no more reminders. */
export async function ackAlert(
  context: Operating,
  id: number,
  { why, dryRun = false }: DryRun & { why?: string } = {},
): Promise<{ changed: boolean }> {
  const { alert } = await showAlert(context, id);
  const open = alert.resolvedAt === null && alert.acknowledgedAt === null;
  if (dryRun || !open) return { changed: open };
  return await perform(context, async (tx) => {
    const changed = await acknowledgeAlert(tx, { id, by: context.actor, now: context.clock.now() });
    if (changed) await record(tx, context, { act: "alert.ack", target: alertName(alert), why });
    return { changed };
  });
}

/** No notices for a while; deaths are counted all the same. */
export async function muteAlert(
  context: Operating,
  id: number,
  { for: span, why, dryRun = false }: DryRun & { for: Duration; why?: string },
): Promise<{ changed: boolean; until: Date }> {
  const { alert } = await showAlert(context, id);
  const until = new Date(context.clock.now().getTime() + durationMs(span));
  if (dryRun || alert.resolvedAt) return { changed: alert.resolvedAt === null, until };
  return await perform(context, async (tx) => {
    const changed = await mute(tx, { id, until });
    if (changed)
      await record(tx, context, { act: "alert.mute", target: alertName(alert), why, detail: { until } });
    return { changed, until };
  });
}

const alertName = ({ id, rule, key }: AlertLine): string => `alert ${id}, ${rule}: ${key}`;

/** A rule in force, with its origin. */
export interface RuleInForce extends AlertRule {
  readonly from: "operator" | "code";
  readonly changedAt: Date | null;
  readonly changedBy: string | null;
}

export async function listAlertRules({ database }: Operating): Promise<RuleInForce[]> {
  const set = await readAlertRules(database);
  return rulesInForce(set).map((rule): RuleInForce => {
    const own = set.find(({ name }) => name === rule.name);
    if (own) return { ...own, from: "operator" };
    return { ...rule, from: "code", changedAt: null, changedBy: null };
  });
}

/** The changeable fields of a rule. */
export interface AlertRuleChange {
  /** What is watched; fixed after the rule was made. */
  readonly type?: string;
  /** False: the rule is off. */
  readonly enabled?: boolean;
  /** Deaths within the window, or the level. */
  readonly threshold?: number;
  /** Span in which deaths are counted. */
  readonly window?: Duration;
  /** How urgent its alerts are. */
  readonly severity?: Severity;
  /** Empty: all channels. */
  readonly channels?: readonly string[];
  /** Only deaths at this stage. */
  readonly stage?: string;
  /** Only deaths with this fault code. */
  readonly code?: string;
  /** Time until the first reminder. */
  readonly remind?: Duration;
  /** Quiet time after which an alert is resolved. */
  readonly resolve?: Duration;
}

/** Changes a rule, or makes one under a new name; omitted fields stay. */
export async function setAlertRule(
  context: Operating,
  { name, change, why }: { name: string; change: AlertRuleChange; why?: string },
  { dryRun = false }: DryRun = {},
): Promise<AlertRule> {
  const before = (await listAlertRules(context)).find((one) => one.name === name);
  const rule = changed(name, before, change);
  const problem = ruleProblem(rule);
  if (problem) throw new DefinitionError(`The alert rule "${name}" is refused: ${problem}.`);
  if (!dryRun) await writeRule(context, { name, rule, why });
  return rule;
}

function changed(name: string, before: AlertRule | undefined, change: AlertRuleChange): AlertRule {
  const type = alertTypes.find((one) => one === (change.type ?? before?.type));
  if (!type)
    throw new DefinitionError(
      `There is no alert rule "${name}"; a new one needs a type: ${alertTypes.join(", ")}.`,
    );
  const ms = (span: Duration | undefined, otherwise: number) =>
    span === undefined ? otherwise : durationMs(span);
  const { stage, code } = change;
  return {
    name,
    type,
    enabled: change.enabled ?? before?.enabled ?? true,
    threshold: change.threshold ?? before?.threshold ?? 5,
    windowMs: ms(change.window, before?.windowMs ?? 300_000),
    severity: change.severity ?? before?.severity ?? "high",
    channels: change.channels
      ? change.channels.length > 0
        ? change.channels
        : null
      : (before?.channels ?? null),
    match: { ...before?.match, ...(stage !== undefined && { stage }), ...(code !== undefined && { code }) },
    remindMs: ms(change.remind, before?.remindMs ?? 14_400_000),
    resolveMs: ms(change.resolve, before?.resolveMs ?? 900_000),
  };
}

/** Removes an operator's rule: the shipped rule of that name applies again, or none. */
export async function resetAlertRule(
  context: Operating,
  { name, why }: { name: string; why?: string },
  { dryRun = false }: DryRun = {},
): Promise<{ changed: boolean }> {
  const set = await readAlertRules(context.database);
  const found = set.some((one) => one.name === name);
  if (found && !dryRun) await writeRule(context, { name, rule: null, why });
  return { changed: found };
}

async function writeRule(
  context: Operating,
  { name, rule, why }: { name: string; rule: AlertRule | null; why: string | undefined },
): Promise<void> {
  const { actor, clock } = context;
  await perform(context, async (tx) => {
    await changeAlertRule(tx, { name, rule, by: actor, why: why ?? null, now: clock.now() });
    const act = rule ? "alert.rule-set" : "alert.rule-reset";
    await record(tx, context, { act, target: name, why, detail: { rule } });
  });
}

export const alertRuleHistory = ({ database }: Operating, { limit = 100 }: { limit?: number } = {}) =>
  readHistory(database, limit);
