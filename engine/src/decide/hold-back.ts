/** A due group of a stage with a quiet time, while earlier stages have tasks of the same request, due or claimed. */
export interface StreamingGroup {
  /** The group has a result already. */
  readonly done: boolean;
  /** Owed since; further members do not change it. */
  readonly owedAt: Date;
  /** A member came, changed or went. */
  readonly changedAt: Date;
}

/** Delay of a first result: readers see something early, made of few members. */
const firstMs = 3_000;
/** Delay of a further result, however long members keep coming. */
const furtherMs = 600_000;
/** Members stopped coming: earlier stages are stuck, slow or have no worker. */
const stalledMs = 15_000;
/** Most delay between the end of earlier stages and the group. */
const recheckMs = 500;

/**
 * When to look at the group again; null: run now. Members still on their way would owe the group again at once, and a
 * list would be threaded once for each batch of its mails.
 */
export function heldBackUntil({ done, owedAt, changedAt }: StreamingGroup, now: Date): Date | null {
  const limit = Math.min(owedAt.getTime() + (done ? furtherMs : firstMs), changedAt.getTime() + stalledMs);
  // A clock set back must not stretch the wait.
  const until = Math.min(limit, now.getTime() + recheckMs);
  return until > now.getTime() ? new Date(until) : null;
}

/** An upstream task due within this time counts as due: a held group waits no longer than that itself. */
export const dueSoonMs = recheckMs;
