/*
  Claims due tasks of a stage for a worker and returns them with their inputs, in one round trip. Claims of one stage come
  one after another (the lock on the stage's row), so two workers never claim the same task and limits hold over the whole
  fleet. Several statements on purpose: snapshots taken after the lock was granted see the claims made before.

  `few` asks for tasks that survived one worker crash, `alone` for tasks that survived more.
*/
-- Forms of databases from before 0001_schema.
drop function if exists headway.take_tasks(
  smallint, bigint, timestamptz, int, boolean, smallint, timestamptz, bigint);

create or replace function headway.take_tasks(
  the_stage smallint, the_worker bigint, the_moment timestamptz, most int, few boolean, alone boolean,
  after_rank smallint, after_ready timestamptz, after_subject bigint
) returns table (
  claim bigint, subject bigint, rank smallint, ready_at timestamptz, generation int,
  attempts smallint, waits smallint, crashes smallint, first_attempt_at timestamptz,
  fault jsonb, id text, hash bytea, body jsonb, gone boolean, request uuid, marker bytea
) language plpgsql
-- Statistics of a queue are always out of date, so the indexes are chosen without them.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_memoize = off
set plan_cache_mode = force_generic_plan
as $$
declare
  limits headway.stage%rowtype;
  room int := most;
  tokens double precision;
  taken bigint[];
  crashed smallint[];
  number bigint;
  found_tasks int;
begin
  -- A look without a due task writes nothing: row locks would cost a commit and a disk flush each time.
  perform 1 from headway.task t
  where t.stage = the_stage and t.ready_at <= the_moment
    and (t.rank, t.ready_at, t.subject) > (after_rank, after_ready, after_subject)
  limit 1;
  if not found then
    return;
  end if;
  select * into limits from headway.stage s where s.id = the_stage for no key update;
  perform 1 from headway.worker w where w.id = the_worker and w.evicted_at is null for share;
  if not found then
    raise exception 'worker % was evicted', the_worker using errcode = 'HW001';
  end if;
  if limits.paused_at is not null then
    return;
  end if;
  -- Operators' limits hold instead of the code's, also when they are null: none.
  if limits.settings is not null then
    if limits.settings ? 'concurrency' then
      limits.concurrency := (limits.settings #>> '{concurrency,value}')::int;
    end if;
    if limits.settings ? 'rate' then
      limits.rate_limit := (limits.settings #>> '{rate,value,limit}')::double precision;
      limits.rate_per_ms := (limits.settings #>> '{rate,value,perMs}')::double precision;
    end if;
  end if;
  if limits.concurrency is not null then
    room := least(room, limits.concurrency
      - (select coalesce(sum(cardinality(c.subjects)), 0)::int from headway.claim c where c.stage = the_stage));
  end if;
  if limits.rate_limit is not null then
    tokens := case when limits.rate_filled_at is null then limits.rate_limit
      else least(limits.rate_limit, limits.rate_tokens + limits.rate_limit
        * greatest(0, extract(epoch from the_moment - limits.rate_filled_at) * 1000) / limits.rate_per_ms) end;
    room := least(room, floor(tokens)::int);
  end if;
  if room <= 0 then
    return;
  end if;

  select array_agg(d.subject), array_agg(d.crashes) into taken, crashed
  from (
    select t.subject, t.crashes
    from headway.task t
    where t.stage = the_stage
      and t.ready_at <= the_moment
      and (t.rank, t.ready_at, t.subject) > (after_rank, after_ready, after_subject)
      and (t.crashes = 0 or (few and t.crashes = 1) or (alone and t.crashes > 1))
      and t.subject not in (select unnest(c.subjects) from headway.claim c where c.stage = the_stage)
    order by t.rank, t.ready_at, t.subject
    limit room
  ) d;
  -- Tasks that survived a worker crash are claimed a few at a time, and after a second crash alone: the third crash then
  -- identifies the culprit, and the innocent tasks of the same claims are soon done.
  if crashed[1] > 1 then
    taken := taken[1:1];
  elsif crashed[1] = 1 then
    taken := array(select x.subject from unnest(taken, crashed) as x (subject, crashes) where x.crashes = 1 limit 32);
  elsif 0 < any (crashed) then
    taken := array(select x.subject from unnest(taken, crashed) as x (subject, crashes) where x.crashes = 0);
  end if;

  if taken is null then
    return;
  end if;
  if limits.rate_limit is not null then
    update headway.stage s
    set rate_tokens = tokens - cardinality(taken), rate_filled_at = the_moment
    where s.id = the_stage;
  end if;
  number := nextval('headway.claim_number');
  insert into headway.claim (id, worker, stage, subjects, at) values (number, the_worker, the_stage, taken, the_moment);
  return query
    select number, t.subject, t.rank, t.ready_at, t.generation, t.attempts, t.waits, t.crashes,
      t.first_attempt_at, t.fault, coalesce(d.id, g.key), d.hash, d.body, d.gone_at is not null or (d.id is null and g.key is null),
      coalesce(d.request, g.request), r.marker
    from unnest(taken) with ordinality as k (subject, place)
    join headway.task t on t.subject = k.subject and t.stage = the_stage
    left join headway.document d on d.subject = t.subject
    -- Only for tasks of groups.
    left join lateral (
      select g.key, g.request from headway.grouping g where d.subject is null and g.subject = t.subject
    ) g on true
    left join headway.done r on r.subject = t.subject and r.stage = the_stage
    order by k.place;
  -- A task deleted since it was chosen must not stay in the claim: no attempt would ever end it.
  get diagnostics found_tasks = row_count;
  if found_tasks < cardinality(taken) then
    update headway.claim c
    set subjects = array(select t.subject from headway.task t where t.stage = the_stage and t.subject = any (taken))
    where c.id = number;
    delete from headway.claim c where c.id = number and c.subjects = '{}';
  end if;
end
$$;
