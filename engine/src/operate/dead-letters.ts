import { routingKeyOf } from "../decide/envelope.ts";
import { seedLetterFields } from "../decide/seed-words.ts";
import { suggestedFix } from "../decide/suggested-fixes.ts";
import { DefinitionError } from "../define/definition-error.ts";
import { type Duration, durationMs } from "../define/duration.ts";
import type { Queryable } from "../store/database.ts";
import {
  countDeadLetters,
  type DeadGroupRow,
  type DeadLetterFilter,
  type DeadLetterRow,
  groupDeadLetters,
  listDeadLetters,
  readDeadLetters,
  type WholeDeadLetterRow,
} from "../store/dead-letters.ts";
import { fixesOf, type Operating, pageSize, readDirectory } from "./context.ts";

/** A selection of dead letters; all given conditions have to match. */
export interface DeadFilter {
  /** Only of this stage. */
  readonly stage?: string;
  /** Only with this fault code. */
  readonly code?: string;
  /** Only with this fingerprint of the fault. */
  readonly fingerprint?: string;
  /** Numbers of dead letters. */
  readonly ids?: readonly number[];
  /** Ids of documents, keys of groups. */
  readonly documents?: readonly string[];
  /** A moment, or an age. */
  readonly olderThan?: Date | Duration;
  /** Only deaths since this moment, or within so long. */
  readonly newerThan?: Date | Duration;
  /** Closed letters are hidden by default. */
  readonly state?: "open" | "closed" | "all";
}

/** A page: after a number, with a limit. */
export interface Paging {
  /** At most so many. */
  readonly limit?: number;
  /** Number of the last item of the previous page. */
  readonly after?: number;
}

const listMax = 1_000;
const exportPage = 50;

/** A page of dead letters, oldest first; read only. */
export async function listDead(
  context: Operating,
  { limit = 100, after = 0, ...filter }: DeadFilter & Paging = {},
): Promise<DeadLetterRow[]> {
  const page = { after, limit: Math.min(limit, listMax) };
  return await listDeadLetters(context.database, await toFilter(context, filter), page);
}

/** Dead letters with one cause. */
export interface DeadGroup extends DeadGroupRow {
  /** Advice for a person. */
  readonly fix: string;
}

/** Dead letters by cause of death; a group is marked as worth a retry if its stage has newer code. */
export async function groupDead(
  context: Operating,
  { limit = 100, ...filter }: DeadFilter & { limit?: number } = {},
): Promise<DeadGroup[]> {
  const groups = await groupDeadLetters(context.database, await toFilter(context, filter), limit);
  return groups.map((group) => ({ ...group, fix: suggestedFix(group, fixesOf(context)) }));
}

/** One dead letter with its original input and the whole history of faults. */
export async function inspectDead(context: Operating, id: number): Promise<WholeDeadLetterRow> {
  const [row] = await readDeadLetters(
    context.database,
    { ids: [id], state: "all" },
    { after: id - 1, limit: 1 },
  );
  if (!row)
    throw new DefinitionError(`There is no dead letter ${id}: it was requeued, or its document deleted.`);
  return row;
}

/** A dead letter as plain JSON, one line of an export. */
export type ExportedDeadLetter = Omit<
  WholeDeadLetterRow,
  "stage_number" | "input_hash" | "died_at" | "closed_at"
> & {
  readonly input_hash: string | null;
  readonly died_at: string;
  readonly closed_at: string | null;
} & ReturnType<typeof seedLetterFields> & { readonly timestamp: string };

/** All matching dead letters, whole, oldest first, page by page, in constant memory. */
export async function* exportDead(
  context: Operating,
  { limit = Number.POSITIVE_INFINITY, after: from = 0, ...filter }: DeadFilter & Paging = {},
): AsyncGenerator<ExportedDeadLetter, void, undefined> {
  const found = await toFilter(context, filter);
  let left = limit;
  for (let after = from; left > 0; ) {
    const page = await readDeadLetters(context.database, found, { after, limit: Math.min(exportPage, left) });
    for (const row of page) yield toExport(row);
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
    left -= page.length;
  }
}

function toExport({ stage_number: _, input_hash: hash, ...row }: WholeDeadLetterRow): ExportedDeadLetter {
  return {
    ...row,
    input_hash: hash?.toString("hex") ?? null,
    died_at: row.died_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    ...seedLetterFields(row),
    timestamp: row.died_at.toISOString(),
  };
}

/** Number of matching letters by stage; at most `limit`, oldest first. */
export async function countDead(
  { database }: Pick<Operating, "database">,
  found: DeadLetterFilter,
  limit: number,
): Promise<{ letters: number; stages: Record<string, number> }> {
  const stages: Record<string, number> = {};
  let letters = 0;
  if (limit === Number.POSITIVE_INFINITY) {
    for (const one of await countDeadLetters(database, found)) {
      stages[one.stage] = one.letters;
      letters += one.letters;
    }
    return { letters, stages };
  }
  for (let after = 0; letters < limit; ) {
    const page = await listDeadLetters(database, found, {
      after,
      limit: Math.min(pageSize, limit - letters),
    });
    for (const { stage } of page) stages[stage] = (stages[stage] ?? 0) + 1;
    letters += page.length;
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
  }
  return { letters, stages };
}

/** A stage by its name, or by its failed queue: `parsing.failed`, `embedding.generation.failed`, `archives.failed`. */
async function stageNumber(
  context: Partial<Pick<Operating, "pipelines">> & { readonly database: Queryable },
  name: string,
): Promise<number> {
  const directory = await readDirectory(context);
  const queue = name.replace(/\.failed$/, "");
  if (queue === name || directory.stages.some((stage) => stage.name === queue))
    return directory.stage(queue).id;
  const stages = (context.pipelines ?? []).flatMap((pipeline) => pipeline.stages);
  const found =
    stages.find(({ announces: { failed } }) => failed !== undefined && routingKeyOf(failed) === name) ??
    stages.find(({ reads }) => reads.name === queue);
  return directory.stage(found?.name ?? queue).id;
}

/** Inside a transaction, pass the transaction as `database`. */
export async function toFilter(
  context: Pick<Operating, "clock"> &
    Partial<Pick<Operating, "pipelines">> & { readonly database: Queryable },
  filter: DeadFilter,
): Promise<DeadLetterFilter> {
  const { stage, olderThan, newerThan, state = "open", ...rest } = filter;
  const moment = (given: Date | Duration): Date =>
    given instanceof Date ? given : new Date(context.clock.now().getTime() - durationMs(given));
  return {
    ...rest,
    state,
    ...(stage !== undefined && { stage: await stageNumber(context, stage) }),
    ...(olderThan !== undefined && { diedBefore: moment(olderThan) }),
    ...(newerThan !== undefined && { diedAfter: moment(newerThan) }),
  };
}

/** A filter as text, for the audit. */
export function showFilter(filter: DeadFilter): string {
  const parts = Object.entries(filter).map(([name, value]) => {
    const shown = Array.isArray(value) ? value.slice(0, 20).join(",") : String(value);
    return `${name}=${value instanceof Date ? value.toISOString() : shown}`;
  });
  return `dead letters ${parts.join(" ")}`.trim();
}
