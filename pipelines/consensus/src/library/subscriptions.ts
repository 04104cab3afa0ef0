import { type Queryable, sql } from "@headway/engine";
import type { ThreadVersion } from "../report/thread-version.ts";
import type { SubscriptionSpec } from "../subscription/spec.ts";

export interface SubscriptionRow {
  readonly name: string;
  readonly spec: SubscriptionSpec;
  readonly added_at: Date;
  readonly added_by: string;
  readonly paused_at: Date | null;
  readonly paused_by: string | null;
  readonly paused_why: string | null;
  /** Number of the newest report. */
  readonly edition: number;
  readonly next_at: Date | null;
  readonly asked: string | null;
  readonly has_secret: boolean;
}

const fields = sql`name, spec, added_at, added_by, paused_at, paused_by, paused_why, edition, next_at, asked,
  secret is not null as has_secret`;

export const listSubscriptions = (db: Queryable) =>
  db.query<SubscriptionRow>(sql`select ${fields} from headway.subscription order by name`);

export async function readSubscriptionRow(db: Queryable, name: string): Promise<SubscriptionRow | null> {
  const [row] = await db.query<SubscriptionRow>(
    sql`select ${fields} from headway.subscription where name = ${name}`,
  );
  return row ?? null;
}

/** Whether the tables are there: a database never opened by an engine with reports has none. */
export async function hasSubscriptionTables(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ there: boolean }>(
    sql`select to_regclass('headway.subscription') is not null as there`,
  );
  return row?.there === true;
}

export interface SubscriptionWrite {
  readonly name: string;
  readonly spec: SubscriptionSpec;
  /** Sealed; undefined keeps the present secret. */
  readonly secret?: string;
  readonly by: string;
  readonly now: Date;
  readonly nextAt: Date | null;
}

export async function writeSubscription(db: Queryable, write: SubscriptionWrite): Promise<void> {
  const { name, spec, secret, by, now, nextAt } = write;
  await db.query(sql`
    insert into headway.subscription as s (name, spec, secret, added_at, added_by, next_at)
    values (${name}, ${JSON.stringify(spec)}::jsonb, ${secret ?? null}, ${now}, ${by}, ${nextAt})
    on conflict (name) do update set spec = excluded.spec, next_at = excluded.next_at,
      secret = coalesce(excluded.secret, s.secret)`);
}

export async function removeSubscription(db: Queryable, name: string): Promise<boolean> {
  await db.query(sql`delete from headway.report_version where subscription = ${name}`);
  const rows = await db.query(sql`delete from headway.subscription where name = ${name} returning 1`);
  return rows.length > 0;
}

export async function pauseSubscription(
  db: Queryable,
  name: string,
  paused: { readonly at: Date; readonly by: string; readonly why: string | null } | null,
): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.subscription
    set paused_at = ${paused?.at ?? null}, paused_by = ${paused?.by ?? null}, paused_why = ${paused?.why ?? null}
    where name = ${name} and (paused_at is null) = ${paused !== null}
    returning 1`);
  return rows.length > 0;
}

/** Makes a report due now, also of a paused subscription, once. */
export async function askForReport(db: Queryable, name: string, now: Date): Promise<void> {
  await db.query(sql`
    update headway.subscription set next_at = least(coalesce(next_at, ${now}), ${now}), asked = 'operator'
    where name = ${name}`);
}

export const dueSubscriptions = (db: Queryable, now: Date) =>
  db.query<SubscriptionRow>(sql`
    select ${fields} from headway.subscription
    where next_at <= ${now} and (paused_at is null or asked = 'operator')
    order by next_at
    limit 100`);

/** Moves a subscription on; false: another process did. */
export async function advanceSubscription(
  db: Queryable,
  { name, edition, next_at: dueAt }: SubscriptionRow,
  next: { readonly edition: number; readonly at: Date | null },
): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.subscription set edition = ${next.edition}, next_at = ${next.at}, asked = null
    where name = ${name} and edition = ${edition} and next_at = ${dueAt}
    returning 1`);
  return rows.length > 0;
}

export async function readSubscriptionSecret(db: Queryable, name: string): Promise<string | null> {
  const [row] = await db.query<{ secret: string | null }>(
    sql`select secret from headway.subscription where name = ${name}`,
  );
  return row?.secret ?? null;
}

