import type { Fault } from "../decide/fault.ts";
import type { DeathReason } from "../decide/settle.ts";
import type { SeenOutage } from "../decide/settle-unit.ts";
import { queueDeaths } from "./alert-queue.ts";
import { type Held, holdClaim, shrinkClaim } from "./claims.ts";
import type { Database, Queryable } from "./database.ts";
import { type Charge, listOutages } from "./dependencies.ts";
import { type FaultRecord, insertFaults } from "./faults.ts";
import { touchWaitingGroups } from "./groups.ts";
import { keepLooks, type LookingTask, lockLooked, oweLooking } from "./looks.ts";
import { insertEvents, type OutboxEvent } from "./outbox.ts";
import { byteas, int4s, int8s, sql, texts, uuids } from "./sql.ts";
import type { Flow } from "./stage-graph.ts";
import { tallyExceeded } from "./tally.ts";
import { lockTasks, type Postponed, postponeTasks } from "./tasks.ts";

/** Unfinished tasks of one claim: postponed, released, or dead. */
export interface Unfinished extends Held {
  readonly now: Date;
  readonly variant: number;
  readonly flow: Flow;
  readonly postponed: readonly Postponed[];
  readonly released: readonly number[];
  readonly deaths: readonly Death[];
  readonly faults: readonly FaultRecord[];
  /** Dependencies with failures charged to documents, for lack of a known outage. */
  readonly blamed: readonly Charge[];
  /** Look-ups of postponed and dead tasks: a change of one owes the stage again. */
  readonly looking: readonly LookingTask[];
}

/** `down`: a charged failure belongs to an outage known by now, so no attempt may be charged; nothing was written. */
export type Written =
  | { readonly kind: "written" }
  | { readonly kind: "refused" }
  | { readonly kind: "down"; readonly outages: readonly SeenOutage[] };

export interface Death {
  readonly subject: number;
  readonly generation: number;
  readonly reason: DeathReason;
  readonly fault: Fault;
  readonly attempts: number;
  readonly waits: number;
  readonly crashes: number;
  readonly rank: number;
  readonly request: string;
  readonly correlationId: string;
  readonly input: string | null;
  readonly inputHash: Buffer | null;
  readonly event: OutboxEvent | null;
}

/** Records the outcome of unfinished tasks; `refused`: the claim was gone and nothing was written. */
export async function commitUnfinished(db: Database, unfinished: Unfinished): Promise<Written> {
  const { stage, now, variant, worker, postponed, released, deaths, faults, blamed, looking } = unfinished;
  return await db.transaction(async (tx) => {
    const ours = await holdClaim(tx, unfinished);
    if (!ours) return { kind: "refused" };
    const outages = blamed.length > 0 ? await listOutages(tx, blamed) : [];
    if (outages.length > 0) return { kind: "down", outages };
    const subjects = [...postponed, ...deaths].map((one) => one.subject).filter((one) => ours.has(one));
    const moved = await lockLooked(tx, looking);
    const locked = await lockTasks(tx, stage, subjects);
    // A failure with an outdated input says nothing about the new input.
    const current = <T extends { subject: number; generation: number }>(some: readonly T[]) =>
      some.filter((one) => locked.get(one.subject)?.generation === one.generation);
    const [later, dying] = [current(postponed), current(deaths)];
    if (later.length > 0) await postponeTasks(tx, stage, later, now);
    if (dying.length > 0) await buryTasks(tx, unfinished, dying);
    await keepLooks(
      tx,
      stage,
      looking.filter((one) => locked.has(one.subject)),
    );
    const again = [...later, ...dying].filter((one) => moved.has(one.subject));
    await oweLooking(
      tx,
      again.map(({ subject }) => ({ subject, stage, rank: 0 })),
      () => unfinished.flow.looking.get(stage) ?? 0,
      now,
    );
    const told = faults.filter((one) => locked.has(one.subject));
    if (told.length > 0) await tx.query(insertFaults(told, { stage, variant, worker }));
    await shrinkClaim(tx, unfinished, [...subjects, ...released]);
    return { kind: "written" };
  });
}

/** Turns tasks into dead letters, with the input and the last fault, and announces each death. */
async function buryTasks(
  tx: Queryable,
  { stage, now, variant, flow, worker }: Unfinished,
  deaths: readonly Death[],
): Promise<void> {
  const column = <T>(of: (death: Death) => T) => deaths.map(of);
  await tx.query(sql`
    insert into headway.dead_letter (subject, stage, reason, kind, code, fingerprint, fault, input, input_hash, variant,
      attempts, waits, crashes, rank, request, correlation_id, died_at)
    select d.subject, ${stage}, d.reason, d.kind, d.code, d.fingerprint, d.fault::jsonb, d.input::jsonb, d.input_hash,
      ${variant}, d.attempts, d.waits, d.crashes, d.rank, d.request, d.correlation_id, ${now}
    from unnest(${int8s(column((one) => one.subject))}, ${texts(column((one) => one.reason))},
      ${texts(column((one) => one.fault.kind))}, ${texts(column((one) => one.fault.code))},
      ${texts(column((one) => one.fault.fingerprint))}, ${texts(column((one) => JSON.stringify(one.fault)))},
      ${texts(column((one) => one.input))}, ${byteas(column((one) => one.inputHash))},
      ${int4s(column((one) => one.attempts))}, ${int4s(column((one) => one.waits))},
      ${int4s(column((one) => one.crashes))}, ${int4s(column((one) => one.rank))},
      ${uuids(column((one) => one.request))}, ${texts(column((one) => one.correlationId))}
    ) as d (subject, reason, kind, code, fingerprint, fault, input, input_hash, attempts, waits, crashes, rank, request,
      correlation_id)`);
  const subjects = column((one) => one.subject);
  await tx.query(sql`delete from headway.task where stage = ${stage} and subject = any (${int8s(subjects)})`);
  await tx.query(queueDeaths(deaths, { stage, variant, now }));
  const exceeded = deaths.filter(({ reason }) => reason === "exhausted").length;
  if (exceeded > 0) await tx.query(tallyExceeded({ stage, worker }, exceeded));
  const events = deaths.flatMap((one) => (one.event ? [one.event] : []));
  if (events.length > 0) await tx.query(insertEvents(events, now));
  const waiting = flow.waiting.get(stage);
  if (waiting) await touchWaitingGroups(tx, waiting, subjects, now);
}
