import { countDerivedDocuments, inputSize, paceOf } from "../store/reprocess.ts";
import { type Operating, readDirectory } from "./context.ts";
import { type Reprocessed, type ReprocessFilter, reprocess, toResultFilter } from "./reprocess.ts";

/** Upper limit of the consequences of reprocessing: unchanged results have none downstream. */
export interface ReprocessPlan extends Reprocessed {
  readonly stage: string;
  /** Downstream documents possibly replaced, by collection. */
  readonly documents: Readonly<Record<string, number>>;
  /** Executions: owed tasks plus downstream tasks. */
  readonly calls: number;
  /** Size of the inputs, as JSON. */
  readonly inputCharacters: number;
  /** At the recent speed of these stages; null: too few results. */
  readonly estimatedMs: number | null;
}

const paceResults = 1_000;
/** A stage without results for this long was idle. */
const breakMs = 60_000;

/** Predicts `reprocess`, without changes. */
export async function planReprocess(context: Operating, filter: ReprocessFilter): Promise<ReprocessPlan> {
  const { database } = context;
  const directory = await readDirectory(context);
  const stage = directory.stage(filter.stage);
  const found = await toResultFilter(context, stage, filter);
  const counted = await reprocess(context, filter, { dryRun: true });
  const here = counted.owed + counted.pending;
  const work: Readonly<Record<string, number>> = {
    ...counted.downstream,
    [stage.name]: here + (counted.downstream[stage.name] ?? 0),
  };
  let estimatedMs: number | null = 0;
  for (const [name, results] of Object.entries(work).filter(([, some]) => some > 0)) {
    const pace = await paceOf(database, { stage: directory.stage(name).id, results: paceResults, breakMs });
    estimatedMs = pace && estimatedMs !== null ? estimatedMs + (results * pace.ms) / pace.results : null;
  }
  const documents = await countDerivedDocuments(database, found);
  return {
    ...counted,
    stage: stage.name,
    documents: Object.fromEntries(documents.map((one) => [one.collection, one.documents])),
    calls: Object.values(work).reduce((sum, results) => sum + results, 0),
    inputCharacters: await inputSize(database, found),
    estimatedMs,
  };
}
