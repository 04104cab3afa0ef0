import { opening } from "../decide/eligible.ts";
import { type ActFilter, type AuditRow, listActs } from "../store/audit.ts";
import { listSources as readSources } from "../store/deletions.ts";
import { type DependencyRow, readDependencies } from "../store/dependencies.ts";
import {
  type ConflictRow,
  countByStage,
  type EventFilter,
  type EventRow,
  listConflicts,
  listEvents,
  type StageStatus,
} from "../store/status.ts";
import { claimsOf, listLivingWorkers } from "../store/workers.ts";
import { isAlive } from "./alive.ts";
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
  /** Done in a second, over the last minute or since it began in it. */
  readonly perSecond: number;
  /** Until all that is open is done at this speed; null: nothing is open, or nothing moves. */
  readonly etaSeconds: number | null;
}

/** Every stage: what waits, is worked on, done, dead; and whether the ledger balances. */
export async function status(context: Operating): Promise<StageLine[]> {
  const { database, clock, pipelines } = context;
  const directory = await readDirectory(context);
  const needs = await readNeeds(context, directory.stages);
  const now = clock.now();
  const counts = await countByStage(database, now);
  const lines = counts.flatMap((count): StageLine[] => {
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
        ...speedOf(count, now),
      },
    ];
  });
  const places = pipelines.flatMap((one) => one.stages).map((one) => one.name);
  // In the order in which documents go through them, as far as the code is here; then the others.
  const placeOf = ({ stage }: StageLine) => places.indexOf(stage) + 1 || Number.POSITIVE_INFINITY;
  return lines.sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

const shortestMs = 5_000;

/** A stage that began a moment ago is measured from there; but a single document does not make a speed. */
export function speedOf(
  { recent, recent_from: from, waiting, later, leased }: Omit<StageStatus, "stage">,
  now: Date,
): Pick<StageLine, "perSecond" | "etaSeconds"> {
  const spanMs = Math.max(shortestMs, now.getTime() - (from?.getTime() ?? 0));
  const perSecond = from === null ? 0 : (1_000 * recent) / spanMs;
  const open = waiting + later + leased;
  return { perSecond, etaSeconds: open > 0 && perSecond > 0 ? open / perSecond : null };
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
  /** False: it has died, and nobody was there to take over what it held. */
  readonly alive: boolean;
  readonly holds: readonly { readonly stage: string; readonly tasks: number; readonly since: Date }[];
}

/** Workers that nobody has evicted, with what they hold. */
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
    alive: isAlive(context, { heartbeat_at }),
    holds: claims
      .filter((one) => one.worker === id)
      .map(({ stage, tasks, at }) => ({ stage: stageName(stage), tasks, since: at })),
  }));
}

/** Announced events in order: those after `after`, those since a time, or the last ones. */
export const events = (
  { database }: Operating,
  { after = null, limit = 100, ...filter }: Partial<EventFilter> = {},
): Promise<EventRow[]> => listEvents(database, { after, limit, ...filter });

/** Content that was refused because another origin had its id first. */
export const conflicts = (
  { database }: Operating,
  { after = 0, limit = 100 }: { after?: number; limit?: number } = {},
): Promise<ConflictRow[]> => listConflicts(database, { after, limit });

/** What people did, newest first; `after`: the number of the last one seen. */
export const audit = (
  { database }: Operating,
  { after, limit = 100, ...filter }: { after?: number; limit?: number } & ActFilter = {},
): Promise<AuditRow[]> => listActs(database, { before: after ?? null, limit, ...filter });

/** Dependencies that are down, since when, why, and when they are tried again. */
export async function breakers({ database }: Operating): Promise<DependencyRow[]> {
  return (await readDependencies(database)).filter((one) => one.open);
}

/** The time that all workers go by: on a server it is the server's. */
export const now = ({ clock }: Operating): Date => clock.now();

/** Where documents come from, and how many each source brings in. */
export const sources = ({ database }: Operating) => readSources(database);
