import { permanent } from "../decide/fault.ts";
import { type Change, type Present, type Producer, reconcile, type Wanted } from "../decide/reconcile.ts";
import type { Queryable } from "./database.ts";
import { keepFormer } from "./former-content.ts";
import { joinGroups, joiningOf } from "./groups.ts";
import { announceInserts, lookedAt, oweLookers } from "./looks.ts";
import type { Numbers } from "./numbers.ts";
import { project, unproject } from "./projections.ts";
import { byteas, type Column, int2s, int8s, prepared, type Statement, sql, texts, uuids } from "./sql.ts";
import type { Flow, Prepared, Yielded } from "./stage-graph.ts";
import { oweChanged, oweNew } from "./tasks.ts";

export interface Written {
  readonly inserted: number;
  readonly updated: number;
  readonly kept: number;
  readonly removed: number;
  readonly conflicts: readonly { readonly collection: number; readonly id: string }[];
}

export interface WriteOutputs {
  readonly yields: readonly Yielded[];
  readonly flow: Flow;
  readonly numbers: Numbers;
  readonly now: Date;
  /** The yields are a part of a stream: nothing is stale yet. */
  readonly partial: boolean;
  /** The streaming claim, as a mark on the outputs of this stream. */
  readonly stamp: number | null;
}

/** Updates the documents of some producers to their yields, and owes the consequences. */
export async function writeOutputs(tx: Queryable, write: WriteOutputs): Promise<Written> {
  const { yields, numbers, partial, stamp, flow } = write;
  await announceInserts(
    tx,
    lookedAt(
      flow,
      yields.flatMap((one) => one.wanted.map(({ collection }) => collection)),
    ),
  );
  const present = await readPresent(tx, yields, partial);
  if (stamp !== null) refuseYieldedTwice(yields, present, stamp);
  const wanted = yields.reduce((sum, one) => sum + one.wanted.length, 0);
  const nextNumber = await numbers.take(tx, wanted);
  const changes = reconcile(yields, present, nextNumber, partial);
  return await applyChanges(tx, write, changes, present);
}

/** End of a stream: outputs without this stream's stamp are stale. */
export async function dropUnstamped(
  tx: Queryable,
  write: WriteOutputs,
  producer: Producer,
): Promise<Written> {
  const stale = await queryPresent(
    tx,
    sql`
    select subject from headway.document
    where producer = ${producer.subject} and producer_stage = ${producer.stage} and stamp is distinct from ${write.stamp}
    union
    select document from headway.co_producer
    where producer = ${producer.subject} and stage = ${producer.stage} and stamp is distinct from ${write.stamp}`,
  );
  const changes = reconcile<Prepared>([{ producer, wanted: [] }], stale, neverNumbered);
  return await applyChanges(tx, write, changes, stale);
}

const neverNumbered = (): number => {
  throw new Error("a document was inserted where documents only go");
};

interface PresentRow {
  subject: number;
  collection: number;
  id: string;
  hash: Buffer;
  gone: boolean;
  stamp: number | null;
  producer: number;
  producer_stage: number;
  others: { stage: number; producer: number }[] | null;
}

type Stamped = Present & { readonly stamp: number | null };

/** All documents yielded before by the producers, and all documents with an id yielded now, locked. */
async function readPresent(tx: Queryable, yields: readonly Yielded[], partial: boolean): Promise<Stamped[]> {
  const producers = yields.map((one) => one.producer);
  const wanted = yields.flatMap((one) => one.wanted);
  const byId = sql`
    select d.subject
    from unnest(${int2s(wanted.map((one) => one.collection))}, ${texts(wanted.map((one) => one.id))}) as w (collection, id)
    join headway.document d on d.collection = w.collection and d.id = w.id`;
  if (partial) return await queryPresent(tx, byId);
  const subjects = int8s(producers.map((one) => one.subject));
  const stages = int2s(producers.map((one) => one.stage));
  return await queryPresent(
    tx,
    sql`${byId}
    union
    select d.subject from unnest(${subjects}, ${stages}) as p (subject, stage)
    join headway.document d on d.producer = p.subject and d.producer_stage = p.stage
    union
    select c.document from unnest(${subjects}, ${stages}) as p (subject, stage)
    join headway.co_producer c on c.producer = p.subject and c.stage = p.stage`,
  );
}

