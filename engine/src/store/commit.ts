import { type Held, holdClaim, shrinkClaim } from "./claims.ts";
import type { Database, Queryable } from "./database.ts";
import { type FaultRecord, insertFaults } from "./faults.ts";
import type { Flow, Prepared, Yielded } from "./flow.ts";
import { addFresh, emptyFresh, type Fresh, insertFresh, insertOwed } from "./fresh.ts";
import { countGroups, dissolveGroups, joinFresh, touchWaitingGroups } from "./groups.ts";
import type { Numbers } from "./numbers.ts";
import { insertEvents, type OutboxEvent } from "./outbox.ts";
import { dropUnstamped, type Written, writeOutputs } from "./outputs.ts";
import { byteas, int2s, int4s, int8s, prepared, type Statement, sql } from "./sql.ts";
import { anew, endTasks, lockTasks } from "./tasks.ts";

const noMarker = Buffer.alloc(0);

/** Results of tasks of one claim, to be made true in one transaction. */
export interface Commit extends Held {
  readonly now: Date;
  readonly variant: number;
  readonly finished: readonly Finished[];
  /** Tasks of the claim that are still being worked on. */
  readonly remaining: number;
  /** What other stages have made of the outputs already. It counts only if nothing has to be compared. */
  readonly ahead?: Ahead | null;
  readonly flow: Flow;
  readonly numbers: Numbers;
}

export interface Finished {
  readonly subject: number;
  readonly generation: number;
  readonly marker: Buffer;
  readonly inputHash: Buffer;
  readonly attempts: number;
  readonly request: string;
  readonly rank: number;
  /** No earlier result is on record; only what was owed again can have left outputs behind (`hasYielded`). */
  readonly first: boolean;
  /** Parts of it were committed before: what is given here is the last part. */
  readonly streamed: boolean;
  /** The marker showed that nothing changed: outputs stay as they are. */
  readonly unchanged: boolean;
  /** The last member of the group has left. */
  readonly dissolve: boolean;
  readonly outputs: readonly Prepared[];
  readonly faults: readonly FaultRecord[];
  readonly event: OutboxEvent | null;
}

/** Outputs whose next stages were run before they were committed, under numbers that were given to them for that. */
export interface Ahead {
  readonly numbered: ReadonlyMap<Prepared, number>;
  readonly finished: readonly AheadFinished[];
  /** Tried and not finished: they are in our hands with the commit, so that it can be written down. */
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
      /** What was done ahead counts; here are the claims of what was tried and not finished, by stage. */
      readonly ahead?: ReadonlyMap<number, number>;
    }
  /** The claim is no longer ours: nothing was written. */
  | { readonly kind: "refused" };

/** Makes results true: outputs, removals, markers, what is owed next, events, and the end of the claim. */
export async function commitResults(db: Database, commit: Commit): Promise<Committed> {
  if (isFresh(commit)) {
    const ahead = await commitFresh(db, commit);
    if (ahead) return { kind: "committed", conflicts: [], removed: 0, ahead };
  }
  return await commitCompared(db, commit);
}

