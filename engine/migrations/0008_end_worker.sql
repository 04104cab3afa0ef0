-- Ends a worker in one round trip: with a question for each of its claims, taking over from several at once took a second where
-- the server is busy or far away. Null: it had ended already, or somebody else is ending it (skip).
create function headway.end_worker(
  the_worker bigint, because text, crashed boolean, the_moment timestamptz, skip boolean, wait_ms int
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
  update headway.worker w set evicted_at = the_moment, evicted_because = because where w.id = the_worker;
  -- A statement of its own: it has to see claims that were made while the lock was waited for.
  for held in delete from headway.claim c where c.worker = the_worker returning c.stage, c.subjects loop
    -- By their key, not by a join: what a queue's statistics say about a join may cost seconds, and these count. A task that
    -- somebody is changing now is free all the same, and does not remember the crash: nobody waits for it.
    update headway.task t
    set crashes = t.crashes + crashed::int, ready_at = least(t.ready_at, the_moment), last_attempt_at = the_moment,
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
