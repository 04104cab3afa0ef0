import { type Joining, joiningOf } from "./groups.ts";
import { project } from "./projections.ts";
import { byteas, int2s, int8s, type Statement, sql, texts, uuids } from "./sql.ts";
import type { Flow, Prepared } from "./stage-graph.ts";

/** Documents expected to be new, with their tasks, as columns: written without a comparison. */
export interface Fresh {
  readonly subject: number[];
  readonly collection: number[];
  readonly id: string[];
  readonly hash: Buffer[];
  readonly json: string[];
  readonly producer: number[];
  readonly producerStage: number[];
  readonly request: string[];
  readonly rank: number[];
  readonly owed: { readonly subject: number[]; readonly stage: number[]; readonly rank: number[] };
  readonly joining: Joining[];
}

export interface Origin {
  readonly producer: number;
  readonly producerStage: number;
  readonly request: string;
  readonly rank: number;
}

export const emptyFresh = (): Fresh => ({
  subject: [],
  collection: [],
  id: [],
  hash: [],
  json: [],
  producer: [],
  producerStage: [],
  request: [],
  rank: [],
  owed: { subject: [], stage: [], rank: [] },
  joining: [],
});

/** Adds a document under its number; `settled`: stages already run ahead. */
export function addFresh(
  to: Fresh,
  subject: number,
  document: Prepared,
  origin: Origin,
  flow: Flow,
  settled = false,
): void {
  const { producer, producerStage, request, rank } = origin;
  to.subject.push(subject);
  to.collection.push(document.collection);
  to.id.push(document.id);
  to.hash.push(document.hash);
  to.json.push(document.json);
  to.producer.push(producer);
  to.producerStage.push(producerStage);
  to.request.push(request);
  to.rank.push(rank);
  for (const stage of (settled ? undefined : flow.readers.get(document.collection)) ?? []) {
    to.owed.subject.push(subject);
    to.owed.stage.push(stage);
    to.owed.rank.push(rank);
  }
  if (document.groups.length > 0) to.joining.push(...joiningOf(subject, document, origin, flow));
}

/**
 * Plain inserts: an existing id is an error, and the compared way decides what to do. `projected` has one row, to be read by the
 * statement: a part that nobody reads is never run.
 */
export function insertFresh(fresh: Fresh, now: Date): Statement {
  const [collections, ids, bodies] = [int2s(fresh.collection), texts(fresh.id), texts(fresh.json)];
  const projected = fresh.id.length > 0 ? project({ collections, ids, bodies }) : sql`0`;
  return sql`made as (
  insert into headway.document
    (subject, collection, id, hash, body, producer, producer_stage, request, rank, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.producer_stage, o.request, o.rank, ${now}, ${now}
  from unnest(${int8s(fresh.subject)}, ${collections}, ${ids},
    ${byteas(fresh.hash)}, ${bodies}, ${int8s(fresh.producer)}, ${int2s(fresh.producerStage)},
    ${uuids(fresh.request)}, ${int2s(fresh.rank)}
  ) as o (subject, collection, id, hash, body, producer, producer_stage, request, rank)
  ), projected as materialized (select ${projected} as rest)`;
}

export const insertOwed = ({ owed }: Fresh, now: Date): Statement => sql`
  insert into headway.task (subject, stage, rank, ready_at, owed_at)
  select o.subject, o.stage, o.rank, ${now}, ${now}
  from unnest(${int8s(owed.subject)}, ${int2s(owed.stage)}, ${int2s(owed.rank)}) as o (subject, stage, rank)`;
