/** The operators' door: everything a person can see and do, for the console and the command line. */
import type { BrokerCheck, BrokerFinding } from "./dispatch/broker-finding.ts";
import { checkBroker as examineBroker } from "./dispatch/check-broker.ts";
import { type Recorded, record } from "./operate/context.ts";
import { makeOperator, type Operator, type OperatorOptions } from "./operate/operator.ts";
import { systemClock } from "./run/clock.ts";
import { serverTime } from "./store/workers.ts";

/**
 * Needs only an open, migrated database: no running engine, no code of pipelines. The server's clock counts, as for workers: a machine with a
 * fast clock must not postpone requeued tasks.
 */
export async function openOperator({ actor, ...options }: OpenOperator): Promise<Operator> {
  return (await openOperators(options))(actor);
}

type OpenOperator = Omit<OperatorOptions, "clock"> & Partial<Pick<OperatorOptions, "clock">>;

/** The same for a server with many callers: an operator for each by name, so that the audit names the caller and not the server. */
export async function openOperators(
  options: Omit<OpenOperator, "actor">,
): Promise<(actor: string) => Operator> {
  const clock = systemClock();
  const { database } = options;
  if (!options.clock && database.kind === "postgres") clock.adjust(await serverTime(database));
  return (actor) => makeOperator({ clock, environment: process.env, ...options, actor });
}

/** Records an act made outside of an operator's verbs, such as a backup. */
export async function recordAct(
  { database, actor }: Pick<OpenOperator, "database" | "actor">,
  act: Recorded,
): Promise<void> {
  const clock = systemClock();
  if (database.kind === "postgres") clock.adjust(await serverTime(database));
  await record(database, { actor, clock }, act);
}

/** Whether a broker is as the engine needs it; nothing is changed there. */
export const checkBroker = (check: BrokerCheck): Promise<BrokerFinding[]> =>
  examineBroker(check, systemClock());

