import type { AlertRule } from "./alert-rules.ts";

/** An open alert, as far as a decision needs it. */
export interface OpenAlert {
  readonly lastAt: Date;
  readonly count: number;
  /** Null: nobody was told yet. */
  readonly toldAt: Date | null;
  readonly toldCount: number | null;
  readonly notices: number;
  readonly acknowledged: boolean;
  readonly mutedUntil: Date | null;
}

/** The look of the alerter at one key of a rule. */
export interface Seen {
  /** Deaths within the window, or the level. */
  readonly count: number;
  /** Deaths since the last look; 0 or 1 for a level: whether it is over its threshold now. */
  readonly fresh: number;
  /** The whole count of the alert after this look; for a level in seconds the count of the alert: age is not worse. */
  readonly total: number;
  /** The newest death, or now for a level over its threshold; null: nothing new. */
  readonly lastAt: Date | null;
}

/** `open`, `remind`, `worse`, `resolve` are notices; `hush` ends an alert that nobody was told of. */
export type Act = "wait" | "count" | "raise" | "open" | "remind" | "worse" | "resolve" | "hush";

const laterReminders = 6;
const worseFactor = 10;

/**
 * What becomes of one key of a rule. `canTell`: a channel is set up; without one an alert is only raised, for people
 * who look.
 */
export function judge(
  rule: Pick<AlertRule, "threshold" | "remindMs" | "resolveMs">,
  alert: OpenAlert | null,
  seen: Seen,
  { now, canTell }: { readonly now: Date; readonly canTell: boolean },
): Act {
  if (!alert) {
    if (seen.count < rule.threshold) return "wait";
    return canTell ? "open" : "raise";
  }
  const lastAt = Math.max(alert.lastAt.getTime(), seen.lastAt?.getTime() ?? 0);
  const told = alert.toldAt !== null && alert.toldCount !== null;
  const muted = alert.mutedUntil !== null && alert.mutedUntil > now;
  if (now.getTime() - lastAt >= rule.resolveMs && seen.fresh === 0)
    return told && !muted ? "resolve" : "hush";
  if (muted || !canTell) return "count";
  if (!told) return "open";
  const sinceTold = now.getTime() - (alert.toldAt?.getTime() ?? 0);
  const grown = seen.total >= worseFactor * Math.max(1, alert.toldCount ?? 1);
  // A storm is two notices: open, and worse; the next comes with the time of a reminder.
  if (grown && (alert.notices <= 1 || sinceTold >= rule.remindMs)) return "worse";
  if (alert.acknowledged || lastAt <= (alert.toldAt?.getTime() ?? 0)) return "count";
  const patience = alert.notices <= 1 ? rule.remindMs : laterReminders * rule.remindMs;
  return sinceTold >= patience ? "remind" : "count";
}
