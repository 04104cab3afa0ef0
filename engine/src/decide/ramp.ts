/** A task requeued by a ramp, with the fingerprint of its death. */
export interface RampItem {
  readonly subject: number;
  readonly stage: number;
  readonly fingerprint: string;
}

/** State of a ramp; plain data, to be stored and continued by any process. */
export interface RampState {
  /** Steps made so far. */
  readonly step: number;
  readonly requeued: number;
  /** Tasks of the last step. */
  readonly batch: readonly RampItem[];
}

/** Outcome of a task of the last step; `fingerprint`: newest fault, if the task failed again. */
export interface RampResult {
  readonly subject: number;
  readonly stage: number;
  readonly state: "pending" | "dead" | "settled";
  readonly fingerprint: string | null;
}

/** Decision about the next step of a ramp. */
export type RampMove =
  | { readonly kind: "go"; readonly size: number }
  | { readonly kind: "wait"; readonly pending: number }
  | { readonly kind: "stop"; readonly fingerprint: string; readonly returned: number };

export const rampSizes = [1, 2, 5, 20, 50, 200, 500, 1_000] as const;
export const rampStart: RampState = { step: 0, requeued: 0, batch: [] };

/**
 * Decides whether to requeue more dead letters. The same fingerprint again, from a single task, shows that the cause
 * persists: stopping is better than a thousand deaths of the same cause.
 */
export function nextRampStep(state: RampState, results: readonly RampResult[]): RampMove {
  const found = new Map(results.map((one) => [`${one.subject}/${one.stage}`, one]));
  const outcomes = state.batch.map((item) => ({ item, result: found.get(`${item.subject}/${item.stage}`) }));
  const returned = outcomes.filter(
    ({ item, result }) => result && result.state !== "settled" && result.fingerprint === item.fingerprint,
  );
  const first = returned[0];
  if (first) return { kind: "stop", fingerprint: first.item.fingerprint, returned: returned.length };
  const pending = outcomes.filter(({ result }) => result?.state === "pending").length;
  if (pending > 0) return { kind: "wait", pending };
  return { kind: "go", size: rampSizes[Math.min(state.step, rampSizes.length - 1)] as number };
}
