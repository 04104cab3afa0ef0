import type { Database } from "../engine/src/store/database.ts";
import { sql } from "../engine/src/store/sql.ts";

const header = "-- Written by `npm run schema` from engine/migrations: to be read, not to be edited.";

/** The schema from the catalog, in a form independent of the PostgreSQL version since 15. */
export async function dumpSchema(db: Database): Promise<string> {
  await refuseUnknownKinds(db);
  const [tables, columns, constraints, indexes, triggers, sequences, functions] = [
    await readTables(db),
    await readColumns(db),
    await readConstraints(db),
    await readIndexes(db),
    await readTriggers(db),
    await readSequences(db),
    await readFunctions(db),
  ];
  const of = <Row extends { relation: string }>(rows: readonly Row[], { name }: Table) =>
    rows.filter(({ relation }) => relation === name);
  const parts = [
    header,
    sequences.map(writeSequence).join("\n"),
    ...tables.map((table) =>
      [
        writeTable(table, of(columns, table), of(constraints, table)),
        ...[...of(indexes, table), ...of(triggers, table)].map(({ definition }) => `${lower(definition)};`),
        ...writeComments(table, of(columns, table)),
      ].join("\n"),
    ),
    ...functions.map(({ definition }) => `${lowerHead(definition)};`),
  ];
  const text = `${parts.filter(Boolean).join("\n\n")}\n`;
  return text.replaceAll(`"${db.schema}".`, "headway.").replaceAll(`${db.schema}.`, "headway.");
}

interface Table {
  readonly name: string;
  readonly unlogged: boolean;
  readonly options: string | null;
  readonly comment: string | null;
}

interface Column {
  readonly relation: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly initial: string | null;
  /** "a": always, "d": by default, "": none. */
  readonly identity: string;
  /** "s": stored, "v": virtual, "": none. */
  readonly generated: string;
  readonly collation: string | null;
  readonly storage: string | null;
  readonly comment: string | null;
}

interface Definition {
  readonly relation: string;
  readonly name: string;
  readonly definition: string;
}

interface Sequence {
  readonly name: string;
  readonly type: string;
  readonly start: number;
  readonly increment: number;
  readonly cache: number;
  readonly cycle: boolean;
}

/** What is not written here would be missing from the dump without anybody noticing. */
async function refuseUnknownKinds(db: Database): Promise<void> {
  const strangers = await db.query<{ name: string }>(sql`
    select c.relname::text || ' (relation kind ' || c.relkind::text || ')' as name
    from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = ${db.schema})
      and c.relkind not in ('r', 'i', 'S', 't')
    union all
    select t.typname::text || ' (type)'
    from pg_type t
    where t.typnamespace = (select oid from pg_namespace where nspname = ${db.schema})
      and t.typtype in ('e', 'd', 'r')
    union all
    select p.proname::text || ' (aggregate)'
    from pg_proc p
    where p.pronamespace = (select oid from pg_namespace where nspname = ${db.schema})
      and p.prokind not in ('f', 'p')
  `);
  if (strangers.length === 0) return;
  const names = strangers.map(({ name }) => name).join(", ");
  throw new Error(`tools/dump-schema.ts cannot write ${names} yet: teach it.`);
}

const readTables = (db: Database) =>
  db.query<Table>(sql`
    select
      c.relname::text as name,
      c.relpersistence = 'u' as unlogged,
      array_to_string(c.reloptions, ', ') as options,
      obj_description(c.oid, 'pg_class') as comment
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and c.relkind = 'r'
    order by c.relname collate "C"
  `);

const readColumns = (db: Database) =>
  db.query<Column>(sql`
    select
      c.relname::text as relation,
      a.attname::text as name,
      format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required,
      pg_get_expr(d.adbin, d.adrelid) as initial,
      a.attidentity::text as identity,
      a.attgenerated::text as generated,
      case when a.attcollation <> t.typcollation then l.collname::text end as collation,
      case when a.attstorage <> t.typstorage then
        case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end
      end as storage,
      col_description(c.oid, a.attnum) as comment
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
    where n.nspname = ${db.schema} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    order by a.attnum
  `);

