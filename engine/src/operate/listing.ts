import { shownStatus } from "../decide/task.ts";
import type { JsonObject } from "../define/stage.ts";
import { type DocumentState, type ListedRow, listDocuments } from "../store/listing.ts";
import { type Operating, readDirectory } from "./context.ts";

/** A selection of documents; all given conditions have to match. */
export interface DocumentFilter {
  /** The collection to list. */
  readonly collection: string;
  /** Only these documents. */
  readonly ids?: readonly string[];
  /** Only documents that contain one of these: `{ list: "announce" }`. */
  readonly where?: readonly JsonObject[];
  /** Only documents in this state. */
  readonly state?: DocumentState | undefined;
  /** Only the state at this stage counts. */
  readonly stage?: string | undefined;
  /** Only documents with a task owed for at least so long. */
  readonly stuckMs?: number | undefined;
}

/** A document with its state, also in the words of the seeds. */
export interface ListedDocument extends ListedRow {
  readonly status: ReturnType<typeof shownStatus>;
}

/** A page of a collection by id, with the state of each document; content only on request. */
export async function documents(
  context: Operating,
  filter: DocumentFilter,
  { after = "", limit = 100, body = false }: { after?: string; limit?: number; body?: boolean } = {},
): Promise<ListedDocument[]> {
  const directory = await readDirectory(context);
  const now = context.clock.now();
  const { stuckMs } = filter;
  const rows = await listDocuments(context.database, {
    collection: directory.collection(filter.collection).id,
    where: filter.where ?? [],
    ...(filter.ids && { ids: filter.ids }),
    after,
    limit,
    body,
    now,
    ...(stuckMs !== undefined && { owedBefore: new Date(now.getTime() - stuckMs) }),
    ...(filter.state !== undefined && { state: filter.state }),
    ...(filter.stage !== undefined && { stage: directory.stage(filter.stage).id }),
  });
  return rows.map((row) => ({ ...row, status: shownStatus(taskState(row.state), row.failures) }));
}

const taskState = (state: DocumentState) => (state === "done" || state === "dead" ? state : "pending");
