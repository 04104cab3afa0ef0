import type { Queryable } from "./database.ts";
import { sql, texts } from "./sql.ts";

/** An audited act of a person. */
export interface Act {
  readonly at: Date;
  readonly actor: string;
  readonly act: string;
  readonly target: string;
  readonly why: string | null;
  readonly detail: object;
}

/** An act of a person, as recorded. */
export interface AuditRow extends Act {
  readonly id: number;
}

/** Records an act, in the transaction of the act itself. */
export async function insertAct(tx: Queryable, act: Act): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`
    insert into headway.audit (at, actor, act, target, why, detail)
    values (${act.at}, ${act.actor}, ${act.act}, ${act.target}, ${act.why}, ${JSON.stringify(act.detail)}::jsonb)
    returning id`);
  return (row as { id: number }).id;
}

export interface ActFilter {
  readonly since?: Date | undefined;
  readonly actor?: string | undefined;
  /** The whole name (`dead.requeue`) or its first word (`dead`). */
  readonly act?: string | undefined;
}

/** Acts before `before`, newest first. */
export const listActs = (
  db: Queryable,
  { before, limit, since, actor, act }: { before: number | null; limit: number } & ActFilter,
) =>
  db.query<AuditRow>(sql`
    select id, at, actor, act, target, why, detail
    from headway.audit
    where (${before}::int8 is null or id < ${before}::int8)
      and (${since ?? null}::timestamptz is null or at >= ${since ?? null}::timestamptz)
      and (${actor ?? null}::text is null or actor = ${actor ?? null}::text)
      and (${act ?? null}::text is null or act = ${act ?? null}::text or split_part(act, '.', 1) = ${act ?? null}::text)
    order by id desc
    limit ${limit}`);

/** Locks the first act of a series and reads the newest, so two people cannot continue the series at once. */
export async function holdSeries(
  tx: Queryable,
  { first, act }: { first: number; act: string },
): Promise<AuditRow | null> {
  await tx.query(sql`select 1 from headway.audit where id = ${first} and act = ${act} for update`);
  const [row] = await tx.query<AuditRow>(sql`
    select id, at, actor, act, target, why, detail
    from headway.audit
    where act = ${act} and (id = ${first} or (id > ${first} and (detail ->> 'ramp')::int8 = ${first}))
    order by id desc
    limit 1`);
  return row ?? null;
}

/** The newest series for the same letters: number of the first act, and detail of the last. */
export async function findSeries(
  db: Queryable,
  { act, filter, limit }: { act: string; filter: object; limit: number | null },
): Promise<{ first: number; detail: object } | null> {
  const [row] = await db.query<{ first: number; detail: object }>(sql`
    select f.id as first, l.detail
    from headway.audit f
    cross join lateral (
      select detail
      from headway.audit
      where act = f.act and (id = f.id or (id > f.id and (detail ->> 'ramp')::int8 = f.id))
      order by id desc
      limit 1
    ) l
    where f.act = ${act} and f.detail ->> 'ramp' is null and f.detail -> 'filter' = ${JSON.stringify(filter)}::jsonb
      and (f.detail ->> 'limit')::int8 is not distinct from ${limit}::int8
    order by f.id desc
    limit 1`);
  return row ?? null;
}

/** Name of the act that notes something. */
export const noteAct = "note.add";

/** The thing that a note is about: its kind, and its whole name. */
export interface NoteSubject {
  readonly kind: string;
  readonly name: string;
}

/** A note with its author and moment. */
export interface NoteRow {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly text: string;
  readonly about: NoteSubject;
}

/** Notes about some subjects, or about all, newest first. */
export const listNotes = (
  db: Queryable,
  { about, limit }: { readonly about: readonly NoteSubject[] | null; readonly limit: number },
) =>
  db.query<NoteRow>(sql`
    select id, at, actor, why as text, detail -> 'about' as about
    from headway.audit
    where act = ${noteAct}
      and (${about === null} or (detail -> 'about' ->> 'kind', detail -> 'about' ->> 'name') in (
        select kind, name
        from unnest(${texts((about ?? []).map(({ kind }) => kind))}, ${texts((about ?? []).map(({ name }) => name))}) as a (kind, name)
      ))
    order by id desc
    limit ${limit}`);

/** Whether an act has this number. */
export async function findAct(db: Queryable, id: number): Promise<boolean> {
  const rows = await db.query(sql`select 1 from headway.audit where id = ${id}`);
  return rows.length > 0;
}
