import type { DeathReason } from "./settle.ts";

/**
 * Severities of alerts, the lowest first.
 *
 * @example
 * import { severities } from "@headway/engine/operate";
 *
 * export const isSeverity = (word: string) => severities.some((one) => one === word);
 */
export const severities = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof severities)[number];

/**
 * `deaths`: dead letters of one stage and fingerprint within the window. `stage-deaths`: dead letters of one stage.
 * `new-fault`: the first death with a fingerprint. Levels are compared with the threshold: `outage` (seconds that a
 * circuit breaker is open), `stuck` and `failed` (documents of a collection), `sweep` (seconds since the last
 * successful sweep), `outbox` (age in seconds of the oldest event not yet relayed), `no-worker` (age in seconds of a due
 * task of a stage without a worker), `quarantine` (deliveries set aside in a queue), `conflict` (documents with refused
 * content), `unexpected` (results that their stage did not expect), `regression` (returns of an error that was resolved).
 *
 * @example
 * import { alertTypes } from "@headway/engine/operate";
 *
 * export const isAlertType = (word: string) => alertTypes.some((one) => one === word);
 */
export const alertTypes = [
  "deaths",
  "stage-deaths",
  "new-fault",
  "outage",
  "stuck",
  "failed",
  "sweep",
  "outbox",
  "no-worker",
  "quarantine",
  "conflict",
  "unexpected",
  "regression",
] as const;
export type AlertType = (typeof alertTypes)[number];

/** A rule, shipped or set by an operator. */
export interface AlertRule {
  readonly name: string;
  readonly type: AlertType;
  readonly enabled: boolean;
  /** Deaths within the window, or the level. */
  readonly threshold: number;
  readonly windowMs: number;
  readonly severity: Severity;
  /** Null: all channels that are set up. */
  readonly channels: readonly string[] | null;
  readonly match: { readonly stage?: string; readonly code?: string; readonly reason?: DeathReason };
  /** Time until the first reminder; later reminders come after six times as long. */
  readonly remindMs: number;
  /** Quiet time after which the alert is resolved. */
  readonly resolveMs: number;
}

const minute = 60_000;
const hour = 60 * minute;

const rule = (
  name: string,
  type: AlertType,
  severity: Severity,
  given: Partial<AlertRule> & { readonly threshold: number },
): AlertRule => ({
  name,
  type,
  enabled: true,
  windowMs: 5 * minute,
  severity,
  channels: null,
  match: {},
  remindMs: 4 * hour,
  resolveMs: 15 * minute,
  ...given,
});

/** The shipped rules; tiers 2 to 4 are the seeds' escalation. */
export const shippedRules: readonly AlertRule[] = [
  rule("deaths", "deaths", "high", { threshold: 5 }),
  rule("new-fault", "new-fault", "medium", { threshold: 1, resolveMs: hour }),
  rule("outage", "outage", "critical", { threshold: 120, resolveMs: minute }),
  // Tier 2
  rule("stuck", "stuck", "medium", { threshold: 50, resolveMs: 30 * minute }),
  // Tier 3
  rule("max-retries", "stage-deaths", "high", {
    threshold: 10,
    windowMs: hour,
    match: { reason: "exhausted" },
    resolveMs: hour,
  }),
  // Tier 4
  rule("emergency", "failed", "critical", { threshold: 1_000, resolveMs: 30 * minute }),
  rule("sweep-missing", "sweep", "medium", { threshold: 2_700, resolveMs: 5 * minute }),
  rule("outbox-old", "outbox", "medium", { threshold: 900, resolveMs: 5 * minute }),
  rule("no-worker", "no-worker", "critical", { threshold: 300, resolveMs: minute }),
  rule("quarantine", "quarantine", "medium", { threshold: 1, resolveMs: minute }),
  rule("conflict", "conflict", "low", { threshold: 1, resolveMs: minute }),
  rule("unexpected", "unexpected", "medium", { threshold: 1, resolveMs: minute }),
  rule("regression", "regression", "high", { threshold: 1, resolveMs: minute }),
];

/** Rules in force, in the order of looking: shipped rules, each as operators changed it, then operators' further rules. */
export const rulesInForce = <Set extends AlertRule>(set: readonly Set[]): readonly (AlertRule | Set)[] => [
  ...shippedRules.map((shipped) => set.find(({ name }) => name === shipped.name) ?? shipped),
  ...set.filter(({ name }) => !shippedRules.some((shipped) => shipped.name === name)),
];

/** A sentence about an impossible rule; null: fine. */
export function ruleProblem({ threshold, windowMs, remindMs, resolveMs }: AlertRule): string | null {
  if (!(threshold > 0 && threshold <= 1e12)) return "the threshold must be above 0";
  if (!(windowMs >= 1_000 && windowMs <= 7 * 24 * hour)) return "the window must be from 1s to 7d";
  if (!(remindMs >= minute && remindMs <= 30 * 24 * hour)) return "reminders must be 1m to 30d apart";
  if (!(resolveMs >= 0 && resolveMs <= 7 * 24 * hour)) return "the quiet time must be at most 7d";
  return null;
}
