import { canonicalJson } from "../../engine/src/decide/hash.ts";
import { makeOperator } from "../../engine/src/operate/operator.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { prepared, sql } from "../../engine/src/store/sql.ts";
import { checkSettled, type Violation } from "../crash/checker.ts";
import { type Letter, post, rightEnding } from "./letters.ts";
import type { Plot } from "./plot.ts";

/** Facts about a finished story. */
export interface Ended {
  readonly db: Database;
  readonly now: Date;
  readonly lastLetters: ReadonlyMap<string, Letter>;
  readonly attempts: Plot["attempts"];
  /** Deliveries per event. */
  readonly told: ReadonlyMap<string, number>;
  /** Number of machine outages. */
  readonly outages: number;
}

/** Checks every promise after everything has settled. */
export async function checkEnded(ended: Ended): Promise<Violation[]> {
  return [
    ...(await checkSettled(ended.db)),
    ...(await checkLedger(ended)),
    ...(await checkDocuments(ended)),
    ...(await checkDeadLetters(ended)),
    ...(await checkCharges(ended)),
    ...(await checkTries(ended)),
    ...(await checkEvents(ended)),
  ];
}

/** The operators' own check of the whole ledger. */
async function checkLedger({ db, now }: Ended): Promise<Violation[]> {
  const clock = { now: () => now };
  const operator = makeOperator({ database: db, clock, actor: "sim", pipelines: [post], environment: {} });
  const { first } = await operator.verify();
  return first ? [{ promise: first.promise, story: `${first.sentence} ${first.names.join(", ")}` }] : [];
}

async function checkDocuments({ db, lastLetters }: Ended): Promise<Violation[]> {
  const { documents } = rightEnding(lastLetters);
  const rows = await db.query<{ name: string; body: object }>(
    prepared(
      "sim-documents",
      sql`
        select c.name || '/' || d.id as name, d.body
        from headway.document d join headway.collection c on c.id = d.collection
        where d.gone_at is null
        order by 1`,
    ),
  );
  const found = new Map(rows.map((row) => [row.name, row.body]));
  const missing = [...documents.keys()].filter((name) => !found.has(name));
  const extra = [...found.keys()].filter((name) => !documents.has(name));
  const other = [...documents].filter(
    ([name, body]) => found.has(name) && canonicalJson(found.get(name)) !== canonicalJson(body),
  );
  return [
    ...missing.map((name) => ({ promise: "nothing lost", story: `${name} is missing` })),
    ...extra.map((name) => ({ promise: "nothing doubled", story: `${name} should not be there` })),
    ...other.map(([name, body]) => ({
      promise: "as if nothing had gone wrong",
      story: `${name} is ${JSON.stringify(found.get(name))} instead of ${JSON.stringify(body)}`,
    })),
  ];
}

interface DeadRow {
  readonly name: string;
  readonly reason: string;
  readonly code: string;
  readonly message: string | null;
  readonly outage: boolean;
  readonly attempts: number;
}

