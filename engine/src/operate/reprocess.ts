import { canonicalJson, contentHash } from "../decide/hash.ts";
import type { JsonObject } from "../define/stage.ts";
import type { Queryable } from "../store/database.ts";
import { lockStages } from "../store/interventions.ts";
import { forgetMarkers } from "../store/reaper.ts";
import type { StageRow } from "../store/registry.ts";
import {
  countDownstream,
  findResults,
  type ResultFilter,
  type ResultState,
  type Stale,
  stateOfResults,
} from "../store/reprocess.ts";
import { oweAgain } from "../store/tasks.ts";
import {
  type DryRun,
  type Operating,
  pageSize,
  perform,
  readCode,
  readDirectory,
  record,
  tellWork,
} from "./context.ts";

/** A selection of results to reprocess; all given conditions have to match. */
export interface ReprocessFilter {
  /** The stage to run again. */
  readonly stage: string;
  /** Ids of documents, or keys of groups. */
  readonly ids?: readonly string[];
  /** Results finished at this time or later. */
  readonly since?: Date;
  /** Only results of another code version, configuration or model. */
  readonly stale?: boolean;
  /** Only documents that contain this: `{ list: "announce" }`; for groups, with such a member. */
  readonly where?: JsonObject;
}

/** Outcome of reprocessing. */
export interface Reprocessed {
  readonly owed: number;
  /** Owed already; the work is really repeated too. */
  readonly pending: number;
  /** Claimed at this moment: left alone, ask again. */
  readonly busy: number;
  /** In a dry run: downstream results that may change, by stage. */
  readonly downstream: Readonly<Record<string, number>>;
  readonly dryRun: boolean;
}

/** Owes results again and forces the work, page by page. Outputs stay until replaced. */
export async function reprocess(
  context: Operating,
  filter: ReprocessFilter,
  { dryRun = false, why }: DryRun & { why?: string } = {},
): Promise<Reprocessed> {
  const { database } = context;
  const stage = (await readDirectory(context)).stage(filter.stage);
  const found = await toResultFilter(context, stage, filter);
  const total = { owed: 0, pending: 0, busy: 0 };
  for (let after = 0; ; ) {
    const subjects = await findResults(database, found, { after, limit: pageSize });
    const last = subjects.at(-1);
    if (last === undefined) break;
    after = last;
    const sorted = dryRun
      ? sort(await stateOfResults(database, stage.id, subjects))
      : await perform(context, (tx) => reprocessPage(tx, context, { filter, found, subjects, why }));
    total.owed += sorted.owe.length;
    total.pending += sorted.pending.length;
    total.busy += sorted.busy.length;
  }
  if (!dryRun) await tellWork(context, [stage.id]);
  const downstream = dryRun && total.owed + total.pending > 0 ? await countDownstream(database, found) : [];
  return {
    ...total,
    dryRun,
    downstream: Object.fromEntries(downstream.map((one) => [one.stage, one.results])),
  };
}

export const toResultFilter = async (
  context: Operating,
  stage: StageRow,
  filter: ReprocessFilter,
): Promise<ResultFilter> => ({
  stage: stage.id,
  grouped: stage.shape === "fan-in",
  stale: filter.stale ? await staleThan(context, stage) : null,
  ...(filter.ids && { ids: filter.ids }),
  ...(filter.since && { finishedSince: filter.since }),
  ...(filter.where && { where: filter.where }),
});

/** What results are compared with: the caller's own code and settings where known, otherwise the newest that ran. */
async function staleThan(context: Operating, { name }: StageRow): Promise<Stale> {
  const code = context.exact ? (await readCode(context))(name) : undefined;
  if (!code) return "newest";
  const { version, config, model } = code;
  return { version, configHash: contentHash(canonicalJson(config)), model };
}

interface PageOf {
  readonly filter: ReprocessFilter;
  readonly found: ResultFilter;
  readonly subjects: readonly number[];
  readonly why: string | undefined;
}

/** Under the stage's lock no task is claimed, so the inspected state stays true. */
async function reprocessPage(tx: Queryable, context: Operating, page: PageOf) {
  const { filter, found, subjects, why } = page;
  const { stage, stale } = found;
  await lockStages(tx, [stage]);
  const sorted = sort(await stateOfResults(tx, stage, subjects));
  const { owe, pending } = sorted;
  if (owe.length + pending.length === 0) return sorted;
  // Results of newer code have another marker anyway.
  if (stale === null)
    await forgetMarkers(
      tx,
      [...owe, ...pending].map(({ subject }) => ({ subject, stage })),
    );
  const now = context.clock.now();
  const owed = owe.map(({ subject, rank }) => ({ subject, stage, rank, readyAt: now, reason: null }));
  if (owed.length > 0) await oweAgain(tx, owed, now);
  const { stage: name, ...rest } = filter;
  const detail = { ...rest, owed: owe.length, pending: pending.length, busy: sorted.busy.length };
  await record(tx, context, { act: "stage.reprocess", target: name, why, detail });
  return sorted;
}

function sort(states: readonly ResultState[]) {
  return {
    owe: states.filter((one) => !one.owed && !one.claimed),
    pending: states.filter((one) => one.owed && !one.claimed),
    busy: states.filter((one) => one.claimed),
  };
}
