/** Facts that decide whether a stage may be claimed at all; shared by workers, sweep and explain. */
export interface StageFacts {
  readonly paused: { readonly at: Date; readonly by: string; readonly reason: string | null } | null;
  readonly dependencies: readonly DependencyFacts[];
  /** Limits in force; a worker keeps to them before asking the database. */
  readonly limits?: { readonly concurrency: number | null; readonly rate: object | null };
}

/** A dependency with an open breaker, or closed so recently that load is still ramping up. */
export interface DependencyFacts {
  readonly name: string;
  readonly open: boolean;
  readonly since: Date;
  readonly changedAt: Date;
  readonly probeAt: Date;
}

export type Opening =
  /** `limit`: maximum concurrency (null: unlimited); `probe`: the dependency to probe. */
  | { readonly kind: "open"; readonly limit: number | null; readonly probe: string | null }
  | {
      readonly kind: "shut";
      readonly because: "paused" | "dependency";
      readonly name: string;
      readonly until: Date | null;
    };

const rampStepMs = 500;
const rampSteps = 10;

/** Whether tasks of a stage may be claimed now, and how many at once. */
export function opening(stage: StageFacts, now: Date): Opening {
  if (stage.paused) return { kind: "shut", because: "paused", name: stage.paused.by, until: null };
  let limit = limitOf(stage);
  let probe: string | null = null;
  for (const dependency of stage.dependencies) {
    if (dependency.open) {
      if (dependency.probeAt > now) {
        return { kind: "shut", because: "dependency", name: dependency.name, until: dependency.probeAt };
      }
      probe = dependency.name;
      limit = 1;
    } else {
      const ramp = rampLimit(dependency.changedAt, now);
      if (ramp !== null) limit = Math.min(limit ?? ramp, ramp);
    }
  }
  return { kind: "open", limit, probe };
}

/** A rate is kept by the database; documents must not start without asking it. */
const limitOf = ({ limits }: StageFacts): number | null =>
  limits ? (limits.concurrency ?? (limits.rate ? Number.POSITIVE_INFINITY : null)) : null;

/** Ramp after an outage: load returns as 1, 2, 4 …, not as a flood. Null: the ramp is over. */
export function rampLimit(closedAt: Date, now: Date): number | null {
  const step = Math.floor((now.getTime() - closedAt.getTime()) / rampStepMs);
  if (step >= rampSteps) return null;
  return 2 ** Math.max(0, step);
}

/** The task's own part of eligibility; `take_tasks` in the database has the same rule in SQL. */
export function isDue(task: { readonly readyAt: Date; readonly claimed: boolean }, now: Date): boolean {
  return !task.claimed && task.readyAt <= now;
}

/** Delay before the next probe of a dependency: 1, 2, 4 … 15 s, to resume soon after recovery. */
export const probeDelayMs = (probes: number): number => Math.min(15_000, 1_000 * 2 ** Math.min(probes, 10));