async function checkDeadLetters({ db, lastLetters, attempts }: Ended): Promise<Violation[]> {
  const { deaths } = rightEnding(lastLetters);
  const rows = await db.query<DeadRow>(
    prepared(
      "sim-dead",
      sql`
        select s.name || ' of ' || coalesce(c.name || '/' || d.id, 'group ' || g.key, 'nothing') as name, x.reason, x.code,
          x.fault->>'message' as message, coalesce((x.fault->>'outage')::boolean, false) as outage, x.attempts
        from headway.dead_letter x
        join headway.stage s on s.id = x.stage
        left join headway.document d on d.subject = x.subject
        left join headway.collection c on c.id = d.collection
        left join headway.grouping g on g.subject = x.subject
        order by x.id`,
    ),
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  const story = (row: DeadRow) => `${row.name}: ${row.reason}, ${row.code} after ${row.attempts} attempts`;
  return [
    ...[...deaths.keys()]
      .filter((name) => !found.has(name))
      .map((name) => ({ promise: "what cannot be done is visibly dead", story: `${name} is not dead` })),
    ...rows
      .filter((row) => deaths.get(row.name) !== row.reason)
      .map((row) => ({ promise: "nothing dies that could be done", story: story(row) })),
    ...rows
      .filter((row) => row.outage)
      .map((row) => ({ promise: "nothing dies of an outage", story: story(row) })),
    ...rows
      .filter((row) => !row.message || !row.code)
      .map((row) => ({ promise: "every dead letter has a reason", story: story(row) })),
    ...rows
      .filter((row) => row.reason === "exhausted")
      .filter((row) => row.attempts < attempts.least || row.attempts > attempts.most)
      .map((row) => ({ promise: "a policy bounds the attempts", story: story(row) })),
  ];
}

/**
 * A short outage of a machine may cost a few attempts, of a document or a batch each; from the fifth on, the faults
 * count as an outage.
 */
async function checkCharges({ db, outages }: Ended): Promise<Violation[]> {
  const rows = await db.query<{ name: string }>(
    prepared(
      "sim-charges",
      sql`
        select s.name || ' of ' || string_agg(f.subject::text, ' and ' order by f.id) as name
        from headway.fault f join headway.stage s on s.id = f.stage
        where (f.fault->>'outage')::boolean
        group by s.name, f.worker, f.at
        order by f.at`,
    ),
  );
  if (rows.length <= 4 * outages) return [];
  const names = rows.map((row) => row.name).join(", ");
  return [
    {
      promise: "no attempt is burnt in an outage",
      story: `${outages} outages were charged to ${names}`,
    },
  ];
}

/** Every counted attempt has a recorded fault or a crashed worker; waiting is never counted. */
async function checkTries({ db }: Ended): Promise<Violation[]> {
  const rows = await db.query<{ name: string; tries: number; faults: number }>(
    prepared(
      "sim-tries",
      sql`
        select s.name || ' of subject ' || r.subject as name, r.attempts as tries, count(f.id) as faults
        from headway.done r
        join headway.stage s on s.id = r.stage
        left join headway.fault f on f.subject = r.subject and f.stage = r.stage
        group by s.name, r.subject, r.attempts
        having r.attempts > 1 + count(f.id) + (select count(*) from headway.worker w
          where w.evicted_because in ('its session ended', 'its heartbeat stopped'))`,
    ),
  );
  return rows.map(({ name, tries, faults }) => ({
    promise: "no attempt is counted twice",
    story: `${name} took ${tries} tries, with ${faults} faults`,
  }));
}

/** Every lasting fact was published, and nothing uncommitted was. */
async function checkEvents({ db, told }: Ended): Promise<Violation[]> {
  const rows = await db.query<{ key: string; lasting: boolean }>(
    prepared(
      "sim-events",
      sql`
        select o.key, exists (select 1 from headway.done r where r.subject = o.subject and r.stage = o.stage
            and position(substr(encode(r.marker, 'hex'), 1, 32) in o.key) > 0)
          or exists (select 1 from headway.dead_letter x where x.subject = o.subject and x.stage = o.stage) as lasting
        from headway.outbox o
        order by o.id`,
    ),
  );
  const keys = new Set(rows.map((row) => row.key));
  const silent = await db.query<{ name: string }>(
    prepared(
      "sim-silent",
      sql`
        select s.name || ' of subject ' || r.subject as name
        from headway.done r join headway.stage s on s.id = r.stage
        where not exists (select 1 from headway.outbox o where o.subject = r.subject and o.stage = r.stage
          and position(substr(encode(r.marker, 'hex'), 1, 32) in o.key) > 0)`,
    ),
  );
  return [
    ...rows
      .filter((row) => !told.has(row.key))
      .map(({ key }) => ({
        promise: "each event is announced at least once",
        story: `${key} was never told`,
      })),
    ...[...told.keys()]
      .filter((key) => !keys.has(key))
      .map((key) => ({ promise: "no event without its commit", story: `${key} was told, but is not true` })),
    ...silent.map(({ name }) => ({
      promise: "each event is announced at least once",
      story: `there is no event of ${name}`,
    })),
  ];
}
