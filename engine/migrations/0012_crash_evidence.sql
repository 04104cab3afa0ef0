-- A worker's death counts against a task only with evidence. Before, every task in hand was charged, so workers that were
-- killed from outside turned innocent documents into dead letters.
--
-- An isolated stage runs its documents in child processes, which cannot kill the worker.
alter table headway.stage add column isolated boolean not null default false;
-- The worker died, in contrast to a worker that stopped or started again under a new number.
alter table headway.worker add column crashed boolean not null default false;
create index worker_crashed on headway.worker (evicted_at) where crashed;
-- Deaths of workers with this task in hand that were not charged: other workers were dying as well.
alter table headway.task add column spared smallint not null default 0;

create function headway.end_worker(
  the_worker bigint, because text, died boolean, the_moment timestamptz, skip boolean, wait_ms int,
  together boolean, spared_max int
) returns int language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  held record;
  tasks int;
  freed int := 0;
  other_died_at timestamptz;
begin
  if wait_ms is not null then
    perform set_config('lock_timeout', wait_ms::text, true);
  end if;
  if skip then
    perform 1 from headway.worker w where w.id = the_worker and w.evicted_at is null for update skip locked;
  else
    perform 1 from headway.worker w where w.id = the_worker and w.evicted_at is null for update;
  end if;
  if not found then
    return null;
  end if;
  select w.evicted_at into other_died_at from headway.worker w where w.crashed order by w.evicted_at desc limit 1;
  update headway.worker w
  set evicted_at = the_moment, evicted_because = because, crashed = died
  where w.id = the_worker;
  -- A statement of its own: it has to see claims that were made while the lock was waited for.
  for held in
    delete from headway.claim c where c.worker = the_worker
    returning c.stage, c.subjects, (select s.isolated from headway.stage s where s.id = c.stage) as isolated
  loop
    -- By their key, not by a join: what a queue's statistics say about a join may cost seconds, and these count. A task that
    -- somebody is changing now is free all the same, and does not remember the crash: nobody waits for it.
    update headway.task t
    set crashes = case
        when not died then t.crashes
        -- Remembered so that its outputs are not taken on in passing by the next worker: a stage behind may have been it.
        when held.isolated then 1
        -- The first two only narrow the circle: among a few, then alone.
        when t.crashes < 2 then t.crashes + 1
        when t.spared < spared_max and (together or other_died_at > t.last_attempt_at) then t.crashes
        else t.crashes + 1 end,
      spared = case
        when died and not held.isolated and t.crashes >= 2 and t.spared < spared_max
          and (together or other_died_at > t.last_attempt_at) then t.spared + 1
        else t.spared end,
      ready_at = least(t.ready_at, the_moment), last_attempt_at = the_moment,
      first_attempt_at = coalesce(t.first_attempt_at, the_moment), reason = 'worker lost'
    where t.stage = held.stage and t.subject = any (array(
      select l.subject from headway.task l
      where l.subject = any (held.subjects) and l.stage = held.stage
      for update skip locked));
    get diagnostics tasks = row_count;
    freed := freed + tasks;
  end loop;
  return freed;
end
$$;

-- The old form, for workers that were started before, asks the new one.
create or replace function headway.end_worker(
  the_worker bigint, because text, crashed boolean, the_moment timestamptz, skip boolean, wait_ms int
) returns int language sql as $$
  select headway.end_worker(the_worker, because, crashed, the_moment, skip, wait_ms, false, 10)
$$;
