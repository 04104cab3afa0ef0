import { opening } from "../decide/eligible.ts";
import type { Tallied } from "../decide/tally.ts";
import { type ActFilter, type AuditRow, listActs } from "../store/audit.ts";
import { type Backlog, readBacklogs } from "../store/backlogs.ts";
import { listSources as readSources } from "../store/deletions.ts";
import { type DependencyRow, readDependencies } from "../store/dependencies.ts";
import { countFindings } from "../store/done.ts";
import {
  type ConflictRow,
  type EventFilter,
  type EventRow,
  listConflicts,
  listEvents,
} from "../store/status.ts";
import { readTally } from "../store/tally.ts";
import { claimsOf, listLivingWorkers } from "../store/workers.ts";
import { busySince, isAlive } from "./alive.ts";
import { type Operating, readDirectory } from "./context.ts";
import { countStages, isBalanced, type StageCounts } from "./counts.ts";
import { readNeeds } from "./explain.ts";

/** Counts of a stage's documents by state; each count with its moment. */
export interface StageLine extends Omit<StageCounts, "stage"> {
  readonly stage: string;
  readonly shape: string;
  /** The collection read by the stage. */
  readonly collection: string;
  readonly paused: { readonly by: string; readonly at: Date; readonly reason: string | null } | null;
  /** Reason why nothing is claimed now: paused, or a dependency that is down. */
  readonly shut: string | null;
  /** Whether accepted = done + waiting + later + claimed + dead + deleted in the ledger, as required. */
  readonly balanced: boolean;
  /** Results that the stage did not expect (`expects`), among the done. */
  readonly unexpected: number;
  /** Results per second, over the last minute or since the start within it. */
  readonly perSecond: number;
  /** Time until all open tasks are done at this speed; null: nothing is open, or nothing moves. */
  readonly etaSeconds: number | null;
}

/**
 * Every stage: tasks waiting, claimed, done, dead; and whether the ledger balances. Beyond some ten thousand documents
 * the results come from the last census; `exact` counts everything now, however long that takes.
 */
export async function status(
  context: Operating,
  { exact = false }: { readonly exact?: boolean } = {},
): Promise<StageLine[]> {
  const { clock, pipelines } = context;
  const now = clock.now();
  const [directory, findings, counts] = await Promise.all([
    readDirectory(context),
    countFindings(context.database),
    countStages(context, { now, exact }),
  ]);
  const needs = await readNeeds(context, directory.stages);
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
        // While nothing is claimed, all due tasks are held.
        held: shut ? count.waiting : count.held,
        unexpected: findings.find((one) => one.stage === stage.id)?.results ?? 0,
        balanced: isBalanced(count.ledger),
        ...speedOf(count, now),
      },
    ];
  });
  const places = pipelines.flatMap((one) => one.stages).map((one) => one.name);
  // In pipeline order, as far as the code is available; then the rest.
  const placeOf = ({ stage }: StageLine) => places.indexOf(stage) + 1 || Number.POSITIVE_INFINITY;
  return lines.sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

const shortestMs = 5_000;

/** A recently started stage is measured from its start; but a single document does not make a speed. */
export function speedOf(
  { recent, recent_from: from, waiting, later, claimed }: Omit<StageCounts, "stage" | "ledger">,
  now: Date,
): Pick<StageLine, "perSecond" | "etaSeconds"> {
  const spanMs = Math.max(shortestMs, now.getTime() - (from?.getTime() ?? 0));
  const perSecond = from === null ? 0 : (1_000 * recent) / spanMs;
  const open = waiting + later + claimed;
  return { perSecond, etaSeconds: open > 0 && perSecond > 0 ? open / perSecond : null };
}

/** A worker that was not evicted, with its claims. */
export interface WorkerLine {
  readonly id: number;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly stages: readonly string[];
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  /** False: dead, with no survivor to evict it. */
  readonly alive: boolean;
  /** Since when the worker has been too busy to beat; null: the heart beats, or the worker is dead. */
  readonly busySince: Date | null;
  readonly holds: readonly { readonly stage: string; readonly tasks: number; readonly since: Date }[];
}

/** Workers not evicted, with their claims. */
export async function workers(context: Operating): Promise<WorkerLine[]> {
  const { database } = context;
  const { stageName } = await readDirectory(context);
  const rows = await listLivingWorkers(database);
  const claims = await claimsOf(
    database,
    rows.map((one) => one.id),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    host: row.host,
    pid: row.pid,
    stages: row.stages.map(stageName),
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    alive: isAlive(context, row),
    busySince: busySince(context, row),
    holds: claims
      .filter((one) => one.worker === row.id)
      .map(({ stage, tasks, at }) => ({ stage: stageName(stage), tasks, since: at })),
  }));
}

/** Announced events in order: after a number, since a time, or the last. */
export const events = (
  { database }: Operating,
  { after = null, limit = 100, ...filter }: Partial<EventFilter> = {},
): Promise<EventRow[]> => listEvents(database, { after, limit, ...filter });

/** Content refused because another origin had the id first. */
export const conflicts = (
  { database }: Operating,
  { after = 0, limit = 100 }: { after?: number; limit?: number } = {},
): Promise<ConflictRow[]> => listConflicts(database, { after, limit });

/** Acts of people, newest first; `after`: number of the last act seen. */
export const audit = (
  { database }: Operating,
  { after, limit = 100, ...filter }: { after?: number; limit?: number } & ActFilter = {},
): Promise<AuditRow[]> => listActs(database, { before: after ?? null, limit, ...filter });

/** Dependencies that are down: since when, why, and the time of the next probe. */
export async function breakers({ database }: Operating): Promise<DependencyRow[]> {
  return (await readDependencies(database)).filter((one) => one.open);
}

/** The fleet's common time: on a server, the server's clock. */
export const now = ({ clock }: Operating): Date => clock.now();

/** Sources with their number of documents; with `countMax` each is counted up to about that number. */
export const sources = (
  { database }: Operating,
  { countMax = Number.MAX_SAFE_INTEGER }: { readonly countMax?: number } = {},
) => readSources(database, countMax);

/** Things that wait for a person, another system or a worker. */
export const backlogs = ({ database, clock }: Operating): Promise<Backlog[]> =>
  readBacklogs(database, clock.now());

/** Totals and levels of the retry job, which survive every process. */
export const tally = ({ database }: Operating): Promise<Tallied[]> => readTally(database);
