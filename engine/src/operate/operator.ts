import { DefinitionError } from "../define/definition-error.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { Clock } from "../run/clock.ts";
import type { Database } from "../store/database.ts";
import { announceAgain } from "./announce-again.ts";
import { purgeDead, resolveDead } from "./close.ts";
import type { Operating } from "./context.ts";
import { exportDead, groupDead, inspectDead, listDead } from "./dead-letters.ts";
import { cancel, deleteDocument, deleteSource, leftToReap, reapNow, retryNow } from "./documents.ts";
import { explain } from "./explain.ts";
import { forgotten, heldByDead } from "./forgotten.ts";
import { importDead } from "./import-dead.ts";
import { collections, documents } from "./listing.ts";
import { lookUp } from "./look-up.ts";
import { listPolicies, policyHistory, resetPolicy, setPolicy } from "./policies.ts";
import {
  exportQuarantined,
  groupQuarantined,
  inspectQuarantined,
  listQuarantined,
  purgeQuarantined,
} from "./quarantine.ts";
import { continueRamp, openRamp, startRamp } from "./ramps.ts";
import { reprocess } from "./reprocess.ts";
import { planReprocess } from "./reprocess-plan.ts";
import { requeueDead, resetDead, resetTasks } from "./requeue.ts";
import { freeWorker, pauseStage, resumeStage } from "./stages.ts";
import { audit, breakers, conflicts, events, now, sources, status, workers } from "./status.ts";
import { trace } from "./trace.ts";
import { verify } from "./verify.ts";

/** Everything a person can ask and do. Each act is written down in the transaction that does it. */
const able = {
  // To see
  explain,
  lookUp,
  trace,
  status,
  breakers,
  workers,
  collections,
  documents,
  events,
  conflicts,
  sources,
  audit,
  now,
  verify,
  forgotten,
  heldByDead,
  // Dead letters
  listDead,
  groupDead,
  inspectDead,
  exportDead,
  importDead,
  requeueDead,
  startRamp,
  openRamp,
  continueRamp,
  resetDead,
  purgeDead,
  resolveDead,
  // What a broker gave us
  listQuarantined,
  groupQuarantined,
  inspectQuarantined,
  exportQuarantined,
  purgeQuarantined,
  announceAgain,
  // Work
  pauseStage,
  resumeStage,
  freeWorker,
  retryNow,
  resetTasks,
  planReprocess,
  reprocess,
  cancel,
  // Documents
  deleteDocument,
  deleteSource,
  reapNow,
  leftToReap,
  // Policies
  listPolicies,
  setPolicy,
  resetPolicy,
  policyHistory,
} as const;

export type Operator = { readonly [Name in keyof typeof able]: Bound<(typeof able)[Name]> };
type Bound<F> = F extends (context: Operating, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export interface OperatorOptions {
  /** Open and migrated; nothing else has to run. It is not closed. */
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  /** Who acts; stands in the audit. */
  readonly actor: string;
  /** The code, where it is at hand: it knows quiet times, needs and policies that the database does not. */
  readonly pipelines?: readonly Pipeline[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** True: we have just opened an embedded database for ourselves, so whoever was working in it is dead. */
  readonly alone?: boolean;
}

export function makeOperator(options: OperatorOptions): Operator {
  const { database, clock, actor, pipelines = [], environment = {}, alone = false } = options;
  if (actor.trim() === "")
    throw new DefinitionError("An operator needs a name: every act is recorded with who did it.");
  const context: Operating = { database, clock, actor, pipelines, environment, alone };
  const bound = Object.entries(able).map(([name, act]) => [
    name,
    (...rest: unknown[]) => (act as (context: Operating, ...rest: unknown[]) => unknown)(context, ...rest),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Operator;
}