async function queryPresent(tx: Queryable, subjects: ReturnType<typeof sql>): Promise<Stamped[]> {
  const rows = await tx.query<PresentRow>(sql`
    select d.subject, d.collection, d.id, d.hash, d.gone_at is not null as gone, d.stamp, d.producer, d.producer_stage,
      (select json_agg(json_build_object('stage', c.stage, 'producer', c.producer) order by c.producer, c.stage)
        from headway.co_producer c where c.document = d.subject) as others
    from headway.document d
    where d.subject in (${subjects})
    order by d.subject
    for update of d`);
  return rows.map((row) => ({
    subject: row.subject,
    collection: row.collection,
    id: row.id,
    hash: row.hash,
    gone: row.gone,
    stamp: row.stamp,
    producers: [
      { stage: row.producer_stage, subject: row.producer },
      ...(row.others ?? []).map((one) => ({ stage: one.stage, subject: one.producer })),
    ],
  }));
}

/** Within one run an id has one content; parts of a stream cannot see each other, so the stamp decides. */
function refuseYieldedTwice(yields: readonly Yielded[], present: readonly Stamped[], stamp: number): void {
  const stamped = new Map(
    present.filter((one) => one.stamp === stamp).map((one) => [`${one.collection}/${one.id}`, one]),
  );
  for (const { wanted, producer } of yields) {
    for (const one of wanted) {
      const before = stamped.get(`${one.collection}/${one.id}`);
      const own = before?.producers.some(
        (each) => each.stage === producer.stage && each.subject === producer.subject,
      );
      if (before && own && !before.hash.equals(one.hash)) throw yieldedTwice(one.id);
    }
  }
}

export const yieldedTwice = (id: string) =>
  permanent(
    "output.twice",
    `The document "${id}" was yielded twice with different content; give each its own id.`,
  );

type ChangeOf<Kind extends Change["kind"]> = Extract<Change<Prepared>, { kind: Kind }>;

async function applyChanges(
  tx: Queryable,
  write: WriteOutputs,
  changes: readonly Change<Prepared>[],
  present: readonly Present[],
): Promise<Written> {
  const of = <Kind extends Change["kind"]>(kind: Kind) =>
    changes.filter((change): change is ChangeOf<Kind> => change.kind === kind);
  const [inserts, updates, keeps, shares] = [of("insert"), of("update"), of("keep"), of("share")];
  const [leaves, removes, conflicts] = [of("leave"), of("remove"), of("conflict")];
  if (inserts.length > 0) await insertDocuments(tx, write, inserts);
  if (updates.length > 0) await updateDocuments(tx, write, updates);
  if (shares.length > 0) await insertShares(tx, write, shares);
  if (write.stamp !== null && keeps.length > 0) await stampKept(tx, write.stamp, keeps);
  if (leaves.length > 0) await removeShares(tx, leaves);
  const placed = [...updates, ...keeps, ...shares];
  if (write.partial && placed.length > 0) await endConflicts(tx, placed);
  if (!write.partial) await dropConflicts(tx, write.yields, conflicts);
  if (conflicts.length > 0) await insertConflicts(tx, write, conflicts);
  if (removes.length > 0)
    await markGone(
      tx,
      removes.map((one) => one.subject),
      write.now,
    );
  await oweFollowing(tx, write, inserts, updates);
  const went = new Set(removes.map((one) => one.subject));
  const changed: Wanted[] = [...inserts, ...updates].map((one) => one.wanted);
  changed.push(...present.filter((one) => went.has(one.subject)));
  await oweLookers(tx, write.flow, changed, write.now);
  return {
    inserted: inserts.length,
    updated: updates.length,
    kept: keeps.length + shares.length,
    removed: removes.length,
    conflicts: conflicts.map(({ wanted }) => ({ collection: wanted.collection, id: wanted.id })),
  };
}

const inheritance = (write: WriteOutputs) =>
  new Map(write.yields.map((one) => [`${one.producer.stage}/${one.producer.subject}`, one]));

async function insertDocuments(
  tx: Queryable,
  write: WriteOutputs,
  inserts: readonly ChangeOf<"insert">[],
): Promise<void> {
  const origin = inheritance(write);
  const from = inserts.map(({ producer }) => origin.get(`${producer.stage}/${producer.subject}`) as Yielded);
  const [collections, ids, bodies] = columnsOf(inserts);
  await tx.query(sql`
    with made as (
    insert into headway.document
      (subject, collection, id, hash, body, producer, producer_stage, request, rank, stamp, created_at, changed_at)
    select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.stage, o.request, o.rank,
      ${write.stamp}::int8, ${write.now}, ${write.now}
    from unnest(${int8s(inserts.map((one) => one.subject))}, ${collections},
      ${ids}, ${byteas(inserts.map((one) => one.wanted.hash))},
      ${bodies}, ${int8s(inserts.map((one) => one.producer.subject))},
      ${int2s(inserts.map((one) => one.producer.stage))}, ${uuids(from.map((one) => one.request))},
      ${int2s(from.map((one) => one.rank))}
    ) as o (subject, collection, id, hash, body, producer, stage, request, rank)
    )
    select ${project({ collections, ids, bodies })}`);
}

