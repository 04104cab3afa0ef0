import type { Database } from "../engine/src/store/database.ts";
import { type Statement, sql } from "../engine/src/store/sql.ts";

/** A broken promise, with evidence and location. */
export interface Violation {
  readonly promise: string;
  readonly story: string;
  readonly subject?: number;
  /** Kind of harm, for the ledger. */
  readonly harm: "lost" | "doubled" | "orphan" | "other";
}

/** Sorts the witness's rows into intervals: worker, task, from, to. */
export async function sortEvidence(db: Database): Promise<void> {
  await db.script(`
    drop table if exists chaos.let_go, chaos.hand;
    create table chaos.let_go as
      select u.claim, u.stage, s.subject, min(u.at) as at, min(u.tx) as tx
      from chaos.unclaimed u cross join lateral unnest(u.subjects) as s (subject)
      group by 1, 2, 3;
    create table chaos.hand as
      select c.claim, c.worker, c.session, c.stage, s.subject, c.at as from_at, l.at as to_at, l.tx as to_tx
      from chaos.claimed c
      cross join lateral unnest(c.subjects) as s (subject)
      left join chaos.let_go l on l.claim = c.claim and l.subject = s.subject and l.stage = c.stage;
    create index on chaos.let_go (tx, subject, stage);
    create index on chaos.hand (stage, subject, from_at);
    create index on chaos.hand (session);
    create index on chaos.born (tx, subject);
    create index on chaos.recorded (tx, subject, stage);
    create index on chaos.died (tx, subject, stage);
    create index on chaos.announced (tx, subject, stage);
    analyze chaos.let_go; analyze chaos.hand; analyze chaos.recorded; analyze chaos.died;
    analyze chaos.announced; analyze chaos.born; analyze chaos.wrote; analyze chaos.ended; analyze chaos.owed;
  `);
}

interface Check {
  readonly promise: string;
  readonly harm: Violation["harm"];
  /** Rows of a story and, if known, a subject. */
  readonly broken: Statement;
}

/**
 * Run ahead in the transaction that created the document: no other worker can have seen the document, so no claim is
 * needed.
 */
const inPassing = (row: "r" | "w") =>
  row === "r"
    ? sql`exists (select 1 from chaos.born b where b.tx = r.tx and b.subject = r.subject)`
    : sql`exists (select 1 from chaos.born b where b.tx = w.tx and b.subject = w.producer)`;

const living = sql`(exists (select 1 from headway.document d where d.subject = e.subject and d.gone_at is null)
  or exists (select 1 from headway.grouping g where g.subject = e.subject))`;

/**
 * Operators act in the session "chaos", and so does the deletion of tasks: neither is held to the workers' promises.
 */
