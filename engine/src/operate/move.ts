import { DefinitionError } from "../define/definition-error.ts";
import type { Database } from "../store/database.ts";
import {
  copySequence,
  emptyTable,
  lastRow,
  listSequences,
  listTables,
  type MovedTable,
  readRemark,
  readRows,
  sumTable,
  type TableSum,
  writeRemark,
  writeRows,
} from "../store/moves.ts";

/** A table after the move: the same number of rows with the same hash on both sides. */
export interface MovedCount extends TableSum {
  readonly table: string;
}

export interface Moved {
  readonly tables: readonly MovedCount[];
  readonly rows: number;
  /** True: an earlier move to this place was broken off, and has been continued. */
  readonly resumed: boolean;
}

export interface MoveOptions {
  /** Without a working process. */
  readonly from: Database;
  /** Migrated, and empty, or left by a broken-off move of the same source. */
  readonly to: Database;
  /** Records the act at the source, before the first row is copied. */
  readonly begin: () => Promise<void>;
  readonly onTable?: (table: string, rows: number) => void;
}

const pages = { rowsMax: 500, charsMax: 4_000_000 } as const;

/** Tables of a database's own processes, or made anew at the next start. */
const stays = /^(?:migration.*|projection|worker|claim|singleton)$/;

/**
 * Copies every table in the order of the key, a page per transaction, then compares counts and hashes. A broken-off move
 * goes on after the last copied row.
 */
export async function moveDatabase({ from, to, begin, onTable }: MoveOptions): Promise<Moved> {
  const remark = `headway move from ${from.place} is not finished`;
  const tables = (await listTables(from)).filter(({ name }) => !stays.test(name));
  await refuseLacking(to, tables);
  const resumed = (await readRemark(to)) === remark;
  if (!resumed) await refuseUsed(to, tables);
  if (!resumed) await begin();
  await writeRemark(to, remark);
  for (const table of tables) {
    const rows = await copyTable(from, to, table);
    onTable?.(table.name, rows);
  }
  for (const name of await listSequences(from)) await copySequence(from, to, name);
  const sums = await compareTables(from, to, tables);
  await writeRemark(to, null);
  return { tables: sums, rows: sums.reduce((sum, { rows }) => sum + rows, 0), resumed };
}

async function refuseLacking(to: Database, tables: readonly MovedTable[]): Promise<void> {
  const there = new Map((await listTables(to)).map((table) => [table.name, table]));
  for (const { name, columns } of tables) {
    const known = there.get(name)?.columns;
    if (known && columns.every((column) => known.includes(column))) continue;
    throw new DefinitionError(
      `The source has a table "${name}" that ${to.place} lacks, in whole or in part: move with the version and the application that made it.`,
    );
  }
}

async function refuseUsed(to: Database, tables: readonly MovedTable[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sumTable(to, table);
    if (rows > 0)
      throw new DefinitionError(
        `${to.place} is not empty (table ${table.name}), and nothing in it is overwritten: give an empty database or another schema (?schema=NAME).`,
      );
  }
}

/** A table without a key cannot be continued, and is copied anew. */
async function copyTable(from: Database, to: Database, table: MovedTable): Promise<number> {
  if (table.keys.length === 0) await emptyTable(to, table);
  let after = table.keys.length === 0 ? null : await lastRow(to, table);
  for (let copied = 0; ; ) {
    const rows = await readRows(from, table, { after, ...pages });
    if (rows.length === 0) return copied;
    await to.transaction((tx) => writeRows(tx, table, rows));
    copied += rows.length;
    after = rows.at(-1) ?? null;
    if (table.keys.length === 0) return copied;
  }
}

async function compareTables(
  from: Database,
  to: Database,
  tables: readonly MovedTable[],
): Promise<MovedCount[]> {
  const sums: MovedCount[] = [];
  for (const table of tables) {
    const [one, other] = [await sumTable(from, table), await sumTable(to, table)];
    if (one.rows !== other.rows || one.hash !== other.hash)
      throw new DefinitionError(
        `Table ${table.name} differs after the move: ${one.rows} rows here, ${other.rows} there. Something wrote to the source meanwhile: drop the schema ${to.schema} at the target and move again.`,
      );
    sums.push({ table: table.name, ...one });
  }
  return sums;
}

/** What a move would copy. */
export async function measureMove(from: Database): Promise<Moved> {
  const tables: MovedCount[] = [];
  for (const table of await listTables(from))
    if (!stays.test(table.name)) tables.push({ table: table.name, ...(await sumTable(from, table)) });
  return { tables, rows: tables.reduce((sum, { rows }) => sum + rows, 0), resumed: false };
}
