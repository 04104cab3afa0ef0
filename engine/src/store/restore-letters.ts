import type { Fault } from "../decide/fault.ts";
import type { Queryable } from "./database.ts";
import { int4s, int8s, sql, texts, times, uuids } from "./sql.ts";

/** The place of an exported dead letter. */
export interface LetterPlace {
  readonly stage: string;
  /** Null for a group. */
  readonly collection: string | null;
  readonly document: string;
}

/** Current state of the place. */
export interface PlaceRow {
  /** Null: unknown stage. */
  readonly stage: number | null;
  /** Null: the document or group is gone. */
  readonly subject: number | null;
  readonly owed: boolean;
  readonly letter: number | null;
  readonly fingerprint: string | null;
  readonly input_hash: Buffer | null;
  readonly died_at: Date | null;
  readonly closed_as: string | null;
}

/** Current state of each place, in the same order; dead letters are locked. */
export async function lockPlaces(tx: Queryable, places: readonly LetterPlace[]): Promise<PlaceRow[]> {
  const column = (of: (place: LetterPlace) => string | null) => texts(places.map(of));
  const rows = await tx.query<PlaceRow>(sql`
    select s.id as stage, coalesce(d.subject, g.subject) as subject, t.subject is not null as owed,
      x.id as letter, x.fingerprint, x.input_hash, x.died_at, x.closed_as
    from unnest(${column((one) => one.stage)}, ${column((one) => one.collection)}, ${column((one) => one.document)})
      with ordinality as p (stage, collection, document, place)
    left join headway.stage s on s.name = p.stage
    left join headway.collection c on c.name = p.collection and c.id = s.reads
    left join headway.document d on d.collection = c.id and d.id = p.document and d.gone_at is null
    left join headway.grouping g on p.collection is null and g.stage = s.id and g.key = p.document
    left join headway.task t on t.subject = coalesce(d.subject, g.subject) and t.stage = s.id
    left join headway.dead_letter x on x.subject = coalesce(d.subject, g.subject) and x.stage = s.id
    order by p.place`);
  const letters = rows.flatMap((row) => row.letter ?? []);
  const locked = await tx.query<{ id: number; closed_as: string | null }>(sql`
    select id, closed_as from headway.dead_letter where id = any (${int8s(letters)}) order by id for update`);
  const now = new Map(locked.map((one) => [one.id, one.closed_as]));
  // Letters requeued or restored since the read are taken in their current state.
  return rows.map((row) => {
    if (row.letter === null) return row;
    const closed = now.get(row.letter);
    return closed === undefined ? { ...row, letter: null } : { ...row, closed_as: closed };
  });
}

/** Content removed by a purge and kept in an export. */
export interface KeptLetter {
  readonly letter: number;
  readonly fault: Fault;
  readonly input: object | null;
  readonly closedAt: Date | null;
  readonly closedAs: string | null;
  readonly closedBy: string | null;
  readonly faults: readonly KeptFault[];
}

export interface KeptFault {
  readonly attempt: number;
  readonly fault: Fault;
  readonly version: string | null;
  readonly worker: number | null;
  readonly request: string;
  readonly correlationId: string;
  readonly at: Date;
}

/** Restores content and fault history of purged dead letters. */
export async function restoreLetters(tx: Queryable, kept: readonly KeptLetter[]): Promise<void> {
  const ids = int8s(kept.map((one) => one.letter));
  await tx.query(sql`
    update headway.dead_letter x
    set fault = k.fault::jsonb, input = k.input::jsonb, closed_at = k.closed_at, closed_as = k.closed_as,
      closed_by = k.closed_by
    from unnest(${ids}, ${texts(kept.map((one) => JSON.stringify(one.fault)))},
      ${texts(kept.map((one) => one.input && JSON.stringify(one.input)))}, ${times(kept.map((one) => one.closedAt))},
      ${texts(kept.map((one) => one.closedAs))}, ${texts(kept.map((one) => one.closedBy))}
    ) as k (id, fault, input, closed_at, closed_as, closed_by)
    where x.id = k.id`);
  const faults = kept.flatMap(({ letter, faults: all }) => all.map((one) => ({ letter, ...one })));
  const column = <T>(of: (one: (typeof faults)[number]) => T) => faults.map(of);
  await tx.query(sql`
    insert into headway.fault
      (subject, stage, attempt, kind, code, fingerprint, fault, variant, worker, request, correlation_id, at)
    select x.subject, x.stage, f.attempt, f.kind, f.code, f.fingerprint, f.fault::jsonb,
      (select v.id from headway.variant v where v.stage = x.stage and v.version = f.version
        order by v.id = x.variant desc, v.id desc limit 1),
      f.worker, f.request, f.correlation_id, f.at
    from unnest(${int8s(column((one) => one.letter))}, ${int4s(column((one) => one.attempt))},
      ${texts(column((one) => one.fault.kind))}, ${texts(column((one) => one.fault.code))},
      ${texts(column((one) => one.fault.fingerprint))}, ${texts(column((one) => JSON.stringify(one.fault)))},
      ${texts(column((one) => one.version))}, ${int8s(column((one) => one.worker))},
      ${uuids(column((one) => one.request))}, ${texts(column((one) => one.correlationId))},
      ${times(column((one) => one.at))}
    ) with ordinality as f (letter, attempt, kind, code, fingerprint, fault, version, worker, request, correlation_id,
      at, place)
    join headway.dead_letter x on x.id = f.letter
    order by f.place`);
}
