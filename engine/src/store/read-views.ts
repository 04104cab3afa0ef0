import { DefinitionError } from "../define/definition-error.ts";
import type { Database } from "./database.ts";
import { quoted, quotedText, sql, statementOf } from "./sql.ts";

/** The schema for people who write SQL: a view of each collection, and the projections. */
export const readSchemaOf = ({ schema }: Pick<Database, "schema">): string => `${schema}_read`;

/** Names that no collection can have: theirs begin with a letter. */
const [deadLetters, tasks] = ["_dead_letters", "_tasks"];

/**
 * Makes a view of each collection: visible documents only. Columns are a promise; a new one may be added at the end. Nothing is
 * written if all views exist.
 */
export async function publishViews(db: Database, collections: readonly string[]): Promise<void> {
  const rows = await db.query<{ name: string }>(sql`
    select viewname as name from pg_views where schemaname = ${readSchemaOf(db)}`);
  const there = new Set(rows.map((row) => row.name));
  const missing = collections.filter((name) => !there.has(name));
  if (missing.length === 0 && there.has(deadLetters) && there.has(tasks)) return;
  await makeReadSchema(db);
  await db.transaction(async (tx) => {
    // One process at a time: "or replace" is no protection against another one that creates the same view.
    await tx.query(sql`lock table headway.projection in share row exclusive mode`);
    for (const name of missing) await tx.query(statementOf(viewOf(name)));
    for (const text of [viewOfDead, viewOfTasks]) await tx.query(statementOf(text));
  });
}

async function makeReadSchema(db: Database): Promise<void> {
  const [schema] = await db.query(sql`select 1 from pg_namespace where nspname = ${readSchemaOf(db)}`);
  if (schema) return;
  try {
    await db.script(`create schema if not exists ${quoted(readSchemaOf(db))}`);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    // Another process was faster.
    if (code === "23505" || code === "42P06") return;
    throw new DefinitionError(
      `The schema ${readSchemaOf(db)} in ${db.place} is missing and cannot be created (${message}): have it created for this user.`,
    );
  }
}

const viewOf = (name: string): string => `
  create or replace view headway_read.${quoted(name)} as
  select d.id, d.body, d.created_at, d.changed_at
  from headway.document d
  where d.collection = (select c.id from headway.collection c where c.name = ${quotedText(name)}) and d.gone_at is null`;

const viewOfDead = `
  create or replace view headway_read.${quoted(deadLetters)} as
  select x.id, s.name as stage, c.name as collection, d.id as document, x.kind, x.code, x.fault ->> 'message' as message, x.died_at
  from headway.dead_letter x
  join headway.stage s on s.id = x.stage
  left join headway.document d on d.subject = x.subject
  left join headway.collection c on c.id = d.collection
  where d.gone_at is null`;

/** Each stage of each visible document, as it stands; a task in the hands of a worker is waiting here. */
const viewOfTasks = `
  create or replace view headway_read.${quoted(tasks)} as
  select c.name as collection, d.id as document, s.name as stage, w.state, w.attempts, w.ready_at,
    w.fault ->> 'code' as code, w.fault ->> 'message' as message
  from headway.document d
  join headway.collection c on c.id = d.collection
  cross join lateral (
    select t.stage, 'waiting' as state, t.attempts, t.ready_at, t.fault from headway.task t where t.subject = d.subject
    union all
    select x.stage, 'dead', x.attempts, null, x.fault from headway.dead_letter x where x.subject = d.subject
    union all
    select r.stage, 'done', r.attempts, null, null
    from headway.done r
    where r.subject = d.subject
      and not exists (select 1 from headway.task t where t.subject = r.subject and t.stage = r.stage)
      and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)
  ) w
  join headway.stage s on s.id = w.stage
  where d.gone_at is null`;
