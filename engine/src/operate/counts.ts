import {
  type CollectionCount,
  countCollections,
  type KeptCounts,
  keepCensus,
  listReadings,
  type ReadingRow,
  readCollections,
  readKeptCounts,
} from "../store/census.ts";
import {
  countByStage,
  countOpenByStage,
  isLarge,
  type OpenCounts,
  type StageStatus,
} from "../store/ledger.ts";
import { takeCensus } from "../store/take-census.ts";
import { type Operating, readDirectory } from "./context.ts";

/** Every subject of a stage by state, counted at one moment, or slice by slice with each slice at one moment. */
export interface Ledger
  extends Pick<StageStatus, "accepted" | "done" | "waiting" | "later" | "claimed" | "dead" | "deleted"> {
  readonly at: Date;
}

/** Counts of a stage; every figure has a moment. */
export interface StageCounts extends StageStatus {
  /** Moment of the count of waiting, held, later, claimed and dead tasks. */
  readonly openAt: Date;
  /** Moment of the last count of everything, behind done, accepted and deleted. */
  readonly countedAt: Date;
  /** Of the done: added since that count by the workers' own figures, so `done` is approximate unless 0. */
  readonly doneSince: number;
  /** The last count of everything, as it was then. */
  readonly ledger: Ledger;
}

export const isBalanced = (count: Omit<Ledger, "at">): boolean =>
  count.accepted === count.done + count.waiting + count.later + count.claimed + count.dead + count.deleted;

/** More open tasks are not counted at a look: the newest reading has them. */
const openMax = 30_000;
const minuteMs = 60_000;

/** Counts everything while that is cheap; else takes the last census, the workers' figures, and counts what is open. */
export async function countStages(
  context: Operating,
  { now, exact }: { readonly now: Date; readonly exact: boolean },
): Promise<StageCounts[]> {
  const { database } = context;
  if (!exact && (await isLarge(database))) {
    const [kept, open] = await Promise.all([
      keptCounts(context, now),
      countOpenByStage(database, now, openMax),
    ]);
    return kept.map((one) => toCounts(one, open?.find(({ stage }) => stage === one.stage) ?? null, now));
  }
  return (await countByStage(database, now)).map((count) => ({
    ...count,
    openAt: now,
    countedAt: now,
    doneSince: 0,
    ledger: { ...ledgerOf(count), at: now },
  }));
}

/** With a stage that was never counted, a look counts and keeps the count for the next. */
async function keptCounts(context: Operating, now: Date): Promise<Counted[]> {
  const { database } = context;
  const minuteAgo = new Date(now.getTime() - minuteMs);
  const kept = await readKeptCounts(database, minuteAgo);
  if (kept.every(isCounted)) return kept;
  await countForNextTime(context);
  return (await readKeptCounts(database, minuteAgo)).filter(isCounted);
}

type Counted = KeptCounts & { readonly census: NonNullable<KeptCounts["census"]>; readonly at: Date };
const isCounted = (one: KeptCounts): one is Counted => one.census !== null && one.at !== null;

async function countForNextTime({ database, clock }: Operating): Promise<void> {
  const census = await takeCensus(database, clock);
  if (census) await database.transaction((tx) => keepCensus(tx, census));
}

function toCounts(kept: Counted, counted: OpenCounts | null, now: Date): StageCounts {
  const { census, at, since, erased, newest, recent, recent_from, owes } = kept;
  const owing = owes ? Math.max(1, census.owing) : 0;
  const whole = { ...census, accepted: census.accepted + erased, deleted: census.deleted + erased };
  const [open, openAt] = counted
    ? [counted, now]
    : newest
      ? [{ ...newest, oldest: newest.oldest === null ? null : new Date(newest.oldest) }, new Date(newest.at)]
      : [{ ...whole, oldest: null }, at];
  const { waiting, held, later, claimed, dead, closed, oldest } = open;
  return {
    ...whole,
    waiting: waiting + (counted || newest ? owing : 0),
    owing,
    held,
    later,
    claimed,
    dead,
    closed,
    oldest,
    done: census.done + since,
    recent,
    recent_from,
    openAt,
    countedAt: at,
    doneSince: since,
    ledger: { ...ledgerOf(whole), at },
  };
}

const ledgerOf = ({ accepted, done, waiting, later, claimed, dead, deleted }: Omit<Ledger, "at">) => ({
  accepted,
  done,
  waiting,
  later,
  claimed,
  dead,
  deleted,
});

/** A collection with the moment of its count. */
export interface CollectionLine extends CollectionCount {
  readonly countedAt: Date;
}

/** Every collection, with the number of current and of deleted documents; as of the last census beyond some ten thousand documents. */
export async function collections(
  context: Operating,
  { exact = false }: { readonly exact?: boolean } = {},
): Promise<CollectionLine[]> {
  const { database, clock } = context;
  if (!exact && (await isLarge(database))) {
    let lines = await readCollections(database);
    if (lines.every(({ at }) => at === null)) {
      await countForNextTime(context);
      lines = await readCollections(database);
    }
    return lines.map(({ at, ...line }) => ({ ...line, countedAt: at ?? clock.now() }));
  }
  const countedAt = clock.now();
  return (await countCollections(database)).map((line) => ({ ...line, countedAt }));
}

/** Levels of one stage at one moment, as kept by the census. */
export interface Reading extends Omit<ReadingRow, "stage" | "counted_at"> {
  readonly stage: string;
  readonly countedAt: Date;
}

/** A selection of past levels. */
export interface ReadingFilter {
  /** Only of this stage. */
  readonly stage?: string | undefined;
  /**
   * Only since this moment.
   * @default a day ago
   */
  readonly since?: Date | undefined;
  /** Only until this moment. */
  readonly until?: Date | undefined;
  /** Readings of a stage are at least so far apart. */
  readonly everyMs?: number | undefined;
}

const dayMs = 86_400_000;

/** The levels of the past, by stage and moment: a row a minute for two weeks, a row an hour for a year. */
export async function readings(context: Operating, filter: ReadingFilter = {}): Promise<Reading[]> {
  const { database, clock } = context;
  const directory = await readDirectory(context);
  const until = filter.until ?? clock.now();
  const rows = await listReadings(database, {
    since: filter.since ?? new Date(until.getTime() - dayMs),
    until,
    everyMs: Math.max(1, filter.everyMs ?? minuteMs),
    stage: filter.stage === undefined ? null : directory.stage(filter.stage).id,
  });
  return rows.map(({ stage, counted_at: countedAt, ...row }) => ({
    ...row,
    stage: directory.stageName(stage),
    countedAt,
  }));
}