const checks: readonly Check[] = [
  {
    promise: "One commit: a task ends together with its result or its dead letter",
    harm: "lost",
    broken: sql`
      select s.name || ' was struck off the list by ' || e.session || ' without a result' as story, e.subject
      from chaos.ended e join headway.stage s on s.id = e.stage
      where e.session <> 'chaos' and ${living}
        and not exists (select 1 from chaos.recorded r where r.tx = e.tx and r.subject = e.subject and r.stage = e.stage)
        and not exists (select 1 from chaos.died x where x.tx = e.tx and x.subject = e.subject and x.stage = e.stage)`,
  },
  {
    promise: "One commit: a result is announced in its own transaction",
    harm: "other",
    broken: sql`
      select s.name || ' was recorded by ' || r.session || ' and not announced with it' as story, r.subject
      from chaos.recorded r join headway.stage s on s.id = r.stage and s.name in ('opening', 'binding', 'tagging', 'hanging')
      where r.session <> 'chaos' and not exists (select 1 from chaos.announced a
        where a.tx = r.tx and a.subject = r.subject and a.stage = r.stage)`,
  },
  {
    promise: "Fenced: a result is recorded by whoever holds the task, and by nobody else",
    harm: "doubled",
    broken: sql`
      select s.name || ' was recorded by ' || r.session || ', who did not hold it' as story, r.subject
      from chaos.recorded r join headway.stage s on s.id = r.stage
      where r.session <> 'chaos' and not ${inPassing("r")}
        and not exists (select 1 from chaos.let_go l where l.tx = r.tx and l.subject = r.subject and l.stage = r.stage)`,
  },
  {
    promise: "Fenced: documents are written by whoever holds the task they come from",
    harm: "doubled",
    broken: sql`
      select 'outputs of ' || s.name || ' were written by ' || w.session || ', who did not hold the task' as story,
        w.producer as subject
      from chaos.wrote w join headway.stage s on s.id = w.stage
      where not ${inPassing("w")} and not exists (select 1 from chaos.hand h
        where h.stage = w.stage and h.subject = w.producer and h.session = w.session and h.from_at <= w.at
          and (h.to_at is null or h.to_at >= w.at or h.to_tx = w.tx))`,
  },
  {
    promise: "Nothing doubled: each time something is owed it is recorded at most once",
    harm: "doubled",
    broken: sql`
      select s.name || ' was owed ' || coalesce(o.times, 0) || ' times and recorded ' || r.times || ' times' as story,
        r.subject
      from (select subject, stage, count(*) as times from chaos.recorded r
        where session <> 'chaos' and not ${inPassing("r")} group by 1, 2) r
      join headway.stage s on s.id = r.stage
      left join (select subject, stage, count(*) as times from chaos.owed group by 1, 2) o
        on o.subject = r.subject and o.stage = r.stage
      where r.times > coalesce(o.times, 0)`,
  },
  {
    promise: "A task is in one pair of hands",
    harm: "doubled",
    broken: sql`
      select s.name || ' was in the hands of ' || h.session || ' and of ' || h.next_session || ' at once' as story, h.subject
      from (
        select *, lead(from_at) over one as next_at, lead(session) over one as next_session
        from chaos.hand window one as (partition by stage, subject order by from_at)
      ) h join headway.stage s on s.id = h.stage
      where h.next_at < h.to_at or (h.to_at is null and h.next_at is not null)`,
  },
  {
    promise: "A worker that was evicted takes nothing",
    harm: "doubled",
    broken: sql`
      select c.session || ' took tasks as worker ' || c.worker || ', who had been evicted' as story
      from chaos.claimed c join chaos.evicted v on v.worker = c.worker and v.at < c.at`,
  },
  {
    promise: "It settles: nothing waits, is held or half removed",
    harm: "lost",
    broken: sql`
      select s.name || ' still waits: ' || coalesce(t.reason, 'for a worker') as story, t.subject
      from headway.task t join headway.stage s on s.id = t.stage
      union all
      select 'claim ' || c.id || ' of worker ' || c.worker || ' is left', null from headway.claim c
      union all
      select 'it is gone and was never removed', subject from headway.document where gone_at is not null`,
  },
  {
    promise: "Every dead letter says why",
    harm: "other",
    broken: sql`
      select 'a dead letter without a reason' as story, subject from headway.dead_letter
      where reason = '' or code = '' or coalesce(fault->>'message', '') = ''`,
  },
  {
    promise: "A permanent fault is not tried again",
    harm: "other",
    broken: sql`
      select s.name || ' died of ' || x.code || ' after ' || x.attempts || ' attempts' as story, x.subject
      from headway.dead_letter x join headway.stage s on s.id = x.stage
      where x.kind = 'permanent' and x.attempts > 1 and not exists (select 1 from headway.fault f
        where f.subject = x.subject and f.stage = x.stage and f.kind <> 'permanent')`,
  },
  {
    promise: "No attempt is counted twice",
    harm: "other",
    broken: sql`
      select s.name || ' has attempt ' || f.attempt || ' written down ' || count(*) || ' times' as story, f.subject
      from headway.fault f join headway.stage s on s.id = f.stage
      group by s.name, f.subject, f.attempt, f.at having count(*) > 1`,
  },
];

const shown = 20;

/** Everything in the database's own history that contradicts the engine. */
export async function checkEvidence(db: Database): Promise<{ violations: Violation[]; count: number }> {
  const violations: Violation[] = [];
  let count = 0;
  for (const { promise, harm, broken } of checks) {
    const rows = await db.query<{ story: string; subject?: number }>(broken);
    count += rows.length;
    for (const { story, subject } of rows.slice(0, shown))
      violations.push({ promise, story, harm, ...(typeof subject === "number" && { subject }) });
  }
  return { violations, count };
}
