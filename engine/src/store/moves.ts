import type { Database, Queryable } from "./database.ts";
import { quoted, quotedText, type Statement, sql, statementOf } from "./sql.ts";

/** A table with the facts needed for a copy. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key. */
  readonly keys: readonly string[];
  /** Text columns of the key: text is ordered differently by each database. */
  readonly textKeys: readonly string[];
  /** Tables behind foreign keys. */
  readonly refers: readonly string[];
}

/** Tables of the schema, referred tables first. */
export async function listTables(db: Database): Promise<MovedTable[]> {
  const rows = await db.query<MovedTable>(sql`
    select c.relname::text as name,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum
      ) as columns,
      array(
        select a.attname::text
        from pg_index i
        cross join unnest(i.indkey::int2[]) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary
        order by k.place
      ) as keys,
      array(
        select a.attname::text
        from pg_index i
        cross join unnest(i.indkey::int2[]) as k (number)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary and a.attcollation <> 0
      ) as "textKeys",
      array(
        select distinct r.relname::text
        from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and r.oid <> c.oid
      ) as refers
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and c.relkind = 'r'
    order by c.relname`);
  return referredFirst(rows);
}

function referredFirst(tables: readonly MovedTable[]): MovedTable[] {
  const ordered: MovedTable[] = [];
  const placed = new Set<string>();
  const place = (table: MovedTable): void => {
    if (placed.has(table.name)) return;
    placed.add(table.name);
    for (const name of table.refers) {
      const referred = tables.find((one) => one.name === name);
      if (referred) place(referred);
    }
    ordered.push(table);
  };
  tables.forEach(place);
  return ordered;
}

const tableOf = ({ name }: MovedTable): Statement => statementOf(`headway.${quoted(name)}`);

/** Columns of the key, in the same order for every database. */
const orderOf = ({ keys, textKeys }: MovedTable, alias: string): Statement =>
  statementOf(
    keys.map((key) => `${alias}.${quoted(key)}${textKeys.includes(key) ? ' collate "C"' : ""}`).join(", "),
  );

/** Rows after a row, as JSON, up to a number of characters. */
export async function readRows(
  db: Queryable,
  table: MovedTable,
  { after, rowsMax, charsMax }: { after: string | null; rowsMax: number; charsMax: number },
): Promise<string[]> {
  const rest =
    after === null
      ? sql`true`
      : sql`(${orderOf(table, "t")}) > (
          select ${orderOf(table, "a")} from jsonb_populate_record(null::${tableOf(table)}, ${after}::jsonb) a)`;
  const rows = await db.query<{ row: string }>(sql`
    select l.row
    from (
      select p.row, p.place, sum(length(p.row)) over (order by p.place) as chars
      from (
        select to_jsonb(t)::text as row, row_number() over (order by ${orderOf(table, "t")}) as place
        from (
          select * from ${tableOf(table)} t where ${rest} order by ${orderOf(table, "t")} limit ${rowsMax}
        ) t
      ) p
    ) l
    where l.place = 1 or l.chars <= ${charsMax}
    order by l.place`);
  return rows.map(({ row }) => row);
}

/** The last row of a broken-off copy, as JSON. */
export async function lastRow(db: Queryable, table: MovedTable): Promise<string | null> {
  const order = table.keys
    .map((key) => `t.${quoted(key)}${table.textKeys.includes(key) ? ' collate "C"' : ""} desc`)
    .join(", ");
  const [row] = await db.query<{ row: string }>(sql`
    select to_jsonb(t)::text as row from ${tableOf(table)} t order by ${statementOf(order)} limit 1`);
  return row?.row ?? null;
}

export const writeRows = (db: Queryable, table: MovedTable, rows: readonly string[]) => {
  const columns = statementOf(table.columns.map(quoted).join(", "));
  return db.query(sql`
    insert into ${tableOf(table)} (${columns})
    overriding system value
    select ${columns} from jsonb_populate_recordset(null::${tableOf(table)}, ${`[${rows.join(",")}]`}::jsonb)
    on conflict do nothing`);
};

export const emptyTable = (db: Queryable, table: MovedTable) => db.query(sql`delete from ${tableOf(table)}`);

export interface TableSum {
  readonly rows: number;
  /** Sum of the hashes of all rows, in any order. */
  readonly hash: string;
}

/** Counts and hashes all rows; moments are written in UTC, so two servers write the same. */
export const sumTable = (db: Database, table: MovedTable): Promise<TableSum> =>
  db.transaction(async (tx) => {
    await tx.query(statementOf("set local timezone to 'UTC'"));
    const [row] = await tx.query<TableSum>(sql`
      select count(*)::int8 as rows,
        coalesce(sum(('x' || substr(md5(to_jsonb(t)::text), 1, 15))::bit(60)::int8), 0)::text as hash
      from ${tableOf(table)} t`);
    return row as TableSum;
  });

export const listSequences = async (db: Database): Promise<string[]> => {
  const rows = await db.query<{ name: string }>(sql`
    select c.relname::text as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and c.relkind = 'S'
    order by c.relname`);
  return rows.map(({ name }) => name);
};

/** Numbers go on after the last number, also of deleted rows. */
export async function copySequence(from: Queryable, to: Queryable, name: string): Promise<void> {
  const sequence = `headway.${quoted(name)}`;
  const [row] = await from.query<{ last: number; called: boolean }>(
    statementOf(`select last_value as last, is_called as called from ${sequence}`),
  );
  if (row)
    await to.query(sql`select setval(${statementOf(quotedText(sequence))}, ${row.last}, ${row.called})`);
}

/** The remark on the schema: a broken-off move of this source. */
export async function readRemark(db: Database): Promise<string | null> {
  const [row] = await db.query<{ remark: string | null }>(sql`
    select obj_description(n.oid, 'pg_namespace') as remark from pg_namespace n where n.nspname = ${db.schema}`);
  return row?.remark ?? null;
}

export const writeRemark = (db: Database, remark: string | null) =>
  db.query(
    statementOf(`comment on schema ${quoted(db.schema)} is ${remark === null ? "null" : quotedText(remark)}`),
  );
