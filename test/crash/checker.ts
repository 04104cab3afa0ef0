import { groupHash } from "../../engine/src/decide/hash.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { names, readEnding } from "../../engine/src/store/final-state.ts";
import type { OutboxRow } from "../../engine/src/store/outbox.ts";
import { prepared, sql } from "../../engine/src/store/sql.ts";
import { checkReading } from "../support/reading-checks.ts";

/** A broken promise, with evidence. */
export interface Violation {
  readonly promise: string;
  readonly story: string;
}

/** All lasting state, as lines independent of numbers and times: equal endings have equal lines. */
export interface Snapshot {
  readonly lines: readonly string[];
  /** Failed attempts per task, and attempts per done task. Upper bounds only: a crash may save or cost an attempt. */
  readonly faults: ReadonlyMap<string, number>;
  readonly tries: ReadonlyMap<string, number>;
  readonly events: ReadonlySet<string>;
}

export async function takeSnapshot(db: Database, told: readonly OutboxRow[]): Promise<Snapshot> {
  const rows = await readEnding(db);
  const bounded = (kind: string) =>
    new Map(rows.filter((row) => row.kind === kind).map((row) => [row.subject, Number(row.line)]));
  return {
    lines: rows
      .filter((row) => row.kind !== "tries" && row.kind !== "faults")
      .map(({ kind, subject, line }) => `${kind} ${subject}: ${line}`)
      .sort(),
    tries: bounded("tries"),
    faults: bounded("faults"),
    events: new Set(told.map(nameOf)),
  };
}

/** An event's key contains a number that differs between runs, so the document's name replaces the number. */
function nameOf({ key, data }: OutboxRow): string {
  const [type, stage, , marker] = key.split("/");
  return `${type} by ${stage} of ${(data as { document_id?: string }).document_id} with ${marker}`;
}

/** Degrees of freedom of a story: attempts without a result, and content replaced while claimed. */
export interface Leeway {
  readonly crashes: number;
  readonly faultsMax: number;
  readonly superseding: boolean;
}

/** Compares the ending of a run with the ending of the fault-free run. */
export function compare(found: Snapshot, reference: Snapshot, leeway: Leeway): Violation[] {
  const violations: Violation[] = [];
  const [had, wanted] = [tally(found.lines), tally(reference.lines)];
  for (const [line, count] of wanted)
    if ((had.get(line) ?? 0) < count) violations.push({ promise: "nothing lost", story: `missing: ${line}` });
  for (const [line, count] of had)
    if ((wanted.get(line) ?? 0) < count)
      violations.push({ promise: "nothing doubled", story: `unexpected: ${line}` });
  return [
    ...violations,
    ...compareEvents(found, reference, leeway),
    ...compareTries(found, reference, leeway),
  ];
}

function compareEvents(found: Snapshot, reference: Snapshot, { superseding }: Leeway): Violation[] {
  // Old content may or may not have been completed; events of the final content must exist.
  const lasting = (event: string) => {
    const marker = event.split(" with ").at(-1) as string;
    return reference.lines.some((line) => line.startsWith("done ") && line.includes(marker));
  };
  const missing = [...reference.events].filter((event) => !found.events.has(event));
  const extra = superseding ? [] : [...found.events].filter((event) => !reference.events.has(event));
  return [
    ...missing
      .filter((event) => !superseding || lasting(event))
      .map((event) => ({ promise: "each event is announced at least once", story: `never told: ${event}` })),
    ...extra.map((event) => ({
      promise: "no event without its commit",
      story: `told, but not true: ${event}`,
    })),
  ];
}

function compareTries(found: Snapshot, reference: Snapshot, { crashes, faultsMax }: Leeway): Violation[] {
  const promise = "no attempt is counted twice";
  const violations: Violation[] = [];
  for (const [task, count] of found.faults) {
    if (count > Math.max(faultsMax, reference.faults.get(task) ?? 0))
      violations.push({ promise, story: `${task} has ${count} recorded faults` });
  }
  for (const [task, count] of found.tries) {
    if (count > (reference.tries.get(task) ?? 0) + crashes)
      violations.push({ promise, story: `${task} took ${count} tries` });
  }
  return violations;
}

