import { type AlertRule, rulesInForce } from "../decide/alert-rules.ts";
import { type AlertFacts, noticeOf, plainNotice } from "../decide/alert-text.ts";
import { type Act, judge, type Seen } from "../decide/judge.ts";
import type { Channel } from "../dispatch/alert-channel.ts";
import { endRows, markSeen, readQueue, restOfQueue, takeTurn, unseenRows } from "../store/alert-queue.ts";
import { readAlertRules } from "../store/alert-rules.ts";
import {
  type AlertRow,
  addDeliveries,
  changeAlert,
  countNotices,
  openAlerts,
  raiseAlert,
} from "../store/alerts.ts";
import { readBacklogs } from "../store/backlogs.ts";
import type { Database, Queryable } from "../store/database.ts";
import { readDependencies } from "../store/dependencies.ts";
import { readTally } from "../store/tally.ts";
import { addMs, type Clock } from "./clock.ts";
import type { Graph } from "./graph.ts";

export interface AlerterParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly graph: Graph;
  readonly channels: readonly Channel[];
}

/** One key of one rule at this look. */
interface Watched {
  readonly rule: AlertRule;
  readonly key: string;
  readonly seen: Seen;
  readonly firstAt: Date;
  readonly facts: AlertFacts;
  /** Rows of the queue behind it. */
  readonly ids: readonly number[];
}

interface Look {
  readonly tx: Queryable;
  readonly now: Date;
  readonly channels: readonly Channel[];
  readonly open: readonly AlertRow[];
  /** Rows of the queue that belong to an alert now. */
  readonly alerted: number[];
  /** Room for notices. */
  room: number;
  overflow: number;
}

const noticesMax = 20;
const noticesWithinMs = 300_000;
const dayMs = 86_400_000;
const digestHour = 8;
const digestAgeMs = 3_600_000;

/**
 * Looks at the queue and the levels once: opens, counts and resolves alerts and makes their notices due, all in one
 * transaction. Returns the number of changed alerts. `waits`: for a look of another process that is underway.
 */
export async function lookForAlerts(
  { db, clock, graph, channels }: AlerterParts,
  { waits = true }: { readonly waits?: boolean } = {},
): Promise<number> {
  return await db.transaction(async (tx) => {
    if (!(await takeTurn(tx, { schema: db.schema, waits }))) return 0;
    const now = clock.now();
    const rules = rulesInForce(await readAlertRules(tx)).filter(({ enabled }) => enabled);
    const open = await openAlerts(tx);
    const unseen = await unseenRows(tx);
    const room = noticesMax - (await countNotices(tx, addMs(now, -noticesWithinMs)));
    const look: Look = { tx, now, channels, open, room, alerted: [], overflow: 0 };
    const outages = outagesOf(rules, open);
    const levels = await readLevels(tx, now);
    const takenKeys = new Set<string>();
    let changed = await endOrphans(look, rules);
    for (const rule of rules) {
      const found = isCount(rule)
        ? await watchDeaths(look, rule, { outages, graph, takenKeys })
        : watchLevels(look, rule, levels);
      for (const watched of found) if (await settleKey(look, watched)) changed++;
    }
    await endRows(tx, look.alerted, { as: "alerted", now });
    if (unseen.length > 0) await markSeen(tx, unseen, now);
    await tellOverflow(look);
    await tellRest(look);
    return changed;
  });
}

const isCount = ({ type }: AlertRule): boolean =>
  type === "deaths" || type === "stage-deaths" || type === "new-fault";

/** Open outage alerts by dependency. */
function outagesOf(rules: readonly AlertRule[], open: readonly AlertRow[]): ReadonlyMap<string, AlertRow> {
  const names = new Set(rules.filter(({ type }) => type === "outage").map(({ name }) => name));
  return new Map(open.filter((one) => names.has(one.configuration)).map((one) => [one.key, one]));
}

/** An alert of a rule that is gone or off ends without a notice. */
async function endOrphans({ tx, now, open }: Look, rules: readonly AlertRule[]): Promise<number> {
  const orphans = open.filter((one) => !rules.some(({ name }) => name === one.configuration));
  for (const { id, count, lastAt } of orphans) await changeAlert(tx, { id, count, lastAt, resolvedAt: now });
  return orphans.length;
}

