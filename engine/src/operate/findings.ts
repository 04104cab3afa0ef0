import { listFindings } from "../store/done.ts";
import { type Operating, readDirectory } from "./context.ts";

/** A stored result that its stage did not expect. */
export interface FindingLine {
  readonly subject: number;
  readonly stage: string;
  /** The collection of the input; null for a group. */
  readonly collection: string | null;
  /** Id of the input, or key of the group. */
  readonly id: string;
  readonly outputs: number;
  readonly finding: string;
  readonly finishedAt: Date;
}

/** Results that their stages did not expect, by subject; `after`: subject of the last line seen. */
export async function findings(
  context: Operating,
  {
    stage,
    after = 0,
    limit = 100,
  }: { readonly stage?: string | undefined; readonly after?: number; readonly limit?: number } = {},
): Promise<FindingLine[]> {
  const directory = await readDirectory(context);
  const rows = await listFindings(context.database, {
    stage: stage === undefined ? null : directory.stage(stage).id,
    after,
    limit,
  });
  return rows.map((row) => ({
    subject: row.subject,
    stage: directory.stageName(row.stage),
    collection: row.collection === null ? null : directory.collectionName(row.collection),
    id: row.id,
    outputs: row.outputs,
    finding: row.finding,
    finishedAt: row.finished_at,
  }));
}
