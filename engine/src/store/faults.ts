import type { Fault } from "../decide/fault.ts";
import type { Queryable } from "./database.ts";
import { int4s, int8s, type Statement, sql, texts, times, uuids } from "./sql.ts";

/** One failed attempt, for the history of a document. */
export interface FaultRecord {
  readonly subject: number;
  readonly attempt: number;
  readonly fault: Fault;
  readonly request: string;
  readonly correlationId: string;
  readonly at: Date;
}

/** Records failed attempts. Faults were made storable by `classify`, so the content cannot fail the insert. */
export function insertFaults(
  faults: readonly FaultRecord[],
  { stage, variant, worker }: { stage: number; variant: number | null; worker: number | null },
): Statement {
  return sql`
    insert into headway.fault
      (subject, stage, attempt, kind, code, fingerprint, fault, variant, worker, request, correlation_id, at)
    select f.subject, ${stage}, f.attempt, f.kind, f.code, f.fingerprint, f.fault::jsonb, ${variant}::int4,
      ${worker}::int8, f.request, f.correlation_id, f.at
    from unnest(${int8s(faults.map((one) => one.subject))}, ${int4s(faults.map((one) => one.attempt))},
      ${texts(faults.map((one) => one.fault.kind))}, ${texts(faults.map((one) => one.fault.code))},
      ${texts(faults.map((one) => one.fault.fingerprint))}, ${texts(faults.map((one) => JSON.stringify(one.fault)))},
      ${uuids(faults.map((one) => one.request))}, ${texts(faults.map((one) => one.correlationId))},
      ${times(faults.map((one) => one.at))}
    ) as f (subject, attempt, kind, code, fingerprint, fault, request, correlation_id, at)`;
}

export interface FaultRow {
  readonly attempt: number;
  readonly fault: Fault;
  readonly correlation_id: string;
  readonly worker: number | null;
  readonly at: Date;
}

/** The failed attempts of a task, oldest first. */
export async function faultsOf(db: Queryable, subject: number, stage: number): Promise<FaultRow[]> {
  return await db.query<FaultRow>(sql`
    select attempt, fault, correlation_id, worker, at
    from headway.fault
    where subject = ${subject} and stage = ${stage}
    order by id`);
}