export { broughtBy } from "./brings.ts";
export { refuseForeign } from "./databases/own-folder.ts";
export { holdStill } from "./databases/pglite-still.ts";
export { mayEnter, readToken, type Sharing } from "./databases/share.ts";
export { alertTypes, severities } from "./decide/alert-rules.ts";
export { plainNotice } from "./decide/alert-text.ts";
export { classify } from "./decide/classify.ts";
export { type Comparison, compareSamples } from "./decide/compare-samples.ts";
export { groupStates } from "./decide/error-report.ts";
export type { Explanation, Next, StageExplanation } from "./decide/explain.ts";
export { maskSecrets } from "./decide/mask.ts";
export { type RampMove, rampSizes } from "./decide/ramp.ts";
export type { Called, Calls, StoredFacts } from "./decide/result-facts.ts";
/** Statuses of the systems that Headway replaces, each with our state; accepted as aliases. */
export { type SeedStatus, seedDocumentFields, seedStatuses } from "./decide/seed-words.ts";
export type { DeathReason } from "./decide/settle.ts";
export { type RetryChange, retryDefaults, retryKinds } from "./define/retry.ts";
export { attemptsVariable, retryVariables, withRetryVariables } from "./define/retry-variables.ts";
export {
  type SettingName,
  type SettingsChange,
  type StageSettings,
  settingNames,
} from "./define/stage-settings.ts";
export type { Channel } from "./dispatch/alert-channel.ts";
export { channelNames } from "./dispatch/alert-channel.ts";
export { channelVariables, openChannels } from "./dispatch/alert-channels.ts";
export type { BrokerCheck, BrokerFinding } from "./dispatch/broker-finding.ts";
export { traceVariables } from "./dispatch/export-spans.ts";
export { defaultExchange } from "./dispatch/rabbitmq.ts";
export { migrateAll, openDatabase, readSettingsFile } from "./engine.ts";
export type { AlertLine, AlertRuleChange, RuleInForce, WholeAlert } from "./operate/alerts.ts";
export type { AnnouncedAgain } from "./operate/announce-again.ts";
export type { ClosedCount, CloseOptions } from "./operate/close.ts";
export type { DryRun } from "./operate/context.ts";
export type { CollectionLine, Ledger, Reading, ReadingFilter } from "./operate/counts.ts";
export type { DeadFilter, DeadGroup, ExportedDeadLetter, Paging } from "./operate/dead-letters.ts";
export { type DeclaredSchema, declaredSchemas } from "./operate/declared-schemas.ts";
export type { DeletedDocument, DeletedSource } from "./operate/documents.ts";
export type { ErrorGroupChange } from "./operate/errors.ts";
export type { FindingLine } from "./operate/findings.ts";
export type { Forgotten } from "./operate/forgotten.ts";
export type { ImportedDead, ImportOptions, RefusedLetter } from "./operate/import-dead.ts";
export { type Invariant, invariants } from "./operate/invariants.ts";
export type { DocumentFilter, ListedDocument } from "./operate/listing.ts";
export { type LookedUp, type Named, nearestName } from "./operate/look-up.ts";
export { type Moved, type MovedCount, measureMove, moveDatabase } from "./operate/move.ts";
export { type AddedNote, type NoteKind, noteKinds } from "./operate/notes.ts";
export { describeApi } from "./operate/openapi.ts";
export type { Operator, OperatorOptions, VerbName } from "./operate/operator.ts";
export { callVerb, verbChanges, verbNames } from "./operate/operator.ts";
export type { PolicyInForce } from "./operate/policies.ts";
export type {
  PurgedDeliveries,
  QuarantinedFilter,
  WholeDelivery,
} from "./operate/quarantine.ts";
export type { RampOptions, RampStep } from "./operate/ramps.ts";
export type { Reprocessed, ReprocessFilter } from "./operate/reprocess.ts";
export type { ReprocessPlan } from "./operate/reprocess-plan.ts";
export type { RequeuedCount } from "./operate/requeue.ts";
export type { SettingInForce } from "./operate/stage-settings.ts";
export type { StageLine, WorkerLine } from "./operate/status.ts";
export type { Target } from "./operate/targets.ts";
export type { Trace, TraceLine } from "./operate/trace.ts";
export type { Verified, VerifyOptions, Violation } from "./operate/verify.ts";
export { migrationsStanding } from "./reader.ts";
export { type Outlasting, outlast } from "./run/outlast.ts";
export { type Cores, countCores } from "./sandbox/cores.ts";
export { isolationWalls, type Walls } from "./sandbox/walls.ts";
export type { RuleHistoryRow } from "./store/alert-rules.ts";
export { type Act, type AuditRow, insertAct, type NoteRow, type NoteSubject } from "./store/audit.ts";
export {
  type Baseline,
  keepBaselines,
  readBaselineHistory,
  readBaselines,
  readEnvironment,
  readTraffic,
  type Traffic,
} from "./store/baselines.ts";
export { type Database, isOwnerGone } from "./store/database.ts";
export type { DeadFault, DeadLetterRow, WholeDeadLetterRow } from "./store/dead-letters.ts";
export type { DependencyRow } from "./store/dependencies.ts";
export { type ServiceCallsRow, sumServiceCalls } from "./store/done.ts";
export type { ErrorGroup } from "./store/errors.ts";
export { type Health, readHealth } from "./store/health.ts";
export { type DocumentState, documentStates, type ListedRow } from "./store/listing.ts";
export type { Standing } from "./store/migrate.ts";
export type { PolicyHistoryRow } from "./store/policies.ts";
export type { QuarantineGroupRow, QuarantineRow } from "./store/quarantine.ts";
export { dropScratchSchema, scratchPrefix } from "./store/scratch-schema.ts";
export { sweepLockKey } from "./store/singletons.ts";
export type { SettingHistoryRow } from "./store/stage-settings.ts";
export type { ConflictRow, EventRow } from "./store/status.ts";
export { type TimelineKind, timelineKinds } from "./store/timeline.ts";
