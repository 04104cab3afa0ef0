import { type Held, holdClaim, shrinkClaim } from "./claims.ts";
import type { Database, Queryable } from "./database.ts";
import { type DoneResult, factsText, findingOf, upsertDone } from "./done.ts";
import { type FaultRecord, insertFaults } from "./faults.ts";
import { addFresh, emptyFresh, type Fresh, insertFresh, insertOwed } from "./fresh.ts";
import { countGroups, dissolveGroups, joinFresh, touchWaitingGroups } from "./groups.ts";
import {
  keepLooks,
  type LookedAt,
  type LookingTask,
  lockLooked,
  lookedAt,
  oweLooking,
  refuseLooked,
} from "./looks.ts";
import type { Numbers } from "./numbers.ts";
import { insertEvents, type OutboxEvent } from "./outbox.ts";
import { dropUnstamped, type Written, writeOutputs } from "./outputs.ts";
import { byteas, int2s, int4s, int8s, prepared, type Statement, sql, texts } from "./sql.ts";
import type { Flow, Prepared, Yielded } from "./stage-graph.ts";
import { anew, endTasks, lockTasks } from "./tasks.ts";

const noMarker = Buffer.alloc(0);

/** Results of tasks of one claim, to be committed in one transaction. */
export interface Commit extends Held {
  readonly now: Date;
  readonly variant: number;
  readonly finished: readonly Finished[];
  /** Tasks of the claim still in progress. */
  readonly remaining: number;
  /** Results of run-ahead on the outputs. Valid only for a fresh commit, without comparison. */
  readonly ahead?: Ahead | null;
  readonly flow: Flow;
  readonly numbers: Numbers;
}

export interface Finished extends DoneResult {
  readonly generation: number;
  /** Documents read beside the input, with the hash of all; null for a stage without look-ups. */
  readonly looks: { readonly looked: readonly LookedAt[]; readonly hash: Buffer } | null;
  readonly request: string;
  readonly rank: number;
  /** No earlier result is recorded; only a task owed again can have left outputs behind (`hasYielded`). */
  readonly first: boolean;
  /** Parts of the result were committed before: this is the last part. */
  readonly streamed: boolean;
  /** The marker was unchanged: outputs stay as they are. */
  readonly unchanged: boolean;
  /** The last member of the group has left. */
  readonly dissolve: boolean;
  readonly outputs: readonly Prepared[];
  readonly faults: readonly FaultRecord[];
  readonly event: OutboxEvent | null;
}

/** Outputs that ran ahead through their next stages before the commit, under numbers assigned for the purpose. */
export interface Ahead {
  readonly numbered: ReadonlyMap<Prepared, number>;
  readonly finished: readonly AheadFinished[];
  /** Attempted and not finished: claimed with the commit, so the failure can be recorded. */
  readonly held: readonly { readonly stage: number; readonly subject: number }[];
}

export interface AheadFinished extends Finished {
  readonly stage: number;
  readonly variant: number;
}

export type Committed =
  | {
      readonly kind: "committed";
      readonly conflicts: Written["conflicts"];
      readonly removed: number;
      /** Run-ahead was committed; these are the claims of attempted and unfinished tasks, by stage. */
      readonly ahead?: ReadonlyMap<number, number>;
    }
  /** The claim is no longer ours: nothing was written. */
  | { readonly kind: "refused" };

/** Commits results: outputs, removals, markers, next tasks, events, and the end of the claim. */
export async function commitResults(db: Database, commit: Commit): Promise<Committed> {
  if (isFresh(commit)) {
    const ahead = await commitFresh(db, commit);
    if (ahead) return { kind: "committed", conflicts: [], removed: 0, ahead };
  }
  return await commitCompared(db, commit);
}

/** True if every output is most likely new, without anything to compare. */
export function isFresh({ finished, flow, stage }: Pick<Commit, "finished" | "flow" | "stage">): boolean {
  if (flow.waiting.has(stage) || flow.looking.has(stage)) return false;
  const seen = new Set<string>();
  for (const one of finished) {
    if (!one.first || one.streamed || one.unchanged || one.dissolve) return false;
    for (const { collection, id } of one.outputs) {
      const key = `${collection}/${id}`;
      if (seen.has(key)) return false;
      seen.add(key);
    }
  }
  return true;
}

