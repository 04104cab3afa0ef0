import { type Database, type Queryable, sql } from "@headway/engine";
import type { SourceSpec } from "../spec.ts";

/** How far a source was read, in words of its kind. */
export type Cursor = Readonly<Record<string, unknown>>;

export interface SourceRow {
  readonly name: string;
  readonly spec: SourceSpec;
  readonly origin: "operator" | "config";
  readonly added_at: Date;
  readonly added_by: string;
  readonly changed_at: Date;
  readonly paused_at: Date | null;
  readonly paused_by: string | null;
  readonly paused_why: string | null;
  readonly run: number;
  readonly slot: number;
  readonly next_at: Date | null;
  readonly asked: string | null;
  readonly has_secret: boolean;
}

/** All but the secret and the cursor. */
const fields = sql`name, spec, origin, added_at, added_by, changed_at, paused_at, paused_by, paused_why, run, slot, next_at,
  asked, secret is not null as has_secret`;

export const listSources = (db: Queryable) =>
  db.query<SourceRow>(sql`select ${fields} from headway.scheduled_source order by name`);

export async function readSource(db: Queryable, name: string): Promise<SourceRow | null> {
  const [row] = await db.query<SourceRow>(
    sql`select ${fields} from headway.scheduled_source where name = ${name}`,
  );
  return row ?? null;
}

/** Whether the tables are there: a database that no engine with sources has opened has none. */
export async function hasSourceTables(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ there: boolean }>(
    sql`select to_regclass('headway.scheduled_source') is not null as there`,
  );
  return row?.there === true;
}

export interface SourceWrite {
  readonly name: string;
  readonly spec: SourceSpec;
  /** Sealed; undefined keeps the secret that is there. */
  readonly secret?: string | null;
  readonly origin: "operator" | "config";
  readonly by: string;
  readonly now: Date;
  readonly nextAt: Date | null;
}

/** Adds or changes a source. Another place is read from its beginning. */
export async function writeSource(db: Queryable, write: SourceWrite): Promise<void> {
  const { name, spec, secret, origin, by, now, nextAt } = write;
  const text = JSON.stringify(spec);
  await db.query(sql`
    insert into headway.scheduled_source as s (name, spec, secret, origin, added_at, added_by, changed_at, next_at)
    values (${name}, ${text}::jsonb, ${secret ?? null}, ${origin}, ${now}, ${by}, ${now}, ${nextAt})
    on conflict (name) do update set spec = excluded.spec, origin = excluded.origin, changed_at = excluded.changed_at,
      next_at = excluded.next_at,
      secret = ${secret === undefined ? sql`s.secret` : sql`excluded.secret`},
      cursor = case when s.spec ->> 'place' = excluded.spec ->> 'place' then s.cursor else '{}' end`);
}

export async function removeSource(db: Queryable, name: string): Promise<boolean> {
  const rows = await db.query(sql`delete from headway.scheduled_source where name = ${name} returning 1`);
  return rows.length > 0;
}

export async function pauseSource(
  db: Queryable,
  name: string,
  paused: { readonly at: Date; readonly by: string; readonly why: string | null } | null,
): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.scheduled_source
    set paused_at = ${paused?.at ?? null}, paused_by = ${paused?.by ?? null}, paused_why = ${paused?.why ?? null}
    where name = ${name} and (paused_at is null) = ${paused !== null}
    returning 1`);
  return rows.length > 0;
}

/** Makes a run due now; also of a paused source, once. */
export async function askForRun(
  db: Queryable,
  name: string,
  { asked, now }: { readonly asked: "operator" | "change"; readonly now: Date },
): Promise<boolean> {
  const paused = asked === "change" ? sql`and paused_at is null` : sql``;
  const rows = await db.query(sql`
    update headway.scheduled_source
    set next_at = least(coalesce(next_at, ${now}), ${now}), asked = ${asked}
    where name = ${name} ${paused}
    returning 1`);
  return rows.length > 0;
}

/** A due source, with the state of its newest run. */
export interface DueSource {
  readonly name: string;
  readonly spec: SourceSpec;
  readonly run: number;
  readonly slot: number;
  readonly next_at: Date;
  readonly asked: string | null;
  readonly open: boolean;
  readonly dead: boolean;
}

/** Due sources, the longest waiting first. The newest run is the document `name/slot` of "source_runs". */
export const dueSources = (db: Queryable, { now, limit }: { readonly now: Date; readonly limit: number }) =>
  db.query<DueSource>(sql`
    select s.name, s.spec, s.run, s.slot, s.next_at, s.asked,
      coalesce(t.state = 'waiting', false) as open, coalesce(t.state = 'dead', false) as dead
    from headway.scheduled_source s
    left join headway_read._tasks t on t.collection = 'source_runs' and t.document = s.name || '/' || s.slot
    where s.next_at <= ${now} and (s.paused_at is null or s.asked = 'operator')
    order by s.next_at
    limit ${limit}`);

/** The moment of the next due run of all sources; null: none. */
export async function nextDue(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    sql`select min(next_at) as at from headway.scheduled_source where paused_at is null`,
  );
  return row?.at ?? null;
}

export interface Advance {
  readonly name: string;
  readonly run: number;
  readonly dueAt: Date;
  readonly next: {
    readonly run: number;
    readonly slot: number;
    readonly at: Date | null;
    readonly asked: string | null;
  };
}

/** Moves a source on to its next run; false: another process did, or an operator changed the source. */
export async function advanceSource(db: Queryable, { name, run, dueAt, next }: Advance): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.scheduled_source
    set run = ${next.run}, slot = ${next.slot}, next_at = ${next.at}, asked = ${next.asked}
    where name = ${name} and run = ${run} and next_at = ${dueAt}
    returning 1`);
  return rows.length > 0;
}

export async function readSecret(
  db: Queryable,
  name: string,
): Promise<{ secret: string | null; cursor: Cursor } | null> {
  const [row] = await db.query<{ secret: string | null; cursor: Cursor }>(
    sql`select secret, cursor from headway.scheduled_source where name = ${name}`,
  );
  return row ?? null;
}

/** Replaces a sealed secret by another, unless it was changed meanwhile. */
export async function resealSecret(
  db: Queryable,
  name: string,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
  await db.query(
    sql`update headway.scheduled_source set secret = ${after} where name = ${name} and secret = ${before}`,
  );
}

/** Keeps how far a source was read. Whatever was read before is accepted already. */
export async function writeCursor(
  db: Queryable,
  name: string,
  { place, cursor }: { place: string; cursor: Cursor },
): Promise<void> {
  await db.query(sql`
    update headway.scheduled_source set cursor = ${JSON.stringify(cursor)}::jsonb
    where name = ${name} and spec ->> 'place' = ${place}`);
}

/** The time of a database server: machines of a fleet may disagree. */
export async function databaseTime(database: Database): Promise<Date> {
  const [row] = await database.query<{ at: Date }>(sql`select clock_timestamp() as at`);
  return row?.at ?? new Date();
}
