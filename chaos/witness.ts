import type { Database } from "../engine/src/store/database.ts";

/**
 * The database's own history, independent of the workers: every claim, every task owed and ended, every result and
 * every output, with session and transaction. Written by triggers, so rolled-back writes leave nothing.
 */
export async function callWitness(db: Database): Promise<void> {
  await db.script(`
    create schema chaos;
    create table chaos.claimed (claim int8, worker int8, stage int2, subjects int8[], ${signature});
    create table chaos.unclaimed (claim int8, stage int2, subjects int8[], ${signature});
    create table chaos.owed (subject int8, stage int2, ${signature});
    create table chaos.ended (subject int8, stage int2, ${signature});
    create table chaos.recorded (subject int8, stage int2, marker bytea, ${signature});
    create table chaos.died (subject int8, stage int2, ${signature});
    create table chaos.born (subject int8, ${signature});
    create table chaos.wrote (producer int8, stage int2, ${signature});
    create table chaos.announced (subject int8, stage int2, ${signature});
    create table chaos.crashed (subject int8, stage int2, crashes int2, ${signature});
    create table chaos.evicted (worker int8, ${signature});
  `);
  for (const { table, on, log } of witnessed) await db.script(triggerOf(table, on, log));
}

const signature = `at timestamptz default clock_timestamp(), tx int8 default pg_current_xact_id()::text::int8,
  session text default regexp_replace(current_setting('application_name'), '^headway ', '')`;

type Change = "insert" | "update" | "delete";

const witnessed: readonly { table: string; on: Change; log: string }[] = [
  {
    table: "claim",
    on: "insert",
    log: "insert into chaos.claimed (claim, worker, stage, subjects) select id, worker, stage, subjects from made",
  },
  {
    table: "claim",
    on: "update",
    log: `insert into chaos.unclaimed (claim, stage, subjects)
      select o.id, o.stage, array(select unnest(o.subjects) except select unnest(n.subjects))
      from was o join made n on n.id = o.id`,
  },
  {
    table: "claim",
    on: "delete",
    log: "insert into chaos.unclaimed (claim, stage, subjects) select id, stage, subjects from was",
  },
  {
    table: "task",
    on: "insert",
    log: "insert into chaos.owed (subject, stage) select subject, stage from made",
  },
  {
    table: "task",
    on: "update",
    log: `insert into chaos.owed (subject, stage)
      select n.subject, n.stage from made n join was o on o.subject = n.subject and o.stage = n.stage
      where n.generation <> o.generation;
      insert into chaos.crashed (subject, stage, crashes)
      select n.subject, n.stage, n.crashes from made n join was o on o.subject = n.subject and o.stage = n.stage
      where n.crashes > o.crashes`,
  },
  {
    table: "task",
    on: "delete",
    log: "insert into chaos.ended (subject, stage) select subject, stage from was",
  },
  {
    table: "done",
    on: "insert",
    log: "insert into chaos.recorded (subject, stage, marker) select subject, stage, marker from made",
  },
  {
    table: "done",
    on: "update",
    log: "insert into chaos.recorded (subject, stage, marker) select subject, stage, marker from made",
  },
  {
    table: "dead_letter",
    on: "insert",
    log: "insert into chaos.died (subject, stage) select subject, stage from made",
  },
  {
    table: "document",
    on: "insert",
    log: `insert into chaos.born (subject) select subject from made;
      insert into chaos.wrote (producer, stage)
      select distinct producer, producer_stage from made where producer_stage <> 0`,
  },
  {
    table: "document",
    on: "update",
    log: `insert into chaos.wrote (producer, stage)
      select distinct n.producer, n.producer_stage from made n join was o on o.subject = n.subject
      where n.producer_stage <> 0 and n.hash <> o.hash`,
  },
  {
    table: "outbox",
    on: "insert",
    log: "insert into chaos.announced (subject, stage) select subject, stage from made",
  },
  {
    table: "outbox",
    on: "update",
    log: "insert into chaos.announced (subject, stage) select subject, stage from made where relayed_at is null",
  },
  {
    table: "worker",
    on: "update",
    log: `insert into chaos.evicted (worker) select n.id from made n join was o on o.id = n.id
      where n.evicted_at is not null and o.evicted_at is null`,
  },
];

function triggerOf(table: string, on: Change, log: string): string {
  const name = `${table}_${on}`;
  const tables = {
    insert: "new table as made",
    update: "old table as was new table as made",
    delete: "old table as was",
  }[on];
  return `
    create function chaos.${name}() returns trigger language plpgsql as $$ begin ${log}; return null; end $$;
    create trigger witness_${on} after ${on} on headway.${table}
      referencing ${tables} for each statement execute function chaos.${name}();`;
}