interface Explained {
  readonly outages: ReadonlyMap<string, AlertRow>;
  readonly graph: Graph;
  /** Keys with an alert of a rule before: a new fault that kills many is one alert, not two. */
  readonly takenKeys: Set<string>;
}

/** Deaths by key; those that an open outage explains are counted in its alert. */
async function watchDeaths(look: Look, rule: AlertRule, { outages, graph, takenKeys }: Explained) {
  const { tx, now, open } = look;
  const since = addMs(now, -rule.windowMs);
  const groups = await readQueue(tx, rule, { since, dayAgo: addMs(now, -dayMs) });
  const watched: Watched[] = [];
  for (const { key, stage, count, fresh, first_at, last_at, facts, ids } of groups) {
    const needs = graph.stages.find((plan) => plan.stage.name === stage)?.stage.needs ?? [];
    const outage = needs.map(({ name }) => outages.get(name)).find((one) => one !== undefined);
    if (outage) {
      if (rule.type === "deaths" && fresh > 0)
        await changeAlert(tx, { id: outage.id, count: outage.count, folded: fresh, lastAt: outage.lastAt });
      look.alerted.push(...ids);
      continue;
    }
    if (rule.type === "new-fault" && takenKeys.has(key)) continue;
    const total = (alertOf(open, rule, key)?.count ?? 0) + fresh;
    const seen = { count, fresh, total, lastAt: fresh > 0 ? last_at : null };
    watched.push({ rule, key, seen, firstAt: first_at, facts, ids });
    if (rule.type === "deaths" && count >= rule.threshold) takenKeys.add(key);
  }
  return [...watched, ...quietOnes(open, rule, watched)];
}

const alertOf = (open: readonly AlertRow[], { name }: AlertRule, key: string) =>
  open.find((one) => one.configuration === name && one.key === key);

/** Open alerts of a rule without any news. */
const quietOnes = (open: readonly AlertRow[], rule: AlertRule, watched: readonly Watched[]): Watched[] =>
  open
    .filter((one) => one.configuration === rule.name && !watched.some(({ key }) => key === one.key))
    .map(({ key, count, firstAt, facts }) => {
      const seen = { count: 0, fresh: 0, total: count, lastAt: null };
      return { rule, key, seen, firstAt, facts, ids: [] };
    });

interface Level {
  readonly type: AlertRule["type"];
  readonly key: string;
  readonly value: number;
  /** Values in seconds grow by themselves; they do not make an alert worse. */
  readonly ages: boolean;
  readonly firstAt: Date;
  readonly facts: AlertFacts;
}

async function readLevels(tx: Queryable, now: Date): Promise<Level[]> {
  const ageOf = (at: Date) => (now.getTime() - at.getTime()) / 1_000;
  const outages = (await readDependencies(tx))
    .filter(({ open }) => open)
    .map(({ name, since, fault }): Level => {
      const facts = fault ? { code: fault.code, message: fault.message } : {};
      return { type: "outage", key: name, value: ageOf(since), ages: true, firstAt: since, facts };
    });
  const tallied = (await readTally(tx)).flatMap(({ name, labels, value }): Level[] => {
    const level = { value, ages: false, firstAt: now, facts: {} };
    if (name === "retry_job_stuck_documents")
      return [{ ...level, type: "stuck", key: labels.collection ?? "" }];
    if (name === "retry_job_failed_documents")
      return [{ ...level, type: "failed", key: labels.collection ?? "" }];
    if (name !== "retry_job_last_success_timestamp_seconds") return [];
    const at = new Date(value * 1_000);
    return [{ type: "sweep", key: "sweep", value: ageOf(at), ages: true, firstAt: at, facts: {} }];
  });
  const backlogs = (await readBacklogs(tx, now)).flatMap(({ kind, key, count, since, message }): Level[] => {
    if (kind === "errors" || kind === "undelivered" || !since || count === 0) return [];
    const facts = message === null ? {} : { message };
    const ages = kind === "outbox" || kind === "no-worker";
    return [{ type: kind, key, value: ages ? ageOf(since) : count, ages, firstAt: since, facts }];
  });
  return [...outages, ...tallied, ...backlogs];
}

