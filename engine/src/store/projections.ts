import { canonicalJson } from "../decide/hash.ts";
import type { ProjectionMeaning } from "../decide/own.ts";
import { DefinitionError } from "../define/definition-error.ts";
import type { Database, Queryable } from "./database.ts";
import { readOwners } from "./owners.ts";
import { readSchemaOf } from "./read-views.ts";
import { listCollections } from "./registry.ts";
import { type Column, quoted, type Statement, sql, statementOf } from "./sql.ts";

/** Part of each statement that writes documents: projections show them from the same commit on. */
export const project = (written: {
  readonly collections: Column;
  readonly ids: Column;
  readonly bodies: Column;
}): Statement => sql`headway.project(${written.collections}, ${written.ids}, ${written.bodies})`;

/** Part of each statement that hides documents. */
export const unproject = (subjects: Column): Statement => sql`headway.unproject(${subjects})`;

interface Projected {
  readonly name: string;
  readonly collection: number;
  readonly definition: ProjectionMeaning;
}

/**
 * Makes the tables of declared projections, anew if a declaration has changed, and drops the others. Nothing is written if all
 * are as declared.
 */
export async function publishProjections(db: Database): Promise<void> {
  const wanted = await readWanted(db);
  if (isSame(wanted, await readProjections(db, readSchemaOf(db)))) return;
  await db.transaction(async (tx) => {
    await tx.query(sql`lock table headway.projection in share row exclusive mode`);
    const known = await readProjections(tx, readSchemaOf(db));
    const stays = (one: Projected, others: readonly Projected[]) =>
      others.some((other) => isSame([one], [other]));
    for (const one of known.filter((each) => !stays(each, wanted))) {
      await tx.query(sql`delete from headway.projection where name = ${one.name}`);
      await tx.query(statementOf(`drop table if exists ${tableOf(one)}`));
    }
    for (const one of wanted.filter((each) => !stays(each, known))) await makeTable(tx, one);
    // Waits for statements that are writing documents: what they write is built, what comes later is projected.
    await tx.query(sql`lock table headway.document in share row exclusive mode`);
    await tx.query(statementOf(projectFunction(wanted)));
    await tx.query(statementOf(unprojectFunction(wanted)));
  });
}

/** A projection without its table, e.g. after a restore of the other schema alone, does not count. */
const readProjections = (db: Queryable, schema: string): Promise<Projected[]> =>
  db.query<Projected>(sql`
    select p.name, p.collection, p.definition
    from headway.projection p
    join pg_tables t on t.schemaname = ${schema} and t.tablename = p.name
    order by p.name`);

const textOf = (all: readonly Projected[]): string =>
  canonicalJson(all.map(({ name, collection, definition }) => ({ name, collection, definition })));
const isSame = (some: readonly Projected[], others: readonly Projected[]): boolean =>
  textOf(some) === textOf(others);