/** Whether every output is most likely new, so that there is nothing to compare with. */
export function isFresh({ finished, flow, stage }: Pick<Commit, "finished" | "flow" | "stage">): boolean {
  if (flow.waiting.has(stage)) return false;
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
 * The usual case as one statement: plain inserts. Returns the claims of what was tried ahead and not finished. Null: something
 * was not as expected and nothing was written.
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
    // A duplicate id, or refuse(): the careful way finds out which.
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
          else 0 end as fine
      ),
      results as (
        insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, finished_at)
        select r.subject, r.stage, r.marker, r.input_hash, r.variant, r.attempts, r.outputs, ${now}
        from unnest(${int8s(results.map((one) => one.subject))}, ${int2s(results.map((one) => one.stage ?? stage))},
          ${byteas(results.map((one) => one.marker))}, ${byteas(results.map((one) => one.inputHash))},
          ${int4s(results.map((one) => one.variant ?? variant))}, ${int4s(results.map((one) => one.attempts))},
          ${int4s(results.map((one) => one.outputs.length))}
        ) as r (subject, stage, marker, input_hash, variant, attempts, outputs)
      ),
      ${joinFresh(fresh.joining, nextNumber, now, sql`checked`)},
      made as (${insertFresh(fresh, now)}),
      owed as (${insertOwed(fresh, now)}),
      held as (${held.length > 0 ? holdAhead(held, worker, now) : sql`select 0 as stage, 0 as id where false`})
      ${events.length > 0 ? sql`, announced as (${insertEvents(events, now)})` : sql``}
      ${faults.length > 0 ? sql`, failed as (${insertFaults(faults, { stage, variant, worker })})` : sql``}
      select held.stage, held.id
      from checked cross join revived left join held on true
      where checked.fine + revived.rest > 0 or held.id is not null`,
  );
}

const endFirst = (subjects: readonly number[], stage: number): Statement => sql`
  delete from headway.task t
  where t.subject = any (${int8s(subjects)}) and t.stage = ${stage} and t.generation = 0
  returning 1`;

/** Tasks that were owed again before they were ever worked on, as groups are with each member that comes. */
const endChanged = (finished: readonly Finished[], stage: number): Statement => sql`
  delete from headway.task t
  using unnest(${int8s(finished.map((one) => one.subject))}, ${int4s(finished.map((one) => one.generation))})
    as e (subject, generation)
  where t.subject = e.subject and t.stage = ${stage} and t.generation = e.generation
  returning 1`;

/** A stream that was cut off leaves outputs behind without a record of its work. */
const hasYielded = (subjects: readonly number[], stage: number): Statement => {
  const producer = sql`producer = any (${int8s(subjects)})`;
  return sql`(exists (select 1 from headway.document where ${producer} and producer_stage = ${stage})
    or exists (select 1 from headway.co_producer where ${producer} and stage = ${stage})
    or exists (select 1 from headway.conflict where ${producer} and stage = ${stage}))`;
};

/** The outputs of all these as columns, numbered, with what they owe beside what was done ahead. */
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

/** Only for who lives: a claim that is made while its worker is being evicted would be left for ever. */
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

/** The careful way: what is there is read, locked, compared and changed. */
async function commitCompared(db: Database, commit: Commit): Promise<Committed> {
  const { stage, now, variant, worker, flow } = commit;
  return await db.transaction(async (tx) => {
    const ours = await holdClaim(tx, commit);
    if (!ours) return { kind: "refused" };
    const subjects = commit.finished.map((one) => one.subject).filter((subject) => ours.has(subject));
    const locked = await lockTasks(tx, stage, subjects);
    // A task that is not there any more was deleted with its document: nothing may come of it.
    const finished = commit.finished
      .filter((one) => locked.has(one.subject))
      .map((one) => {
        const { generation, reason } = locked.get(one.subject) as {
          generation: number;
          reason: string | null;
        };
        // Owed anew while it ran, with the same input: its marker must not pass for the result that is asked for.
        return generation !== one.generation && reason === anew ? { ...one, marker: noMarker } : one;
      });
    const written = await writeAll(tx, commit, finished);
    await upsertDone(tx, commit, finished);
    await endTasks(tx, stage, finished);
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

async function upsertDone(tx: Queryable, commit: Commit, finished: readonly Finished[]): Promise<void> {
  const { stage, now, variant } = commit;
  await tx.query(sql`
    insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, finished_at)
    select r.subject, ${stage}, r.marker, r.input_hash, ${variant}, r.attempts,
      (select count(*) from headway.document d
        where d.producer = r.subject and d.producer_stage = ${stage} and d.gone_at is null)
      + (select count(*) from headway.co_producer c where c.producer = r.subject and c.stage = ${stage}), ${now}
    from unnest(${int8s(finished.map((one) => one.subject))}, ${byteas(finished.map((one) => one.marker))},
      ${byteas(finished.map((one) => one.inputHash))}, ${int4s(finished.map((one) => one.attempts))}
    ) as r (subject, marker, input_hash, attempts)
    on conflict (subject, stage) do update
    set marker = excluded.marker, input_hash = excluded.input_hash, variant = excluded.variant,
      attempts = excluded.attempts, outputs = excluded.outputs, finished_at = excluded.finished_at`);
}

/** A part of a long stream, committed while the rest is still being made. */
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
    // Whoever takes it up again has to compare with what this stream has left behind, and what was done before is not done
    // any more: an input that changes back would count as unchanged, and keep half of what the stream made of the other.
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