export interface KeptVersion {
  readonly thread: string;
  readonly edition: number;
  readonly version: ThreadVersion;
}

/** Each thread as in the last report before this edition. */
export const versionsBefore = (db: Queryable, subscription: string, edition: number) =>
  db.query<KeptVersion>(sql`
    select distinct on (thread) thread, edition, version
    from headway.report_version
    where subscription = ${subscription} and edition < ${edition}
    order by thread, edition desc`);

/** All told versions of a thread, the oldest first. */
export const versionsOf = (db: Queryable, subscription: string, thread: string) =>
  db.query<KeptVersion>(sql`
    select thread, edition, version from headway.report_version
    where subscription = ${subscription} and thread = ${thread} order by edition`);

/** Keeps the versions of an edition; a second call replaces the first. */
export async function keepVersions(
  db: Queryable,
  subscription: string,
  edition: number,
  versions: readonly { readonly thread: string; readonly version: ThreadVersion }[],
): Promise<void> {
  await db.query(sql`
    with gone as (delete from headway.report_version where subscription = ${subscription} and edition = ${edition}
      and thread not in (select r.thread from jsonb_to_recordset(${JSON.stringify(versions)}::jsonb) as r (thread text)))
    insert into headway.report_version (subscription, thread, edition, version)
    select ${subscription}, r.thread, ${edition}, r.version
    from jsonb_to_recordset(${JSON.stringify(versions)}::jsonb) as r (thread text, version jsonb)
    on conflict (subscription, thread, edition) do update set version = excluded.version`);
}

/** Threads of messages. */
export const threadsWith = (db: Queryable, messages: readonly string[]) =>
  db.query<{ id: string }>(sql`
    select distinct t.id from headway_read.threads t, jsonb_array_elements(t.body -> 'messages') m
    where m ->> 'message' in (select jsonb_array_elements_text(${JSON.stringify(messages)}::jsonb))`);

export interface DeliveryLine {
  readonly report: string;
  readonly kind: string;
  readonly to: string;
  readonly state: string;
  readonly attempts: number;
  readonly sentAt: string | null;
  readonly fault: string | null;
  readonly subject: string;
}

/** Deliveries of a subscription, the newest first. */
export const readDeliveries = (db: Queryable, subscription: string) =>
  db.query<DeliveryLine>(sql`
    select d.body ->> 'report' as report, d.body ->> 'kind' as kind, d.body ->> 'to' as to,
      coalesce(t.state, 'done') as state, coalesce(t.attempts, 0) as attempts, x.body ->> 'sentAt' as "sentAt",
      case when t.state <> 'done' then t.message end as fault, r.body ->> 'subject' as subject
    from headway_read.report_deliveries d
    join headway_read.reports r on r.id = d.body ->> 'report'
    left join headway_read._tasks t on t.collection = 'report_deliveries' and t.document = d.id
    left join headway_read.report_receipts x on x.id = d.id
    where d.body ->> 'subscription' = ${subscription}
    order by (r.body ->> 'edition')::int desc, d.id
    limit 100`);

/** The newest reports of a subscription, for feeds. */
export const newestReports = (db: Queryable, subscription: string, limit: number) =>
  db.query<{ id: string; subject: string; html: string; markdown: string; at: string }>(sql`
    select r.id, r.body ->> 'subject' as subject, r.body ->> 'html' as html, r.body ->> 'markdown' as markdown,
      r.body ->> 'at' as at
    from headway_read.reports r
    where r.body ->> 'subscription' = ${subscription}
    order by (r.body ->> 'edition')::int desc, r.id
    limit ${limit}`);

/** Whether a report is made: waiting, done or dead; null: not ordered yet. */
export async function editionState(db: Queryable, name: string, edition: number): Promise<string | null> {
  const [row] = await db.query<{ state: string | null }>(sql`
    select coalesce(t.state, 'done') as state
    from headway_read.report_editions d
    left join headway_read._tasks t on t.collection = 'report_editions' and t.document = d.id
    where d.id = ${`${name}/${edition}`}`);
  return row?.state ?? null;
}