const columnsOf = (changes: readonly { readonly wanted: Prepared }[]): [Column, Column, Column] => [
  int2s(changes.map((one) => one.wanted.collection)),
  texts(changes.map((one) => one.wanted.id)),
  texts(changes.map((one) => one.wanted.json)),
];

async function updateDocuments(
  tx: Queryable,
  write: WriteOutputs,
  updates: readonly ChangeOf<"update">[],
): Promise<void> {
  const origin = inheritance(write);
  const from = updates.map(({ producer }) => origin.get(`${producer.stage}/${producer.subject}`) as Yielded);
  const [collections, ids, bodies] = columnsOf(updates);
  const now = write.now;
  const hashes = byteas(updates.map((one) => one.wanted.hash));
  const subjects = int8s(updates.map((one) => one.subject));
  await tx.query(sql`
    with former as (${keepFormer(sql`unnest(${subjects}, ${hashes}) as u (subject, hash)`, now)}),
    changed as (
    update headway.document d
    set hash = u.hash, body = u.body::jsonb, producer = u.producer, producer_stage = u.stage, request = u.request,
      rank = u.rank, stamp = ${write.stamp}::int8, gone_at = null, changed_at = ${now}
    from unnest(${subjects}, ${hashes},
      ${bodies}, ${int8s(updates.map((one) => one.producer.subject))},
      ${int2s(updates.map((one) => one.producer.stage))}, ${uuids(from.map((one) => one.request))},
      ${int2s(from.map((one) => one.rank))}) as u (subject, hash, body, producer, stage, request, rank)
    where d.subject = u.subject
    )
    select ${project({ collections, ids, bodies })}`);
  const revived = updates.filter((one) => one.revived).map((one) => one.subject);
  // Co-producers from before the removal have left.
  if (revived.length > 0) {
    await tx.query(sql`delete from headway.co_producer where document = any (${int8s(revived)})`);
  }
}

async function insertShares(
  tx: Queryable,
  write: WriteOutputs,
  shares: readonly ChangeOf<"share">[],
): Promise<void> {
  await tx.query(sql`
    insert into headway.co_producer (document, producer, stage, stamp)
    select s.document, s.producer, s.stage, ${write.stamp}::int8
    from unnest(${int8s(shares.map((one) => one.subject))}, ${int8s(shares.map((one) => one.producer.subject))},
      ${int2s(shares.map((one) => one.producer.stage))}) as s (document, producer, stage)
    on conflict (document, producer, stage) do update set stamp = excluded.stamp`);
}

async function stampKept(tx: Queryable, stamp: number, keeps: readonly ChangeOf<"keep">[]): Promise<void> {
  const kept = sql`unnest(${int8s(keeps.map((one) => one.subject))}, ${int8s(keeps.map((one) => one.producer.subject))},
    ${int2s(keeps.map((one) => one.producer.stage))}) as k (document, producer, stage)`;
  await tx.query(sql`
    update headway.document d set stamp = ${stamp}
    from ${kept}
    where d.subject = k.document and d.producer = k.producer and d.producer_stage = k.stage`);
  await tx.query(sql`
    update headway.co_producer c set stamp = ${stamp}
    from ${kept}
    where c.document = k.document and c.producer = k.producer and c.stage = k.stage`);
}

/**
 * Removes some of several producers; a producer named in the document's row is replaced by another, with its stamp.
 */
async function removeShares(tx: Queryable, leaves: readonly ChangeOf<"leave">[]): Promise<void> {
  const heirs = new Map<number, Producer>();
  // If the heir leaves as well, the last heir counts.
  for (const { subject, heir } of leaves) if (heir) heirs.set(subject, heir);
  const gone = leaves.map(({ subject, producer }) => ({ subject, producer }));
  for (const [subject, producer] of heirs) gone.push({ subject, producer });
  if (heirs.size > 0) {
    await tx.query(sql`
      update headway.document d
      set producer = c.producer, producer_stage = c.stage, stamp = c.stamp
      from unnest(${int8s([...heirs.keys()])}, ${int8s([...heirs.values()].map((one) => one.subject))},
        ${int2s([...heirs.values()].map((one) => one.stage))}) as h (subject, producer, stage)
      join headway.co_producer c on c.document = h.subject and c.producer = h.producer and c.stage = h.stage
      where d.subject = h.subject`);
  }
  await tx.query(sql`
    delete from headway.co_producer c
    using unnest(${int8s(gone.map((one) => one.subject))}, ${int8s(gone.map((one) => one.producer.subject))},
      ${int2s(gone.map((one) => one.producer.stage))}) as l (document, producer, stage)
    where c.document = l.document and c.producer = l.producer and c.stage = l.stage`);
}