function tally(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Invariants at every moment, also right after a crash; each row of the answer is a violation. */
const always = sql`
  with ${names},
  owed as (
    select d.subject, s.id as stage
    from headway.document d join headway.stage s on s.reads = d.collection
    where d.gone_at is null and s.shape <> 'fan-in'
    union all
    select g.subject, g.stage from headway.grouping g
  ),
  standing as (
    select o.subject, o.stage, s.name as stage_name,
      exists (select 1 from headway.task t where t.subject = o.subject and t.stage = o.stage) as open,
      exists (select 1 from headway.dead_letter x where x.subject = o.subject and x.stage = o.stage) as dead,
      exists (select 1 from headway.done r where r.subject = o.subject and r.stage = o.stage) as done
    from owed o join headway.stage s on s.id = o.stage
  ),
  alive as (
    select subject from headway.document union all select subject from headway.grouping
  )
  select 'nothing lost: every document is waiting, done or dead at each stage' as promise,
    s.stage_name || ' of ' || n.name || ' is nowhere' as story
  from standing s join name n on n.subject = s.subject where not (s.open or s.dead or s.done)
  union all
  select 'nothing doubled: a task is waiting or dead, not both', s.stage_name || ' of ' || n.name
  from standing s join name n on n.subject = s.subject where s.open and s.dead
  union all
  select 'nothing doubled: a task is in one pair of hands', s.name || ' of subject ' || c.subject || ' in ' || count(*) || ' claims'
  from (select stage, unnest(subjects) as subject from headway.claim) c join headway.stage s on s.id = c.stage
  group by s.name, c.subject having count(*) > 1
  union all
  select 'a worker that was evicted holds nothing', 'claim ' || c.id || ' of worker ' || c.worker
  from headway.claim c join headway.worker w on w.id = c.worker where w.evicted_at is not null
  union all
  select 'a marker implies its outputs', s.name || ' of ' || n.name || ' says ' || r.outputs || ', there are ' || a.outputs
  from headway.done r
  join headway.stage s on s.id = r.stage
  join name n on n.subject = r.subject
  cross join lateral (
    select count(*) as outputs from producer p join headway.document d on d.subject = p.document and d.gone_at is null
    where p.producer = r.subject and p.stage = r.stage
  ) a
  where r.outputs <> a.outputs
    and not exists (select 1 from headway.task t where t.subject = r.subject and t.stage = r.stage)
    and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)
    and not exists (select 1 from headway.document g where g.subject = r.subject and g.gone_at is not null)
  union all
  select 'fresh: a result is of the content that is there', s.name || ' of ' || n.name || ' was made of older content'
  from headway.done r
  join headway.stage s on s.id = r.stage
  join name n on n.subject = r.subject
  join headway.document d on d.subject = r.subject and d.gone_at is null
  where d.hash <> r.input_hash
    and not exists (select 1 from headway.task t where t.subject = r.subject and t.stage = r.stage)
    and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)
  union all
  select 'nothing lost: every document is in its groups', n.name || ' is in no group of ' || s.name
  from headway.document d
  join headway.stage s on s.reads = d.collection and s.shape = 'fan-in'
  join name n on n.subject = d.subject
  where d.gone_at is null
    and not exists (select 1 from headway.member m where m.document = d.subject and m.stage = s.id)
  union all
  select 'no orphans: a document has an origin', n.name || ' from ' || coalesce(o.names, 'nobody')
  from headway.document d
  join name n on n.subject = d.subject
  left join origin o on o.document = d.subject
  where d.gone_at is null and d.producer_stage <> 0 and d.producer not in (select subject from alive)
  union all
  select 'no orphans: every record is of something that exists', r.what || ' of subject ' || r.subject
  from (
    select 'a task' as what, subject from headway.task
    union all select 'a result', subject from headway.done
    union all select 'a dead letter', subject from headway.dead_letter
    union all select 'a fault', subject from headway.fault
    union all select 'a share', document from headway.co_producer
    union all select 'a share by', producer from headway.co_producer where stage <> 0
    union all select 'a conflict', document from headway.conflict
    union all select 'a member', document from headway.member
    union all select 'a membership', grouping from headway.member
  ) r
  where r.subject not in (select subject from alive)`;

/** Further invariants after everything has settled. */
const settled = sql`
  select 'nothing is held for ever' as promise, 'claim ' || id || ' of worker ' || worker || ' is left' as story
  from headway.claim
  union all
  select 'removal is complete', count(*) || ' documents are still gone' from headway.document
  where gone_at is not null having count(*) > 0
  union all
  select 'each event is announced at least once', key || ' waits' from headway.outbox where relayed_at is null
  union all
  select 'a policy bounds the attempts', 'subject ' || x.subject || ' died after ' || x.attempts || ' attempts, with '
    || (select count(*) from headway.fault f where f.subject = x.subject and f.stage = x.stage) || ' faults'
  from headway.dead_letter x
  where x.reason in ('exhausted', 'permanent') and x.attempts + x.waits >
    (select count(*) from headway.fault f where f.subject = x.subject and f.stage = x.stage)`;

export async function checkAlways(db: Database): Promise<Violation[]> {
  const found = await db.query<Violation & object>(prepared("crash-always", always));
  return [...found, ...(await checkReading(db))];
}

export async function checkSettled(db: Database): Promise<Violation[]> {
  const found = await db.query<Violation & object>(prepared("crash-settled", settled));
  return [...(await checkAlways(db)), ...found, ...(await staleGroups(db))];
}

/** The result of a group covers its current members. */
async function staleGroups(db: Database): Promise<Violation[]> {
  interface Member {
    readonly id: string;
    readonly hash: string;
  }
  const rows = await db.query<{ stage: string; key: string; input: Buffer; members: Member[] | null }>(sql`
    select s.name as stage, g.key, r.input_hash as input,
      (select json_agg(json_build_object('id', d.id, 'hash', encode(d.hash, 'hex')) order by d.id)
        from headway.member m join headway.document d on d.subject = m.document and d.gone_at is null
        where m.grouping = g.subject) as members
    from headway.grouping g
    join headway.stage s on s.id = g.stage
    join headway.done r on r.subject = g.subject and r.stage = g.stage
    where not exists (select 1 from headway.task t where t.subject = g.subject and t.stage = g.stage)`);
  return rows
    .filter(({ input, members }) => {
      const now = (members ?? []).map(({ id, hash }) => ({ id, hash: Buffer.from(hash, "hex") }));
      return !groupHash(now as never).equals(input);
    })
    .map(({ stage, key }) => ({
      promise: "fresh: a group's result is of its members",
      story: `${stage}[${key}] was made of other members`,
    }));
}

/** A document present before and at the end, with the same origins, must never be missing in between. */
export function compareVisible(
  moments: readonly { readonly before: ReadonlySet<string>; readonly during: ReadonlySet<string> }[],
  atLast: ReadonlySet<string>,
): Violation[] {
  return moments.flatMap(({ before, during }) =>
    [...before]
      .filter((name) => atLast.has(name) && !during.has(name))
      .map((name) => ({ promise: "readers never miss what was there before", story: `${name} was missing` })),
  );
}

const visible = sql`
  with ${names}
  select n.name || ' from ' || o.names as name
  from headway.document d join name n on n.subject = d.subject join origin o on o.document = d.subject
  where d.gone_at is null`;

/** Visible documents with their origins: an id passing between origins may be free in between. */
export async function readVisible(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(prepared("crash-visible", visible));
  return new Set(rows.map((row) => row.name));
}
