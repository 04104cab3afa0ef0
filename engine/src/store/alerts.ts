import type { AlertRule } from "../decide/alert-rules.ts";
import type { AlertFacts, Notice } from "../decide/alert-text.ts";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

export interface AlertRow {
  readonly id: number;
  readonly configuration: string;
  readonly key: string;
  readonly severity: string;
  readonly count: number;
  readonly folded: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly openedAt: Date;
  readonly toldAt: Date | null;
  readonly toldCount: number | null;
  readonly notices: number;
  readonly times: number;
  readonly facts: AlertFacts;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly mutedUntil: Date | null;
  readonly resolvedAt: Date | null;
}

const columns = sql`id, configuration, key, severity, count, folded, first_at as "firstAt", last_at as "lastAt",
  opened_at as "openedAt", told_at as "toldAt", told_count as "toldCount", notices, times, facts,
  acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy", muted_until as "mutedUntil",
  resolved_at as "resolvedAt"`;

export const openAlerts = (db: Queryable) =>
  db.query<AlertRow>(sql`select ${columns} from headway.alert where resolved_at is null order by id`);

export interface AlertFilter {
  readonly state: "open" | "resolved" | "all";
  readonly limit: number;
  readonly before?: number | undefined;
}

/** A page of alerts, the newest first. */
export const listAlertRows = (db: Queryable, { state, limit, before }: AlertFilter) =>
  db.query<AlertRow>(sql`
    select ${columns} from headway.alert
    where true
      ${state === "all" ? sql`` : state === "open" ? sql`and resolved_at is null` : sql`and resolved_at is not null`}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc
    limit ${limit}`);

export async function readAlert(db: Queryable, id: number): Promise<AlertRow | null> {
  const [row] = await db.query<AlertRow>(sql`select ${columns} from headway.alert where id = ${id}`);
  return row ?? null;
}

export interface RaisedAlert {
  readonly rule: AlertRule;
  readonly key: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly facts: AlertFacts;
  readonly now: Date;
}

/** Opens an alert, as nobody was told yet. */
export async function raiseAlert(tx: Queryable, raised: RaisedAlert): Promise<AlertRow> {
  const { rule, key, count, firstAt, lastAt, facts, now } = raised;
  const dayAgo = new Date(now.getTime() - 86_400_000);
  const [row] = await tx.query<AlertRow>(sql`
    insert into headway.alert (configuration, key, severity, count, folded, first_at, last_at, opened_at, notices,
      times, facts)
    select ${rule.name}, ${key}, ${rule.severity}, ${count}, 0, ${firstAt}, ${lastAt}, ${now}, 0,
      1 + (select count(*) from headway.alert where configuration = ${rule.name} and key = ${key}
        and resolved_at > ${dayAgo})::int, ${JSON.stringify(facts)}::jsonb
    returning ${columns}`);
  return row as AlertRow;
}

/** Counts what came, and records a notice if one was decided. */
export async function changeAlert(
  tx: Queryable,
  { id, count, folded = 0, lastAt, toldAt, resolvedAt }: AlertChange,
): Promise<AlertRow> {
  const [row] = await tx.query<AlertRow>(sql`
    update headway.alert
    set count = ${count}, folded = folded + ${folded}, last_at = greatest(last_at, ${lastAt}),
      told_at = coalesce(${toldAt ?? null}::timestamptz, told_at),
      told_count = case when ${toldAt ?? null}::timestamptz is null then told_count else ${count} end,
      notices = notices + case when ${toldAt ?? null}::timestamptz is null then 0 else 1 end,
      resolved_at = coalesce(${resolvedAt ?? null}::timestamptz, resolved_at)
    where id = ${id}
    returning ${columns}`);
  return row as AlertRow;
}

export interface AlertChange {
  readonly id: number;
  readonly count: number;
  readonly folded?: number;
  readonly lastAt: Date;
  readonly toldAt?: Date | undefined;
  readonly resolvedAt?: Date | undefined;
}

