import type { DatabaseOption } from "@headway/engine";
import { makeGate, startChain } from "../ours/chain-engine.ts";
import { draft } from "../pipeline.ts";

/**
 * The write set of a completion, done by the server alone: output document with its lineage, marker, downstream task,
 * the end of the task, and a claim per batch, written and deleted. No client, no handler, no waiting: the upper limit
 * given by the tables. Headway's rate is reported as a share of this limit.
 */
export async function writeSetPerSecond(
  database: DatabaseOption,
  count: number,
  batchSize = 1_000,
): Promise<number> {
  const engine = await startChain(database, { work: false });
  try {
    await makeGate(engine).shut();
    await engine.accept(Array.from({ length: count }, (_, number) => draft(number)));
    const from = performance.now();
    // A block may commit only outside a transaction, and a script would be a transaction.
    await engine.database.query({ text: block(batchSize), values: [] });
    const seconds = (performance.now() - from) / 1_000;
    const [left] = await engine.database.query<{ tasks: number }>({
      text: `select count(*) as tasks from headway.task t join headway.stage s on s.id = t.stage where s.name = 'first'`,
      values: [],
    });
    if (left?.tasks !== 0) throw new Error(`The yardstick left ${left?.tasks} tasks.`);
    return count / seconds;
  } finally {
    await engine.stop();
  }
}

const block = (batchSize: number): string => `
do $$
declare
  this headway.stage%rowtype;
  next smallint;
  target smallint;
  due bigint[];
  taken bigint[];
  number bigint;
  moment timestamptz;
begin
  select * into this from headway.stage where name = 'first';
  select id into next from headway.stage where name = 'second';
  select id into target from headway.collection where name = 'firsts';
  due := array(select subject from headway.task where stage = this.id order by subject);
  for at in 1 .. cardinality(due) by ${batchSize} loop
    moment := clock_timestamp();
    taken := due[at : at + ${batchSize - 1}];
    number := nextval('headway.claim_number');
    insert into headway.claim (id, worker, stage, subjects, at) values (number, 0, this.id, taken, moment);
    commit;
    with ended as (
      delete from headway.task where subject = any (taken) and stage = this.id
    ),
    results as (
      insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, finished_at)
      select d.subject, this.id, d.hash, d.hash, coalesce(this.variant, 0), 1, 1, moment
      from headway.document d where d.subject = any (taken)
    ),
    made as (
      insert into headway.document
        (subject, collection, id, hash, body, producer, producer_stage, request, rank, created_at, changed_at)
      select d.subject + 1000000000, target, d.id, d.hash, d.body, d.subject, this.id, d.request, d.rank, moment, moment
      from headway.document d where d.subject = any (taken)
    )
    insert into headway.task (subject, stage, rank, ready_at, owed_at)
    select s + 1000000000, next, 0, moment, moment from unnest(taken) s;
    delete from headway.claim where id = number;
    commit;
  end loop;
end
$$`;
