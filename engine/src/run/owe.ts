import type { Database } from "../store/database.ts";
import { findUngrouped, findUnowed } from "../store/documents.ts";
import { joinGroups } from "../store/groups.ts";
import type { Numbers } from "../store/numbers.ts";
import { moveOwing, readOwing } from "../store/owing.ts";
import { oweNew } from "../store/tasks.ts";
import type { Clock } from "./clock.ts";
import type { Graph, PlannedStage } from "./graph.ts";

export interface OweParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly graph: Graph;
  readonly numbers: Numbers;
  readonly wake: (stages: readonly number[]) => void;
}

export interface OwedPage {
  /** Documents without a record of the stage. */
  readonly found: number;
  /** Start of the next page; null: this was the last. */
  readonly last: number | null;
  /** The error of `per` for a document without a group. */
  readonly problem: unknown;
}

const pageSize = 1_000;

/**
 * Owes a stage to a page of documents without a record of the stage. `cursor`: the page belongs to a new stage's
 * backlog, and the progress is written in the same transaction; a crash repeats the page, which changes nothing.
 */
export async function owePage(
  plan: PlannedStage,
  after: number,
  parts: OweParts,
  { dryRun = false, cursor = false } = {},
): Promise<OwedPage> {
  const { db, clock, numbers } = parts;
  const { number: collection } = parts.graph.collection(plan.stage.reads.name);
  const page = { collection, stage: plan.number, after, limit: pageSize };
  if (!plan.stage.per) {
    const { last, missing } = await findUnowed(db, page);
    const owed = missing.map((one) => ({ ...one, stage: plan.number }));
    if (!dryRun && (owed.length > 0 || cursor))
      await db.transaction(async (tx) => {
        if (owed.length > 0) await oweNew(tx, owed, clock.now());
        if (cursor) await moveOwing(tx, { stage: plan.number, from: after, to: last });
      });
    return { found: owed.length, last, problem: null };
  }
  const { last, missing } = await findUngrouped(db, page);
  const { joining, problem } = groupsOf(plan, missing);
  if (!dryRun && (joining.length > 0 || cursor))
    await db.transaction(async (tx) => {
      if (joining.length > 0) await joinGroups(tx, joining, numbers, clock.now());
      if (cursor) await moveOwing(tx, { stage: plan.number, from: after, to: last });
    });
  return { found: joining.length, last, problem };
}

type Ungrouped = Awaited<ReturnType<typeof findUngrouped>>["missing"];

/** One document without a valid group must not affect the rest. */
function groupsOf({ stage, number }: PlannedStage, documents: Ungrouped) {
  const { quietMs } = stage;
  let problem: unknown = null;
  const joining = documents.flatMap(({ subject, id, body, rank, request }) => {
    try {
      const key = (stage.per as (document: object) => string)({ ...body, id });
      return [{ document: subject, stage: number, key, quietMs, rank, request }];
    } catch (error) {
      problem ??= error;
      return [];
    }
  });
  return { joining, problem };
}

/** Owes new stages to older documents, in pages. Concurrent workers do no harm. */
export async function oweExisting(parts: OweParts): Promise<number> {
  let owed = 0;
  for (;;) {
    const owing = await readOwing(parts.db);
    const plan = parts.graph.stages.find(({ number }) => owing.has(number));
    if (!plan) return owed;
    const { found } = await owePage(plan, owing.get(plan.number) as number, parts, { cursor: true });
    owed += found;
    parts.wake([plan.number]);
  }
}
