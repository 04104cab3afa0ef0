import { createHash } from "node:crypto";
import {
  type Consensus,
  type Exportable,
  exportable,
  exportRows,
  readSettings,
  startConsensus,
} from "@headway/consensus";

export interface Quote {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}
export interface Person {
  readonly name: string;
  readonly address: string;
}
export interface MessageRow {
  readonly id: string;
  readonly messageId: string;
  readonly subject: string;
  readonly from: Person;
  readonly parent: string | null;
  readonly thread: string;
  readonly text: string;
  readonly clean: string;
  readonly occurrences: readonly { readonly archive: string; readonly mail: string }[];
  readonly flags: readonly string[];
}
export interface ThreadRow {
  readonly id: string;
  readonly subject: string;
  readonly messages: readonly string[];
}
export interface ChunkRow {
  readonly id: string;
  readonly message: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
export interface SummaryRow {
  readonly thread: string;
  readonly level: string;
  readonly tally: { readonly for: number; readonly against: number; readonly abstain: number } | null;
  readonly sentences: readonly { readonly text: string; readonly citations: readonly Quote[] }[];
  readonly decisions: readonly (Quote & { readonly kind: string; readonly by: Person })[];
  readonly votes: readonly (Quote & {
    readonly by: Person;
    readonly value: number;
    readonly binding: boolean | null;
    readonly counts: boolean;
  })[];
}
export interface PositionRow extends Quote {
  readonly id: string;
  readonly thread: string;
  readonly person: Person;
  readonly stance: string;
  readonly supersededBy: string | null;
}

export interface Exported {
  readonly messages: readonly MessageRow[];
  readonly threads: readonly ThreadRow[];
  readonly chunks: readonly ChunkRow[];
  readonly summaries: readonly SummaryRow[];
  readonly positions: readonly PositionRow[];
}

/** All exportable rows, as printed. */
export async function exportAll({ engine }: Pick<Consensus, "engine">): Promise<Exported> {
  const rows: Partial<Record<Exportable, unknown[]>> = {};
  for (const kind of exportable) {
    const found: unknown[] = [];
    for await (const row of exportRows(engine, kind)) found.push(JSON.parse(JSON.stringify(row)));
    rows[kind] = found;
  }
  return rows as unknown as Exported;
}

/** The same for a data folder not open elsewhere. */
export async function exportFolder(data: string): Promise<Exported> {
  const consensus = await startConsensus({ data, settings: readSettings({}), work: false });
  try {
    return await exportAll(consensus);
  } finally {
    await consensus.stop();
  }
}

/** A line for each kind: the number of rows, and a hash of their content. */
export const digestsOf = (exported: Exported): Record<Exportable, string> =>
  Object.fromEntries(
    exportable.map((kind) => {
      const hash = createHash("sha256").update(JSON.stringify(exported[kind])).digest("hex");
      return [kind, `${exported[kind].length} rows, ${hash.slice(0, 16)}`];
    }),
  ) as Record<Exportable, string>;