/** Those of all pipelines of the database; without those that need an extension which is not to be had. */
async function readWanted(db: Database): Promise<Projected[]> {
  const owners = (await readOwners(db)).filter((one) => one.kind === "projection");
  const numbers = new Map((await listCollections(db)).map(({ id, name }) => [name, id]));
  const wanted = new Map<string, Projected>();
  for (const { name, meaning } of owners) {
    const definition = meaning as ProjectionMeaning;
    if (definition.extension && !(await hasExtension(db, definition.extension))) continue;
    wanted.set(name, { name, collection: numbers.get(definition.of) as number, definition });
  }
  for (const name of wanted.keys()) {
    if (!numbers.has(name)) continue;
    throw new DefinitionError(
      `The projection "${name}" has the name of a collection, and both are read as headway_read."${name}": give one of them another name.`,
    );
  }
  return [...wanted.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Installs an extension where that is possible: the server has it, and this user may. */
async function hasExtension(db: Database, extension: string): Promise<boolean> {
  const [found] = await db.query<{ installed: boolean }>(sql`
    select e.installed_version is not null as installed from pg_available_extensions e where e.name = ${extension}`);
  if (!found || found.installed) return found !== undefined;
  return await db.script(`create extension if not exists ${quoted(extension)}`).then(
    () => true,
    async () => (await db.query(sql`select 1 from pg_extension where extname = ${extension}`)).length > 0,
  );
}

const tableOf = ({ name }: Projected): string => `headway_read.${quoted(name)}`;

async function makeTable(tx: Queryable, one: Projected): Promise<void> {
  const { name, collection, definition } = one;
  const columns = definition.columns.map(([column, type]) => `, ${quoted(column)} ${type}`).join("");
  await tx.query(statementOf(`create table ${tableOf(one)} (id text collate "C" primary key${columns})`));
  for (const [using, ...on] of definition.indexes)
    await tx.query(
      statementOf(`create index on ${tableOf(one)} using ${using} (${on.map(quoted).join(", ")})`),
    );
  await tx.query(sql`
    insert into headway.projection (name, collection, definition, built_after)
    values (${name}, ${collection}, ${JSON.stringify(definition)}::jsonb, 0)
    on conflict (name) do update
    set collection = excluded.collection, definition = excluded.definition, built_after = excluded.built_after`);
}

const projectFunction = (all: readonly Projected[]): string => `
  create or replace function headway.project(the_collections int2[], the_ids text[], the_bodies text[]) returns int4
  language plpgsql as $projections$
  begin${all.map(projectOne).join("")}
    return 0;
  end $projections$`;

/** Bodies are parsed once, for all columns. */
function projectOne(one: Projected): string {
  const { collection, definition } = one;
  const names = definition.columns.map(([name]) => quoted(name));
  return `
    if ${collection}::int2 = any (the_collections) then
      with written as materialized (
        select w.id, w.body::jsonb as body
        from unnest(the_collections, the_ids, the_bodies) as w (collection, id, body)
        where w.collection = ${collection}
      )
      insert into ${tableOf(one)} (id, ${names.join(", ")})
      select id, ${definition.columns.map(([, , value]) => `(${value})`).join(", ")}
      from written
      on conflict (id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(", ")};
    end if;`;
}

/** Without scans: the plan is kept for the session, and may have been made for empty tables. */
const unprojectFunction = (all: readonly Projected[]): string => `
  create or replace function headway.unproject(the_subjects int8[]) returns int4
  language plpgsql
  set enable_seqscan = off
  as $projections$
  begin${all
    .map(
      (one) => `
    delete from ${tableOf(one)} p
    using headway.document d
    where d.subject = any (the_subjects) and d.collection = ${one.collection} and p.id = d.id;`,
    )
    .join("")}
    return 0;
  end $projections$`;

/** The functions of a database without projections. */
export const noProjections: readonly string[] = [projectFunction([]), unprojectFunction([])];

const pageSize = 1_000;

/** Projections with documents still to come, from before they were declared. */
export async function findUnbuilt(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select name from headway.projection where built_after is not null order by name`);
  return rows.map((row) => row.name);
}

/**
 * Puts a page of older documents into a projection; false: that was the last. Documents are locked, so none is removed before
 * the page is committed. The progress is part of the transaction.
 */
export async function buildPage(db: Database, name: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const [row] = await tx.query<{ collection: number; built_after: number | null }>(sql`
      select collection, built_after from headway.projection where name = ${name} for update`);
    if (!row || row.built_after === null) return false;
    const [page] = await tx.query<{ last: number | null }>(sql`
      with page as materialized (
        select subject, collection, id, body
        from headway.document
        where subject > ${row.built_after} and collection = ${row.collection} and gone_at is null
        order by subject
        limit ${pageSize}
        for share
      )
      select max(subject) as last, headway.project(array_agg(collection), array_agg(id), array_agg(body::text)) from page`);
    const last = page?.last ?? null;
    await tx.query(sql`update headway.projection set built_after = ${last}::int8 where name = ${name}`);
    return last !== null;
  });
}
