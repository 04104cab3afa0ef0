/**
 * The door of Headway's own packages (command line, console, pipelines): no promise. Names and meanings change with any
 * version, and no page describes them. Programs of others use `@headway/engine`, `/operate` and `/testing`.
 */
import type { BrokerCheck, BrokerFinding } from "./dispatch/broker-finding.ts";
import { checkBroker as examineBroker } from "./dispatch/check-broker.ts";
import { type Recorded, record } from "./operate/context.ts";
import type { OperatorOptions } from "./operate/operator.ts";
import { systemClock } from "./run/clock.ts";
import { serverTime } from "./store/workers.ts";

/** Records an act made outside of an operator's verbs, such as a backup. */
export async function recordAct(
  { database, actor }: Pick<OperatorOptions, "database" | "actor">,
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
export { plainNotice } from "./decide/alert-text.ts";
export { classify } from "./decide/classify.ts";
export { type Comparison, compareSamples } from "./decide/compare-samples.ts";
export { maskSecrets } from "./decide/mask.ts";
export { rampSizes } from "./decide/ramp.ts";
export { type SeedStatus, seedDocumentFields, seedStatuses } from "./decide/seed-words.ts";
export { attemptsVariable, retryVariables, withRetryVariables } from "./define/retry-variables.ts";
export type { Channel } from "./dispatch/alert-channel.ts";
export { channelVariables, openChannels } from "./dispatch/alert-channels.ts";
export type { BrokerCheck, BrokerFinding } from "./dispatch/broker-finding.ts";
export { traceVariables } from "./dispatch/export-spans.ts";
export { defaultExchange } from "./dispatch/rabbitmq.ts";
export { migrateAll, readSettingsFile } from "./engine.ts";
export { type DeclaredSchema, declaredSchemas } from "./operate/declared-schemas.ts";
export { nearestName } from "./operate/look-up.ts";
export { type Moved, type MovedCount, measureMove, moveDatabase } from "./operate/move.ts";
export { describeApi } from "./operate/openapi.ts";
export { callVerb, verbChanges, verbNames } from "./operate/operator.ts";
export { migrationsStanding } from "./reader.ts";
export { type Outlasting, outlast } from "./run/outlast.ts";
export { type Cores, countCores } from "./sandbox/cores.ts";
export { isolationWalls, type Walls } from "./sandbox/walls.ts";
export { insertAct } from "./store/audit.ts";
export {
  type Baseline,
  keepBaselines,
  readBaselineHistory,
  readBaselines,
  readEnvironment,
  readTraffic,
  type Traffic,
} from "./store/baselines.ts";
export { isOwnerGone } from "./store/database.ts";
export { type ServiceCallsRow, sumServiceCalls } from "./store/done.ts";
export { type Health, readHealth } from "./store/health.ts";
export type { Standing } from "./store/migrate.ts";
export { dropScratchSchema, scratchPrefix } from "./store/scratch-schema.ts";
export { sweepLockKey } from "./store/singletons.ts";
