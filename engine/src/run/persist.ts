import { classify } from "../decide/classify.ts";
import type { Emit } from "../decide/signal.ts";
import { isConnectionError, isServerUnwell } from "../store/database.ts";
import { type Clock, sleep } from "./clock.ts";
import type { PlannedStage } from "./graph.ts";

interface PersistParts {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly stopping: AbortSignal;
}

/** The database is away, so a repetition has to wait. */
export const isLost = (error: unknown): boolean => isConnectionError(error) || isServerUnwell(error);
const retryable = new Set(["40001", "40P01", "55P03", "57014", "23505"]);
const quickTries = 20;

/**
 * Repeats a write until done. Conflicts between workers pass at once; a lost database is waited for. Repeating is harmless: an effective
 * write has ended the claim or the tasks, and the fence refuses the second.
 */
export async function persist<T>(
  parts: PersistParts,
  plan: PlannedStage,
  tasks: number,
  write: () => Promise<T>,
): Promise<T> {
  const { clock, emit } = parts;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const lost = isLost(error);
      const conflict = retryable.has(String((error as { code?: unknown }).code));
      if (!lost && !(conflict && tries < quickTries)) throw error;
      if (lost && parts.stopping.aborted) throw error;
      if (lost) emit({ kind: "commit.failed", stage: plan.stage.name, tasks, fault: classify(error) });
      await sleep(
        clock,
        lost ? Math.min(2_000, 50 * 2 ** Math.min(tries, 6)) : tries * 5 * clock.random(),
        lost ? parts.stopping : undefined,
      );
    }
  }
}
