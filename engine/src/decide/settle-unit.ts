import type { RetryPolicies } from "../define/retry.ts";
import type { Fault } from "./fault.ts";
import { suspicionOf } from "./outage.ts";
import { settle, type Tried, type Unfinished, type Verdict } from "./settle.ts";

/** `down`: the document is not to blame, `unsure`: known a moment later. */
export type Blame = "document" | "unsure" | "down";

/** A failed attempt on a unit: a document, a batch or a group. */
export interface FailedUnit {
  readonly fault: Fault;
  /** Of each task. */
  readonly tried: readonly Tried[];
  readonly blame: Blame;
  /** The unit may wait under the claim: allowed by the settings, and no part of the result is committed. */
  readonly mayRest: boolean;
  /** The last attempt was repeated already. */
  readonly again: boolean;
  readonly stopping: boolean;
}

export type UnitFate =
  /** Some task of the batch is the culprit: each half is tried by itself. */
  | { readonly kind: "halve" }
  /** No task dies of an undetected outage: the last attempt is repeated a moment later. */
  | { readonly kind: "look-again" }
  | { readonly kind: "retry-in-place"; readonly verdict: Retry }
  /** A verdict for each task. */
  | { readonly kind: "settled"; readonly verdicts: readonly Unfinished[] };

export type Retry = Extract<Verdict, { kind: "retry" }>;

/** Decides what follows a failed attempt. Pure. */
export function settleUnit(
  { fault, tried, blame, mayRest, again, stopping }: FailedUnit,
  policies: RetryPolicies,
  now: Date,
  random: () => number,
): UnitFate {
  const down = blame === "down";
  if (tried.length > 1 && !down && !isOfWholeBatch(fault)) return { kind: "halve" };
  const outcome = { kind: "failed", fault, dependencyDown: down } as const;
  const verdicts = tried.map((one) => settle(one, outcome, policies, now, random) as Unfinished);
  const dying = verdicts.some((verdict) => verdict.kind === "dead");
  if (blame === "unsure" && dying && mayRest && !again) return { kind: "look-again" };
  const [verdict] = verdicts;
  if (tried.length === 1 && verdict?.kind === "retry" && verdict.inPlace && mayRest && !stopping)
    return { kind: "retry-in-place", verdict };
  return { kind: "settled", verdicts };
}

/** Faults of a whole batch: no single member is the culprit. */
const isOfWholeBatch = (fault: Fault): boolean => fault.outage === true || fault.kind === "rate-limited";

/** The worker stops while a retry waits under the claim: the retry happens under another claim. */
export const leaveClaim = (retry: Retry): Retry => ({ ...retry, inPlace: false });

/** An outage is no failure of the document, and not part of the history. */
export const isOwnFailure = (verdict: Unfinished): boolean => verdict.kind !== "held";

/** The dependency blamed by a fault, among the needs of a stage. */
export const blamed = (needs: readonly { readonly name: string }[], fault: Fault): string | null =>
  suspicionOf(fault) !== null && needs.some(({ name }) => name === fault.dependency)
    ? (fault.dependency as string)
    : null;

/** The failed dependency charged to a document. */
export const chargedFor = (
  needs: readonly { readonly name: string }[],
  verdict: Unfinished,
): string | null =>
  verdict.kind === "retry" || verdict.kind === "dead" ? blamed(needs, verdict.fault) : null;

/** An outage that lasts, or ended at `changedAt`. */
export interface SeenOutage {
  readonly name: string;
  readonly open: boolean;
  readonly changedAt: Date;
}

/** Whether a failure belongs to an outage: a failure that began before the end does, however late its verdict. */
export const isOfOutage = ({ open, changedAt }: SeenOutage, failingSince: Date): boolean =>
  open || changedAt > failingSince;

/** The dependency of a charged fault was found to be down meanwhile, possibly well again by now; null: the verdict stands. */
export function sparedFault(
  needs: readonly { readonly name: string }[],
  { verdict, failingSince }: { readonly verdict: Unfinished; readonly failingSince: Date },
  outages: readonly SeenOutage[],
): Fault | null {
  const dependency = chargedFor(needs, verdict);
  const spared = outages.some((one) => one.name === dependency && isOfOutage(one, failingSince));
  return spared && "fault" in verdict ? verdict.fault : null;
}