/**
 * The usual case as one statement: plain inserts. Returns the claims of unfinished run-ahead. Null: an expectation
 * failed, and nothing was written.
 */
async function commitFresh(db: Database, commit: Commit): Promise<ReadonlyMap<number, number> | null> {
  const { finished, numbers } = commit;
  const made = [...finished, ...(commit.ahead?.finished ?? [])];
  const outputs = made.flatMap((one) => one.outputs);
  const unnumbered = outputs.length - (commit.ahead?.numbered.size ?? 0);
  const nextNumber = await numbers.take(db, unnumbered + countGroups(outputs));
  try {
    const rows = await db.query<{ stage: number; id: number }>(freshStatement(commit, nextNumber));
    return new Map(rows.map((row) => [row.stage, row.id]));
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // A duplicate id, or refuse(): the compared commit finds out which.
    if (code === "23505" || code === "HW002") return null;
    throw error;
  }
}

function freshStatement(commit: Commit, nextNumber: () => number): Statement {
  const { claim, worker, stage, now, variant, finished, remaining, ahead } = commit;
  const subjects = finished.map((one) => one.subject);
  const fence =
    remaining === 0
      ? sql`delete from headway.claim where id = ${claim} and worker = ${worker} returning 1`
      : sql`update headway.claim
          set subjects = array(select s from unnest(subjects) s where s <> all (${int8s(subjects)}))
          where id = ${claim} and worker = ${worker} returning 1`;
  const further = ahead?.finished ?? [];
  const results: readonly (Finished & Partial<AheadFinished>)[] = [...finished, ...further];
  const fresh = spreadOutputs(results, commit, nextNumber);
  const events = results.flatMap((one) => (one.event ? [one.event] : []));
  const faults = finished.flatMap((one) => one.faults);
  const held = ahead?.held ?? [];
  const stages = [...new Set(further.map((one) => one.stage))];
  const changed = finished.some((one) => one.generation !== 0);
  const known = results.some((one) => one.facts !== null);
  return prepared(
    "fresh",
    sql`
      with fence as (${fence}),
      ended as (${changed ? endChanged(finished, stage) : endFirst(subjects, stage)}),
      checked as materialized (
        select case
          when (select count(*) from fence) = 0 then headway.refuse('the claim is gone')
          when (select count(*) from ended) <> ${finished.length} then headway.refuse('a task was moved')
          when exists (select 1 from headway.stage s where s.id = any (${int2s(stages)}) and s.paused_at is not null)
            then headway.refuse('a stage is paused')
          ${changed ? sql`when ${hasYielded(subjects, stage)} then headway.refuse('there are earlier results')` : sql``}
          else ${lookedAt(commit.flow, fresh.collection).length > 0 ? refuseLooked(fresh) : sql`0`} end as fine
      ),
      results as (
        insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, took_ms, finished_at
          ${known ? sql`, facts, finding` : sql``})
        select r.subject, r.stage, r.marker, r.input_hash, r.variant, r.attempts, r.outputs, r.took_ms, ${now}
          ${known ? sql`, r.facts::jsonb, r.finding` : sql``}
        from unnest(${int8s(results.map((one) => one.subject))}, ${int2s(results.map((one) => one.stage ?? stage))},
          ${byteas(results.map((one) => one.marker))}, ${byteas(results.map((one) => one.inputHash))},
          ${int4s(results.map((one) => one.variant ?? variant))}, ${int4s(results.map((one) => one.attempts))},
          ${int4s(results.map((one) => one.outputs.length))}, ${int4s(results.map((one) => one.tookMs ?? 0))}
          ${known ? sql`, ${texts(results.map(factsText))}, ${texts(results.map(findingOf))}` : sql``}
        ) as r (subject, stage, marker, input_hash, variant, attempts, outputs, took_ms ${known ? sql`, facts, finding` : sql``})
      ),
      ${joinFresh(fresh.joining, nextNumber, now, sql`checked`)},
      ${insertFresh(fresh, now)},
      owed as (${insertOwed(fresh, now)}),
      held as (${held.length > 0 ? holdAhead(held, worker, now) : sql`select 0 as stage, 0 as id where false`})
      ${events.length > 0 ? sql`, announced as (${insertEvents(events, now)})` : sql``}
      ${faults.length > 0 ? sql`, failed as (${insertFaults(faults, { stage, variant, worker })})` : sql``}
      select held.stage, held.id
      from checked cross join revived cross join projected left join held on true
      where checked.fine + revived.rest + projected.rest > 0 or held.id is not null`,
  );
}

