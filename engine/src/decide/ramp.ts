/** One task that a ramp has sent back, and what it had died of. */
export interface RampItem {
  readonly subject: number;
  readonly stage: number;
  readonly fingerprint: string;
}

/** Where a ramp stands; plain data, so that it can be kept and taken up again by somebody else. */
export interface RampState {
  /** Steps made so far. */
  readonly step: number;
  readonly requeued: number;
  /** What the last step sent back. */
  readonly batch: readonly RampItem[];
}

/** What became of one task of the last step; `fingerprint` is that of its newest fault, if it failed again. */
export interface RampResult {
  readonly subject: number;
  readonly stage: number;
  readonly state: "pending" | "dead" | "settled";
  readonly fingerprint: string | null;
}

export type RampMove =
  | { readonly kind: "go"; readonly size: number }
  | { readonly kind: "wait"; readonly pending: number }
  | { readonly kind: "stop"; readonly fingerprint: string; readonly returned: number };

export const rampSizes = [1, 2, 5, 20, 50, 200, 500, 1_000] as const;
export const rampStart: RampState = { step: 0, requeued: 0, batch: [] };

/**
 * Whether more dead letters may be sent back. The same fingerprint again, from one task only, says that the cause is still
 * there: better to stop than to let a thousand die of it a second time.
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
