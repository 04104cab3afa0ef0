import { expect } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";

/** Everything readers can see: collection, id and content hash of each document, in order. */
export async function contentOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string; id: string; hash: string }>(sql`
    select c.name, d.id, encode(d.hash, 'hex') as hash
    from headway.document d
    join headway.collection c on c.id = d.collection
    where d.gone_at is null
    order by c.name, d.id`);
  return rows.map(({ name, id, hash }) => `${name}/${id} ${hash}`);
}

/** Nothing lost, nothing left over: each document is done or dead, once, at each stage that reads its collection. */
export async function expectAllSettled(db: Database): Promise<void> {
  const [left] = await db.query<object>(sql`
    select (select count(*) from headway.task) as tasks, (select count(*) from headway.claim) as claims,
      (select count(*) from headway.document where gone_at is not null) as gone,
      (select count(*) from headway.document d join headway.stage s on s.reads = d.collection and s.shape <> 'fan-in'
        where (select count(*) from headway.done r where r.subject = d.subject and r.stage = s.id)
          + (select count(*) from headway.dead_letter x where x.subject = d.subject and x.stage = s.id) <> 1
      ) as strays`);
  expect(left).toEqual({ tasks: 0, claims: 0, gone: 0, strays: 0 });
}

export interface TaskView {
  readonly id: string;
  readonly stage: string;
  readonly attempts: number;
  readonly waits: number;
  readonly crashes: number;
  readonly ready_at: Date;
  readonly reason: string | null;
  readonly fault: { readonly kind: string; readonly code: string; readonly message: string } | null;
}

/** Tasks neither done nor dead, in an operator's view. */
export const openTasks = (db: Database) =>
  db.query<TaskView>(sql`
    select coalesce(d.id, g.key) as id, s.name as stage, t.attempts, t.waits, t.crashes, t.ready_at, t.reason, t.fault
    from headway.task t
    join headway.stage s on s.id = t.stage
    left join headway.document d on d.subject = t.subject
    left join headway.grouping g on g.subject = t.subject
    order by s.name, 1`);

export interface DeadView extends Omit<TaskView, "ready_at" | "fault"> {
  readonly reason: string;
  readonly kind: string;
  readonly code: string;
  readonly fault: { readonly message: string; readonly stack?: string };
}

export const deadLetters = (db: Database) =>
  db.query<DeadView>(sql`
    select coalesce(d.id, g.key) as id, s.name as stage, x.reason, x.kind, x.code, x.attempts, x.waits, x.crashes, x.fault
    from headway.dead_letter x
    join headway.stage s on s.id = x.stage
    left join headway.document d on d.subject = x.subject
    left join headway.grouping g on g.subject = x.subject
    order by s.name, 1`);

/** Attempts of each done task. */
export const doneTasks = (db: Database) =>
  db.query<{ id: string; stage: string; attempts: number }>(sql`
    select coalesce(d.id, g.key) as id, s.name as stage, r.attempts
    from headway.done r
    join headway.stage s on s.id = r.stage
    left join headway.document d on d.subject = r.subject
    left join headway.grouping g on g.subject = r.subject
    order by s.name, 1`);