function watchLevels({ now, open }: Look, rule: AlertRule, levels: readonly Level[]): Watched[] {
  const watched = levels
    .filter(({ type, value }) => type === rule.type && value >= rule.threshold)
    .map(({ key, value, ages, firstAt, facts }): Watched => {
      const total = ages ? (alertOf(open, rule, key)?.count ?? value) : value;
      return { rule, key, seen: { count: value, fresh: 1, total, lastAt: now }, firstAt, facts, ids: [] };
    });
  return [...watched, ...quietOnes(open, rule, watched)];
}

const notices = { open: "opened", remind: "reminded", worse: "worse", resolve: "resolved" } as const;
const isNotice = (act: Act): act is keyof typeof notices => act in notices;

/** Judges one key and writes the outcome. False: nothing to write. */
async function settleKey(look: Look, watched: Watched): Promise<boolean> {
  const { tx, now, channels, open } = look;
  const { rule, key, seen, firstAt, facts, ids } = watched;
  const before = alertOf(open, rule, key) ?? null;
  const recipients = recipientsOf(channels, rule);
  const alert = before && { ...before, acknowledged: before.acknowledgedAt !== null };
  const act = judge(rule, alert, seen, { now, canTell: recipients.length > 0 });
  if (act === "wait" || (act === "count" && seen.fresh === 0)) return false;
  look.alerted.push(...ids);
  const lastAt = seen.lastAt ?? before?.lastAt ?? now;
  const count = isCount(rule) ? (before ? before.count + seen.fresh : seen.count) : seen.total;
  const row = before ?? (await raiseAlert(tx, { rule, key, count, firstAt, lastAt, facts, now }));
  const ends = act === "resolve" || act === "hush";
  const tells = isNotice(act);
  const changed = await changeAlert(tx, {
    id: row.id,
    count,
    lastAt,
    ...(tells && { toldAt: now }),
    ...(ends && { resolvedAt: now }),
  });
  if (!tells) return before === null || ends;
  // Lesser notices cannot use up the room of critical ones.
  if (look.room <= (rule.severity === "critical" ? -noticesMax : 0)) {
    look.overflow++;
    return true;
  }
  look.room--;
  const notice = noticeOf(rule, changed, notices[act], { number: changed.notices, now });
  await addDeliveries(tx, notice, recipients, { alert: row.id, now });
  return true;
}

const recipientsOf = (channels: readonly Channel[], { channels: chosen }: Pick<AlertRule, "channels">) =>
  channels
    .filter(({ name }) => !chosen || chosen.includes(name))
    .flatMap(({ name, targets }) => targets.map((target) => ({ channel: name, target })));

/** More alerts than a person reads are one notice. */
async function tellOverflow({ tx, now, channels, overflow }: Look): Promise<void> {
  if (overflow === 0) return;
  const id = `more-${Math.floor(now.getTime() / noticesWithinMs)}`;
  const text = `${overflow} more alerts changed within five minutes.\nTo do     headway alerts list\n`;
  const subject = `[high] and ${overflow} more alerts`;
  const notice = plainNotice({ id, kind: "digest", subject, text, count: overflow, now });
  await addDeliveries(tx, notice, recipientsOf(channels, { channels: null }), { alert: null, now });
}

/** The daily digest: deaths below every threshold. */
async function tellRest({ tx, now, channels }: Look): Promise<void> {
  if (now.getUTCHours() < digestHour) return;
  const rest = await restOfQueue(tx, addMs(now, -digestAgeMs));
  if (rest.length === 0) return;
  const day = now.toISOString().slice(0, 10);
  const lines = rest
    .slice(0, 20)
    .map(({ stage, code, count }) => `${String(count).padStart(8)}  ${stage}: ${code}`);
  const more = rest.length > lines.length ? [`          and ${rest.length - lines.length} more kinds`] : [];
  const sum = rest.reduce((all, { count }) => all + count, 0);
  const subject = `[low] digest: ${sum} documents died below every threshold`;
  const text = `${[...lines, ...more].join("\n")}\nTo do     headway failed groups\n`;
  const notice = plainNotice({ id: `digest-${day}`, kind: "digest", subject, text, count: sum, now });
  await addDeliveries(tx, notice, recipientsOf(channels, { channels: null }), { alert: null, now });
  await endRows(
    tx,
    rest.flatMap(({ ids }) => ids),
    { as: "digested", now },
  );
}
