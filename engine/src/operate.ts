/** The operators' door: everything a person can see and do, for the console and the command line. */
import { makeOperator, type Operator, type OperatorOptions } from "./operate/operator.ts";
import { systemClock } from "./run/clock.ts";
import { serverTime } from "./store/workers.ts";

/**
 * Opens an operator on a database that is open and migrated: no running engine, no code of pipelines is needed. Time is the
 * server's, as for workers: a machine that is ahead must not put off tasks that it requeues.
 *
 * @example
 * import { openDatabase, openOperator } from "@headway/engine/operate";
 *
 * export async function requeueTimeouts(url: string): Promise<void> {
 *   const database = await openDatabase({ url }, { poolMax: 2 });
 *   try {
 *     const operator = await openOperator({ database, actor: "nightly" });
 *     await operator.dead.requeue({ code: "stage.timeout" }, { why: "the server was slow" });
 *     for (const line of await operator.stages.status()) console.log(line.stage, line.waiting, line.dead);
 *   } finally {
 *     await database.close();
 *   }
 * }
 */
export async function openOperator({ actor, ...options }: OpenOperator): Promise<Operator> {
  return (await openOperators(options))(actor);
}

type OpenOperator = Omit<OperatorOptions, "clock"> & Partial<Pick<OperatorOptions, "clock">>;

/**
 * An operator for each caller of a server, by name: the audit names the caller and not the server.
 *
 * @example
 * import { type Database, openOperators } from "@headway/engine/operate";
 *
 * export async function serve(database: Database) {
 *   const operatorOf = await openOperators({ database });
 *   return (user: string, stage: string) => operatorOf(user).stages.pause(stage, "asked for in the chat");
 * }
 */
export async function openOperators(
  options: Omit<OpenOperator, "actor">,
): Promise<(actor: string) => Operator> {
  const clock = systemClock();
  const { database } = options;
  if (!options.clock && database.kind === "postgres") clock.adjust(await serverTime(database));
  return (actor) => makeOperator({ clock, environment: process.env, ...options, actor });
}

export { alertTypes, severities } from "./decide/alert-rules.ts";
export { groupStates } from "./decide/error-report.ts";
export type { Explanation, Next, StageExplanation } from "./decide/explain.ts";
export type { RampMove } from "./decide/ramp.ts";
export type { Called, Calls, StoredFacts } from "./decide/result-facts.ts";
export type { DeathReason } from "./decide/settle.ts";
export { type RetryChange, retryDefaults, retryKinds } from "./define/retry.ts";
export {
  type SettingName,
  type SettingsChange,
  type StageSettings,
  settingNames,
} from "./define/stage-settings.ts";
export { channelNames } from "./dispatch/alert-channel.ts";
export { openDatabase } from "./engine.ts";
export type { AlertLine, AlertRuleChange, RuleInForce, WholeAlert } from "./operate/alerts.ts";
export type { AnnouncedAgain } from "./operate/announce-again.ts";
export type { ClosedCount, CloseOptions } from "./operate/close.ts";
export type { DryRun } from "./operate/context.ts";
export type { CollectionLine, Ledger, Reading, ReadingFilter } from "./operate/counts.ts";
export type { DeadFilter, DeadGroup, ExportedDeadLetter, Paging } from "./operate/dead-letters.ts";
export type { DeletedDocument, DeletedSource } from "./operate/documents.ts";
export type { ErrorGroupChange } from "./operate/errors.ts";
export type { FindingLine } from "./operate/findings.ts";
export type { Forgotten } from "./operate/forgotten.ts";
export type { ImportedDead, ImportOptions, RefusedLetter } from "./operate/import-dead.ts";
export { type Invariant, invariants } from "./operate/invariants.ts";
export type { DocumentFilter, ListedDocument } from "./operate/listing.ts";
export type { LookedUp, Named } from "./operate/look-up.ts";
export { type AddedNote, type NoteKind, noteKinds } from "./operate/notes.ts";
export type { Operator, OperatorGroups, OperatorOptions, Verbs } from "./operate/operator.ts";
export type { PolicyInForce } from "./operate/policies.ts";
export type { PurgedDeliveries, QuarantinedFilter, WholeDelivery } from "./operate/quarantine.ts";
export type { RampOptions, RampStep } from "./operate/ramps.ts";
export type { Reprocessed, ReprocessFilter } from "./operate/reprocess.ts";
export type { ReprocessPlan } from "./operate/reprocess-plan.ts";
export type { RequeuedCount } from "./operate/requeue.ts";
export type { SettingInForce } from "./operate/stage-settings.ts";
export type { StageLine, WorkerLine } from "./operate/status.ts";
export type { Target } from "./operate/targets.ts";
export type { Trace, TraceLine } from "./operate/trace.ts";
export type { VerbName } from "./operate/verbs.ts";
export type { Verified, VerifyOptions, Violation } from "./operate/verify.ts";
export type { RuleHistoryRow } from "./store/alert-rules.ts";
export type { Act, AuditRow, NoteRow, NoteSubject } from "./store/audit.ts";
export type { Database } from "./store/database.ts";
export type { DeadFault, DeadLetterRow, WholeDeadLetterRow } from "./store/dead-letters.ts";
export type { DependencyRow } from "./store/dependencies.ts";
export type { ErrorGroup } from "./store/errors.ts";
export { type DocumentState, documentStates, type ListedRow } from "./store/listing.ts";
export type { PolicyHistoryRow } from "./store/policies.ts";
export type { QuarantineGroupRow, QuarantineRow } from "./store/quarantine.ts";
export type { SettingHistoryRow } from "./store/stage-settings.ts";
export type { ConflictRow, EventRow } from "./store/status.ts";
export { type TimelineKind, timelineKinds } from "./store/timeline.ts";
