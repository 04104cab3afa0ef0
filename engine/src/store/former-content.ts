import type { Queryable } from "./database.ts";
import { type Column, type Statement, sql } from "./sql.ts";

/** Larger contents are not kept, by their size on disk. */
export const formerBytesMax = 256 * 1024;
const keptMs = 7 * 86_400_000;

/** Keeps contents that `u (subject, hash)` replaces; a part of the statement that replaces them. */
export const keepFormer = (replacing: Statement, now: Date): Statement => sql`
  insert into headway.document_before as b (subject, hash, body, variant, input_hash, since_at, until_at)
  select d.subject, d.hash, d.body, r.variant, r.input_hash, d.changed_at, ${now}
  from ${replacing}
  join headway.document d on d.subject = u.subject
  left join headway.done r on r.subject = d.producer and r.stage = d.producer_stage
  where d.hash <> u.hash and d.gone_at is null and pg_column_size(d.body) <= ${formerBytesMax}
  on conflict (subject) do update set hash = excluded.hash, body = excluded.body, variant = excluded.variant,
    input_hash = excluded.input_hash, since_at = excluded.since_at, until_at = excluded.until_at`;

export interface FormerRow {
  readonly body: object;
  readonly since_at: Date;
  readonly until_at: Date;
  /** False: a source brought the content. */
  readonly made: boolean;
  readonly input_changed: boolean;
  readonly config_changed: boolean;
  readonly version_then: string | null;
  readonly version_now: string | null;
  readonly model_then: string | null;
  readonly model_now: string | null;
}

/** The content before the present one; null: the content never changed, or the former one is not kept. */
export async function readFormer(db: Queryable, subject: number): Promise<FormerRow | null> {
  const [row] = await db.query<FormerRow>(sql`
    select b.body, b.since_at, b.until_at, d.producer_stage <> 0 as made,
      b.input_hash is not null and r.input_hash is not null and b.input_hash <> r.input_hash as input_changed,
      coalesce(t.config_hash <> n.config_hash, false) as config_changed,
      t.version as version_then, n.version as version_now, t.model as model_then, n.model as model_now
    from headway.document_before b
    join headway.document d on d.subject = b.subject and d.changed_at = b.until_at and d.gone_at is null
    left join headway.done r on r.subject = d.producer and r.stage = d.producer_stage
    left join headway.variant t on t.id = b.variant
    left join headway.variant n on n.id = r.variant
    where b.subject = ${subject}`);
  return row ?? null;
}

/** Former contents of deleted documents go with them. */
export const dropFormer = (subjects: Column): Statement =>
  sql`delete from headway.document_before where subject = any (${subjects})`;

export async function forgetFormer(db: Queryable, now: Date): Promise<void> {
  await db.query(sql`
    delete from headway.document_before where until_at < ${new Date(now.getTime() - keptMs)}`);
}
