import { type Claim, freshTask } from "./claims.ts";
import type { Database } from "./database.ts";
import { addFresh, emptyFresh, type Fresh, insertFresh, insertOwed } from "./fresh.ts";
import { countGroups, joinFresh } from "./groups.ts";
import { lookedAt, refuseLooked } from "./looks.ts";
import type { Numbers } from "./numbers.ts";
import { type Written, writeOutputs } from "./outputs.ts";
import { int8s, prepared, sql } from "./sql.ts";
import type { Flow, Prepared } from "./stage-graph.ts";

export interface Accept {
  readonly source: number;
  readonly documents: readonly Prepared[];
  readonly request: string;
  readonly rank: number;
  readonly now: Date;
  readonly flow: Flow;
  readonly numbers: Numbers;
  /** Expects new documents: tries plain inserts without reading first. */
  readonly hopeful?: boolean;
  /** Worker and stage that claim the documents in the same statement, if the documents have a single stage. */
  readonly keen?: { readonly worker: number; readonly stage: number } | null;
}

/** `claim`: the claim of `keen`, if made. */
export type AcceptedDocuments = Written & { readonly claim: Claim | null };

/** Accepts documents from a source and owes their stages. The same content again changes nothing. */
export async function acceptDocuments(db: Database, accept: Accept): Promise<AcceptedDocuments> {
  const { source, documents, request, rank, now, flow, numbers, hopeful } = accept;
  if (hopeful) {
    const accepted = await acceptFresh(db, accept);
    if (accepted) return accepted;
  }
  const yielded = { producer: { stage: 0, subject: source }, wanted: documents, request, rank };
  const written = await db.transaction((tx) =>
    writeOutputs(tx, { yields: [yielded], flow, numbers, now, partial: true, stamp: null }),
  );
  return { ...written, claim: null };
}

/** The usual case as one statement. Null: a document existed already, and nothing was written. */
async function acceptFresh(db: Database, accept: Accept): Promise<AcceptedDocuments | null> {
  const { source: producer, documents, request, rank, flow, numbers, now, keen = null } = accept;
  const nextNumber = await numbers.take(db, documents.length + countGroups(documents));
  const origin = { producer, producerStage: 0, request, rank };
  const fresh = emptyFresh();
  for (const document of documents) addFresh(fresh, nextNumber(), document, origin, flow);
  const claimed = keen
    ? sql`
        insert into headway.claim (id, worker, stage, subjects, at)
        select nextval('headway.claim_number'), w.id, s.id, ${int8s(fresh.subject)}, ${now}
        from headway.worker w, headway.stage s
        where w.id = ${keen.worker} and w.evicted_at is null and s.id = ${keen.stage} and s.paused_at is null
        for share of w
        returning id`
    : sql`select null::int8 as id`;
  const sought = lookedAt(flow, fresh.collection).length > 0;
  const unsought = sql`unsought as materialized (select ${sought ? refuseLooked(fresh) : sql`0`} as rest)`;
  try {
    const [row] = await db.query<{ id: number }>(
      prepared(
        keen ? "acceptkeen" : "accept",
        sql`with ${unsought}, ${joinFresh(fresh.joining, nextNumber, now, sql`unsought`)},
          ${insertFresh(fresh, now)}, owed as (${insertOwed(fresh, now)}), claimed as (${claimed})
          select c.id from unsought u cross join revived r cross join projected p left join claimed c on true
          where u.rest + r.rest + p.rest > 0 or c.id is not null`,
      ),
    );
    const nothing = { updated: 0, kept: 0, removed: 0, conflicts: [] };
    return { inserted: documents.length, ...nothing, claim: row ? claimOf(row.id, fresh, now) : null };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // A duplicate id, or a document that a task has looked for.
    if (code === "23505" || code === "HW002") return null;
    throw error;
  }
}

const claimOf = (
  id: number,
  { subject: subjects, rank, id: ids, hash, json, request }: Fresh,
  now: Date,
): Claim => ({
  id,
  tasks: subjects.map((subject, at) =>
    freshTask({
      subject,
      rank: rank[at] as number,
      id: ids[at] as string,
      hash: hash[at] as Buffer,
      json: json[at] as string,
      request: request[at] as string,
      now,
    }),
  ),
});
