/** The operators' door: everything a person can see and do, for the console and the command line. */
import { makeOperator, type Operator, type OperatorOptions } from "./operate/operator.ts";
import { systemClock } from "./run/clock.ts";
import { serverTime } from "./store/workers.ts";

/**
 * Needs nothing but a database that is open and migrated: no running engine, no code of pipelines. Like workers it goes by
 * the server's clock: a machine that is ahead must not put off what it requeues.
 */
export async function openOperator(
  options: Omit<OperatorOptions, "clock"> & Partial<Pick<OperatorOptions, "clock">>,
): Promise<Operator> {
  const clock = systemClock();
  const { database } = options;
  if (!options.clock && database.kind === "postgres") clock.adjust(await serverTime(database));
  return makeOperator({ clock, environment: process.env, ...options });
}

export type { Explanation, Next, StageExplanation } from "./decide/explain.ts";
export { type RampMove, rampSizes } from "./decide/ramp.ts";
export { openDatabase } from "./engine.ts";
export type { ClosedCount } from "./operate/close.ts";
export type { DryRun } from "./operate/context.ts";
export type { DeadFilter, ExportedDeadLetter, Paging } from "./operate/dead-letters.ts";
export type { DeletedDocument, DeletedSource } from "./operate/documents.ts";
export type { Operator, OperatorOptions } from "./operate/operator.ts";
export type { PolicyInForce } from "./operate/policies.ts";
export type { Reprocessed, ReprocessFilter } from "./operate/reprocess.ts";
export type { RampStep, RequeuedCount } from "./operate/requeue.ts";
export type { StageLine, WorkerLine } from "./operate/status.ts";
export type { Target } from "./operate/targets.ts";
export { type Invariant, invariants, type Verified, type Violation } from "./operate/verify.ts";
export type { AuditRow } from "./store/audit.ts";
export type { Database } from "./store/database.ts";
export type { DeadGroupRow, DeadLetterRow, WholeDeadLetterRow } from "./store/dead-letters.ts";
export { mayEnter, type Sharing } from "./store/share.ts";