/** Without "not null": shown beside its column, and a constraint only in newer versions. */
const readConstraints = (db: Database) =>
  db.query<Definition>(sql`
    select c.relname::text as relation, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and k.contype in ('p', 'u', 'f', 'c', 'x')
    order by position(k.contype::text in 'pufcx'), k.conname collate "C"
  `);

/** Without the indexes of constraints. */
const readIndexes = (db: Database) =>
  db.query<Definition>(sql`
    select c.relname::text as relation, x.relname::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    join pg_class x on x.oid = i.indexrelid
    join pg_class c on c.oid = i.indrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema}
      and c.relkind = 'r'
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    order by x.relname collate "C"
  `);

const readTriggers = (db: Database) =>
  db.query<Definition>(sql`
    select c.relname::text as relation, t.tgname::text as name, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema} and not t.tgisinternal
    order by t.tgname collate "C"
  `);

/** Without the sequences of identity columns. */
const readSequences = (db: Database) =>
  db.query<Sequence>(sql`
    select
      c.relname::text as name,
      format_type(s.seqtypid, null) as type,
      s.seqstart as start,
      s.seqincrement as increment,
      s.seqcache as cache,
      s.seqcycle as cycle
    from pg_sequence s
    join pg_class c on c.oid = s.seqrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${db.schema}
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i'
      )
    order by c.relname collate "C"
  `);

const readFunctions = (db: Database) =>
  db.query<{ definition: string }>(sql`
    select pg_get_functiondef(p.oid) as definition
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${db.schema} and p.prokind in ('f', 'p')
    order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"
  `);

function writeTable(table: Table, columns: readonly Column[], constraints: readonly Definition[]): string {
  const lines = [
    ...columns.map(writeColumn),
    ...constraints.map(({ name, definition }) => `constraint ${name} ${lower(definition)}`),
  ];
  const options = table.options ? ` with (${table.options})` : "";
  const kind = table.unlogged ? "unlogged table" : "table";
  return `create ${kind} headway.${table.name} (\n${lines.map((line) => `  ${line}`).join(",\n")}\n)${options};`;
}

function writeColumn({
  name,
  type,
  required,
  initial,
  identity,
  generated,
  collation,
  storage,
}: Column): string {
  const words = [name, lower(type)];
  if (storage) words.push(`storage ${storage}`);
  if (collation) words.push(`collate "${collation}"`);
  if (required) words.push("not null");
  if (identity) words.push(`generated ${identity === "a" ? "always" : "by default"} as identity`);
  if (generated) words.push(`generated always as (${initial}) ${generated === "s" ? "stored" : "virtual"}`);
  else if (initial !== null) words.push(`default ${lower(initial)}`);
  return words.join(" ");
}

function writeSequence({ name, type, start, increment, cache, cycle }: Sequence): string {
  const words = [`create sequence headway.${name}`];
  if (type !== "bigint") words.push(`as ${type}`);
  if (increment !== 1) words.push(`increment by ${increment}`);
  if (start !== 1) words.push(`start with ${start}`);
  if (cache !== 1) words.push(`cache ${cache}`);
  if (cycle) words.push("cycle");
  return `${words.join(" ")};`;
}

const writeComments = (table: Table, columns: readonly Column[]): string[] => [
  ...(table.comment ? [`comment on table headway.${table.name} is ${literal(table.comment)};`] : []),
  ...columns
    .filter(({ comment }) => comment)
    .map(
      ({ name, comment }) =>
        `comment on column headway.${table.name}.${name} is ${literal(comment as string)};`,
    ),
];

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Keywords and type names in lower case; quoted text stays. */
const lower = (text: string) =>
  text
    .replace(/'(?:[^']|'')*'|"[^"]*"|\b[A-Z]+\b/g, (word) => (/^['"]/.test(word) ? word : word.toLowerCase()))
    .replaceAll("timestamp with time zone", "timestamptz")
    .replace(/ using btree(?= \()/, "");

/** The body of a function stays as written. */
function lowerHead(definition: string): string {
  const [head = "", ...body] = definition.trimEnd().split(/(?=\$(?:function|procedure)\$)/);
  return lower(head) + body.join("");
}
