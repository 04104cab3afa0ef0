import type { Queryable } from "../store/database.ts";
import { closeDeadLetters, listDeadLetters, stripDeadLetters } from "../store/dead-letters.ts";
import { type DryRun, type Operating, pageSize, perform, record } from "./context.ts";
import { countDead, type DeadFilter, showFilter, toFilter } from "./dead-letters.ts";

/** Number of dead letters that were closed. */
export interface ClosedCount {
  readonly closed: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly dryRun: boolean;
}

/** Reason, limit and dry run of closing dead letters. */
export type CloseOptions = DryRun & { readonly why?: string; readonly limit?: number };

/**
 * Deletes inputs and fault details of dead letters for good. Documents are not touched, and the task stays dead, so
 * the stage is not owed anew. Includes resolved dead letters with `state: "all"`.
 */
export const purgeDead = (context: Operating, filter: DeadFilter, options: CloseOptions = {}) =>
  close(context, filter, { ...options, as: "purged", also: stripDeadLetters });

/** Resolves dead letters that need nothing more; they stay readable. */
export const resolveDead = (context: Operating, filter: DeadFilter, options: CloseOptions = {}) =>
  close(context, filter, { ...options, as: "resolved" });

async function close(
  context: Operating,
  filter: DeadFilter,
  options: CloseOptions & {
    as: string;
    also?: (tx: Queryable, ids: readonly number[]) => Promise<void>;
  },
): Promise<ClosedCount> {
  const { dryRun = false, limit = Number.POSITIVE_INFINITY, as, also, why } = options;
  const { database, actor, clock } = context;
  const found = await toFilter(context, filter);
  const stages: Record<string, number> = {};
  let closed = 0;
  if (dryRun) {
    const counted = await countDead(context, found, limit);
    return { closed: counted.letters, stages: counted.stages, dryRun };
  }
  for (let after = 0; closed < limit; ) {
    const page = await listDeadLetters(database, found, { after, limit: Math.min(pageSize, limit - closed) });
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
    const ids = page.map((one) => one.id);
    const rows = await perform(context, async (tx) => {
      const some = await closeDeadLetters(tx, { ids, as, by: actor, now: clock.now() });
      if (also) await also(tx, ids);
      const recorded = { act: `dead.${as}`, target: showFilter(filter), why, detail: { letters: ids } };
      if (some.length > 0) await record(tx, context, recorded);
      return some;
    });
    const names = new Map(page.map((one) => [one.stage_number, one.stage]));
    for (const { stage } of rows) {
      const name = names.get(stage) ?? String(stage);
      stages[name] = (stages[name] ?? 0) + 1;
    }
    closed += rows.length;
  }
  return { closed, stages, dryRun };
}