export async function acknowledgeAlert(
  tx: Queryable,
  { id, by, now }: { readonly id: number; readonly by: string; readonly now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update headway.alert set acknowledged_at = ${now}, acknowledged_by = ${by}
    where id = ${id} and resolved_at is null and acknowledged_at is null
    returning 1`);
  return rows.length > 0;
}

export async function muteAlert(tx: Queryable, { id, until }: { id: number; until: Date }): Promise<boolean> {
  const rows = await tx.query(sql`
    update headway.alert set muted_until = ${until} where id = ${id} and resolved_at is null returning 1`);
  return rows.length > 0;
}

export interface DeliveryRow {
  readonly id: number;
  readonly alert: number | null;
  readonly notice: string;
  readonly channel: string;
  readonly target: string;
  readonly body: Notice;
  readonly attempts: number;
  readonly sentAt: Date | null;
  readonly givenUpAt: Date | null;
  readonly fault: string | null;
}

const deliveryColumns = sql`id, alert, notice, channel, target, body, attempts, sent_at as "sentAt",
  given_up_at as "givenUpAt", fault`;

/** Makes a notice due for every recipient; the same notice again changes nothing. */
export async function addDeliveries(
  tx: Queryable,
  notice: Notice,
  recipients: readonly { readonly channel: string; readonly target: string }[],
  { alert, now }: { readonly alert: number | null; readonly now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into headway.alert_delivery (alert, notice, channel, target, body, made_at, due_at)
    select ${alert}, ${notice.id}, r.channel, r.target, ${JSON.stringify(notice)}::jsonb, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(recipients)}::jsonb) as r (channel text, target text)
    on conflict (notice, channel, target) do nothing`);
}

export async function countNotices(tx: Queryable, since: Date): Promise<number> {
  const [row] = await tx.query<{ notices: number }>(
    sql`select count(distinct notice)::int as notices from headway.alert_delivery where made_at > ${since}`,
  );
  return row?.notices ?? 0;
}

/**
 * Takes due notices for these channels by moving their next time: 30 s, doubling up to an hour. A notice waits for
 * earlier notices of its alert to the same recipient.
 */
export async function takeDeliveries(
  db: Queryable,
  {
    channels,
    now,
    limit,
  }: { readonly channels: readonly string[]; readonly now: Date; readonly limit: number },
): Promise<DeliveryRow[]> {
  return await db.query<DeliveryRow>(sql`
    update headway.alert_delivery
    set attempts = attempts + 1,
      due_at = ${now}::timestamptz + least(interval '1 hour', interval '30 seconds' * power(2, least(attempts, 10)))
    where id in (
      select d.id from headway.alert_delivery d
      where d.sent_at is null and d.given_up_at is null and d.due_at <= ${now}
        and d.channel = any (array(select jsonb_array_elements_text(${JSON.stringify(channels)}::jsonb)))
        and not exists (
          select 1 from headway.alert_delivery e
          where e.alert = d.alert and e.channel = d.channel and e.target = d.target and e.id < d.id
            and e.sent_at is null and e.given_up_at is null)
      order by d.id
      limit ${limit}
      for update skip locked
    )
    returning ${deliveryColumns}`);
}

export async function markSent(db: Queryable, id: number, now: Date): Promise<void> {
  await db.query(sql`
    update headway.alert_delivery set sent_at = ${now}, fault = null where id = ${id} and sent_at is null`);
}

/** `dueAt`: the recipient asked for this time. `givenUpAt`: no further attempt. */
export async function markFailed(
  db: Queryable,
  id: number,
  {
    fault,
    dueAt,
    givenUpAt,
  }: { readonly fault: string; readonly dueAt: Date | null; readonly givenUpAt: Date | null },
): Promise<void> {
  await db.query(sql`
    update headway.alert_delivery
    set fault = ${fault}, due_at = greatest(due_at, coalesce(${dueAt}::timestamptz, due_at)), given_up_at = ${givenUpAt}
    where id = ${id} and sent_at is null`);
}

export const deliveriesOf = (db: Queryable, alert: number) =>
  db.query<DeliveryRow>(
    sql`select ${deliveryColumns} from headway.alert_delivery where alert = ${alert} order by id limit 1000`,
  );