async function insertConflicts(
  tx: Queryable,
  write: WriteOutputs,
  conflicts: readonly ChangeOf<"conflict">[],
): Promise<void> {
  await tx.query(sql`
    insert into headway.conflict (document, producer, stage, hash, body, at)
    select c.document, c.producer, c.stage, c.hash, c.body::jsonb, ${write.now}
    from unnest(${int8s(conflicts.map((one) => one.subject))}, ${int8s(conflicts.map((one) => one.producer.subject))},
      ${int2s(conflicts.map((one) => one.producer.stage))}, ${byteas(conflicts.map((one) => one.wanted.hash))},
      ${texts(conflicts.map((one) => one.wanted.json))}) as c (document, producer, stage, hash, body)
    on conflict (document, producer, stage) do update set hash = excluded.hash, body = excluded.body, at = excluded.at`);
}

/** Producers and documents agree again: their conflicts end. */
async function endConflicts(
  tx: Queryable,
  placed: readonly { readonly subject: number; readonly producer: Producer }[],
): Promise<void> {
  await tx.query(sql`
    delete from headway.conflict c
    using unnest(${int8s(placed.map((one) => one.subject))}, ${int8s(placed.map((one) => one.producer.subject))},
      ${int2s(placed.map((one) => one.producer.stage))}) as p (document, producer, stage)
    where c.document = p.document and c.producer = p.producer and c.stage = p.stage`);
}

/** Ends all conflicts of these producers, except for the current conflicts. */
async function dropConflicts(
  tx: Queryable,
  yields: readonly Yielded[],
  conflicts: readonly ChangeOf<"conflict">[],
): Promise<void> {
  const producers = yields.map((one) => one.producer);
  await tx.query(
    prepared(
      "dropconflicts",
      sql`
    delete from headway.conflict c
    using unnest(${int8s(producers.map((one) => one.subject))}, ${int2s(producers.map((one) => one.stage))})
      as p (producer, stage)
    where c.producer = p.producer and c.stage = p.stage
      and c.document <> all (${int8s(conflicts.map((one) => one.subject))})`,
    ),
  );
}

/** Documents are invisible from the commit on, in projections as well. */
export const hideDocuments = (subjects: Column, now: Date): Statement => sql`
  with gone as (
    update headway.document set gone_at = ${now} where subject = any (${subjects}) and gone_at is null
  )
  select ${unproject(subjects)}`;

/** Documents without a producer: invisible and idle from now on; the reaper does the rest. */
export async function markGone(tx: Queryable, subjects: readonly number[], now: Date): Promise<void> {
  const going = int8s(subjects);
  await tx.query(prepared("gone", hideDocuments(going, now)));
  await tx.query(prepared("gonetasks", sql`delete from headway.task where subject = any (${going})`));
}

async function oweFollowing(
  tx: Queryable,
  write: WriteOutputs,
  inserts: readonly ChangeOf<"insert">[],
  updates: readonly ChangeOf<"update">[],
): Promise<void> {
  const { flow, now } = write;
  const origin = inheritance(write);
  const owed = (changes: readonly (ChangeOf<"insert"> | ChangeOf<"update">)[]) =>
    changes.flatMap(({ subject, wanted, producer }) => {
      const rank = (origin.get(`${producer.stage}/${producer.subject}`) as Yielded).rank;
      return (flow.readers.get(wanted.collection) ?? []).map((stage) => ({ subject, stage, rank }));
    });
  const [fresh, changed] = [owed(inserts), owed(updates)];
  if (fresh.length > 0) await oweNew(tx, fresh, now);
  if (changed.length > 0) await oweChanged(tx, changed, now);
  const joining = [...inserts, ...updates].flatMap(({ subject, wanted, producer }) =>
    joiningOf(subject, wanted, origin.get(`${producer.stage}/${producer.subject}`) as Yielded, flow),
  );
  if (joining.length > 0) await joinGroups(tx, joining, write.numbers, now);
}
