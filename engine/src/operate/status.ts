import { opening } from "../decide/eligible.ts";
import { type AuditRow, listActs } from "../store/audit.ts";
import { listSources as readSources } from "../store/deletions.ts";
import {
  type ConflictRow,
  countByStage,
  type EventRow,
  listConflicts,
  listEvents,
  type StageStatus,
} from "../store/status.ts";
import { claimsOf, listLivingWorkers } from "../store/workers.ts";
import { type Operating, readDirectory } from "./context.ts";
import { readNeeds } from "./explain.ts";

/** Where a stage's documents stand. Every number is of the same moment. */
export interface StageLine extends Omit<StageStatus, "stage"> {
  readonly stage: string;
  readonly shape: string;
  /** The collection it reads. */
  readonly collection: string;
  readonly paused: { readonly by: string; readonly at: Date; readonly reason: string | null } | null;
  /** Why nothing of it is claimed now: paused, or the dependency that is down. */
  readonly shut: string | null;
  /** Whether accepted = done + waiting + later + leased + dead + deleted, as it must. */
  readonly balanced: boolean;
}

/** Every stage: what waits, is worked on, done, dead; and whether the ledger balances. */
export async function status(context: Operating): Promise<StageLine[]> {
  const { database, clock } = context;
  const directory = await readDirectory(context);
  const needs = await readNeeds(context, directory.stages);
  const now = clock.now();
  const counts = await countByStage(database, now);
  return counts.flatMap((count): StageLine[] => {
    const stage = directory.stages.find((one) => one.id === count.stage);
    if (!stage) return [];
    const { paused_at: at, paused_by: by, paused_reason: reason } = stage;
    const paused = at ? { at, by: by ?? "somebody", reason } : null;
    const gate = opening({ paused, dependencies: needs.get(stage.id) ?? [] }, now);
    const shut = gate.kind === "shut" ? (gate.because === "paused" ? "paused" : gate.name) : null;
    return [
      {
        ...count,
        stage: stage.name,
        shape: stage.shape,
        collection: directory.collectionName(stage.reads),
        paused,
        shut,
        // While nothing is claimed, all that is due is held.
        held: shut ? count.waiting : count.held,
        balanced: isBalanced(count),
      },
    ];
  });
}

export const isBalanced = (count: Omit<StageStatus, "stage">): boolean =>
  count.accepted === count.done + count.waiting + count.later + count.leased + count.dead + count.deleted;

export interface WorkerLine {
  readonly id: number;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly stages: readonly string[];
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  readonly holds: readonly { readonly stage: string; readonly tasks: number; readonly since: Date }[];
}

/** Workers that are alive as far as anybody knows, with what they hold. */
export async function workers(context: Operating): Promise<WorkerLine[]> {
  const { database } = context;
  const { stageName } = await readDirectory(context);
  const rows = await listLivingWorkers(database);
  const claims = await claimsOf(
    database,
    rows.map((one) => one.id),
  );
  return rows.map(({ id, name, host, pid, stages, started_at, heartbeat_at }) => ({
    id,
    name,
    host,
    pid,
    stages: stages.map(stageName),
    startedAt: started_at,
    heartbeatAt: heartbeat_at,
    holds: claims
      .filter((one) => one.worker === id)
      .map(({ stage, tasks, at }) => ({ stage: stageName(stage), tasks, since: at })),
  }));
}

/** Announced events in order: those after `after`, or the last ones. */
export const events = (
  { database }: Operating,
  { after, limit = 100 }: { after?: number; limit?: number } = {},
): Promise<EventRow[]> => listEvents(database, { after: after ?? null, limit });

/** Content that was refused because another origin had its id first. */
export const conflicts = (
  { database }: Operating,
  { after = 0, limit = 100 }: { after?: number; limit?: number } = {},
): Promise<ConflictRow[]> => listConflicts(database, { after, limit });

/** What people did, newest first; `after`: the number of the last one seen. */
export const audit = (
  { database }: Operating,
  { after, limit = 100 }: { after?: number; limit?: number } = {},
): Promise<AuditRow[]> => listActs(database, { before: after ?? null, limit });

/** Where documents come from, and how many each source brings in. */
export const sources = ({ database }: Operating) => readSources(database);