const endFirst = (subjects: readonly number[], stage: number): Statement => sql`
  delete from headway.task t
  where t.subject = any (${int8s(subjects)}) and t.stage = ${stage} and t.generation = 0
  returning 1`;

/** Tasks owed again before their first run, as groups are with each new member. */
const endChanged = (finished: readonly Finished[], stage: number): Statement => sql`
  delete from headway.task t
  using unnest(${int8s(finished.map((one) => one.subject))}, ${int4s(finished.map((one) => one.generation))})
    as e (subject, generation)
  where t.subject = e.subject and t.stage = ${stage} and t.generation = e.generation
  returning 1`;

/** An interrupted stream leaves outputs behind without a result. */
const hasYielded = (subjects: readonly number[], stage: number): Statement => {
  const producer = sql`producer = any (${int8s(subjects)})`;
  return sql`(exists (select 1 from headway.document where ${producer} and producer_stage = ${stage})
    or exists (select 1 from headway.co_producer where ${producer} and stage = ${stage})
    or exists (select 1 from headway.conflict where ${producer} and stage = ${stage}))`;
};

/** The outputs of all results as columns, numbered, with their tasks, except for stages already run ahead. */
function spreadOutputs(
  results: readonly (Finished & Partial<AheadFinished>)[],
  { flow, ahead, stage }: Commit,
  nextNumber: () => number,
): Fresh {
  const fresh = emptyFresh();
  const settled = new Set(ahead?.finished.map((one) => one.subject));
  for (const { subject: producer, stage: producerStage = stage, request, rank, outputs } of results) {
    for (const output of outputs) {
      const number = ahead?.numbered.get(output) ?? nextNumber();
      addFresh(fresh, number, output, { producer, producerStage, request, rank }, flow, settled.has(number));
    }
  }
  return fresh;
}

/** Locks the worker row: a claim inserted during the worker's eviction would never be freed. */
const holdAhead = (held: Ahead["held"], worker: number, now: Date): Statement => sql`
  insert into headway.claim (id, worker, stage, subjects, at)
  select nextval('headway.claim_number'), w.id, h.stage, h.subjects, ${now}
  from (
    select stage, array_agg(subject) as subjects
    from unnest(${int2s(held.map((one) => one.stage))}, ${int8s(held.map((one) => one.subject))}) as t (stage, subject)
    group by stage
  ) h, headway.worker w
  where w.id = ${worker} and w.evicted_at is null
  for share of w
  returning stage, id`;

/** The compared commit: reads, locks, compares and changes existing rows. */
async function commitCompared(db: Database, commit: Commit): Promise<Committed> {
  const { stage, now, variant, worker, flow } = commit;
  return await db.transaction(async (tx) => {
    const ours = await holdClaim(tx, commit);
    if (!ours) return { kind: "refused" };
    const subjects = commit.finished.map((one) => one.subject).filter((subject) => ours.has(subject));
    const moved = flow.looking.has(stage)
      ? await lockLooked(tx, lookingOf(commit.finished))
      : new Set<number>();
    const locked = await lockTasks(tx, stage, subjects);
    // A missing task was deleted with its document: the result is dropped.
    const finished = commit.finished
      .filter((one) => locked.has(one.subject))
      .map((one) => {
        const { generation, reason } = locked.get(one.subject) as {
          generation: number;
          reason: string | null;
        };
        // Owed anew with the same input while running: the marker must not count as the requested result.
        return generation !== one.generation && reason === anew ? { ...one, marker: noMarker } : one;
      });
    const written = await writeAll(tx, commit, finished);
    await upsertDone(tx, commit, finished);
    await endTasks(tx, stage, finished);
    if (flow.looking.has(stage)) await settleLooks(tx, commit, finished, moved);
    const waiting = flow.waiting.get(stage);
    if (waiting)
      await touchWaitingGroups(
        tx,
        waiting,
        finished.map((one) => one.subject),
        now,
      );
    const dissolved = finished.filter((one) => one.dissolve).map((one) => one.subject);
    if (dissolved.length > 0) await dissolveGroups(tx, dissolved);
    const events = finished.flatMap((one) => (one.event ? [one.event] : []));
    if (events.length > 0) await tx.query(insertEvents(events, now));
    const faults = finished.flatMap((one) => one.faults);
    if (faults.length > 0) await tx.query(insertFaults(faults, { stage, variant, worker }));
    await shrinkClaim(tx, commit, subjects);
    return { kind: "committed", ...written };
  });
}

