/*
  Ends a worker in one round trip: marks the row, deletes the claims, frees the tasks and records the crash in them, as far
  as there is evidence. A crash from the third on counts only if no other worker died meanwhile (`together`, or a crash since
  the task's last attempt), at most `spared_max` times. Null: the worker had ended already, or another process is ending it
  (`skip`).
*/
-- Forms of databases from before 0001_schema.
drop function if exists headway.end_worker(bigint, text, boolean, timestamptz, boolean, int);

create or replace function headway.end_worker(
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
  -- A separate statement: its snapshot includes claims made while this one waited for the lock.
  for held in
    delete from headway.claim c where c.worker = the_worker
    returning c.stage, c.subjects, (select s.isolated from headway.stage s where s.id = c.stage) as isolated
  loop
    -- Tasks by key, not by a join: a plan from a queue's statistics may cost seconds of the takeover. A task locked by
    -- another statement is freed all the same, and does not remember the crash: the takeover never waits.
    update headway.task t
    set crashes = case
        when not died then t.crashes
        -- Remembered, so that the next worker does not run the outputs ahead: a later stage may be the culprit.
        when held.isolated then 1
        -- The first two crashes only narrow the circle: a few tasks, then one.
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