const lookingOf = (finished: readonly Finished[]): LookingTask[] =>
  finished.flatMap(({ subject, looks, dissolve }) =>
    looks && !dissolve ? [{ subject, looked: looks.looked }] : [],
  );

/** Records look-ups. A result made of a document that has changed since is progress, and the stage is owed again. */
async function settleLooks(
  tx: Queryable,
  { stage, flow, now }: Commit,
  finished: readonly Finished[],
  moved: ReadonlySet<number>,
): Promise<void> {
  await keepLooks(tx, stage, lookingOf(finished));
  const again = finished.filter((one) => moved.has(one.subject));
  await oweLooking(
    tx,
    again.map(({ subject, rank }) => ({ subject, stage, rank })),
    () => flow.looking.get(stage) ?? 0,
    now,
  );
}

async function writeAll(
  tx: Queryable,
  commit: Commit,
  finished: readonly Finished[],
): Promise<{ conflicts: Written["conflicts"]; removed: number }> {
  const { flow, numbers, now, stage, claim } = commit;
  const yields = (some: readonly Finished[]): Yielded[] =>
    some.map(({ subject, outputs, request, rank }) => ({
      producer: { stage, subject },
      wanted: outputs,
      request,
      rank,
    }));
  const written: Written[] = [];
  const whole = finished.filter((one) => !one.streamed && !one.unchanged);
  const common = { flow, numbers, now };
  if (whole.length > 0) {
    written.push(await writeOutputs(tx, { ...common, yields: yields(whole), partial: false, stamp: null }));
  }
  for (const one of finished.filter((each) => each.streamed)) {
    const part = { ...common, yields: yields([one]), partial: true, stamp: claim };
    written.push(await writeOutputs(tx, part));
    written.push(await dropUnstamped(tx, part, { stage, subject: one.subject }));
  }
  return {
    conflicts: written.flatMap((one) => one.conflicts),
    removed: written.reduce((sum, one) => sum + one.removed, 0),
  };
}

/** A part of a long stream, committed before the rest. */
export interface Part extends Held {
  readonly now: Date;
  readonly yielded: Yielded;
  readonly flow: Flow;
  readonly numbers: Numbers;
}

export async function commitPart(db: Database, part: Part): Promise<Committed> {
  const { now, yielded, flow, numbers, claim, stage } = part;
  return await db.transaction(async (tx) => {
    const ours = await holdClaim(tx, part);
    if (!ours?.has(yielded.producer.subject)) return { kind: "refused" };
    const locked = await lockTasks(tx, stage, [yielded.producer.subject]);
    if (locked.size === 0) return { kind: "refused" };
    // The next attempt has to compare with the outputs of this stream, and the earlier result is void:
    // an input changed back would otherwise count as unchanged, with half of this stream's outputs.
    await tx.query(sql`
      with undone as (
        delete from headway.done where stage = ${stage} and subject = ${yielded.producer.subject}
      )
      update headway.task
      set first_attempt_at = coalesce(first_attempt_at, ${now})
      where stage = ${stage} and subject = ${yielded.producer.subject}`);
    const written = await writeOutputs(tx, {
      yields: [yielded],
      flow,
      numbers,
      now,
      partial: true,
      stamp: claim,
    });
    return { kind: "committed", conflicts: written.conflicts, removed: written.removed };
  });
}
