-- Written by `npm run schema` from engine/migrations: to be read, not to be edited.

create sequence headway.claim_number;
create sequence headway.subject_number increment by 1000;
create sequence headway.worker_number;

create table headway.alert (
  id bigint not null generated always as identity,
  configuration text not null,
  key text not null,
  severity text not null,
  count double precision not null,
  folded bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  opened_at timestamptz not null,
  told_at timestamptz,
  told_count double precision,
  notices integer not null,
  times integer not null,
  facts jsonb not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  muted_until timestamptz,
  resolved_at timestamptz,
  constraint alert_pkey primary key (id)
);
create unique index alert_open on headway.alert (configuration, key) where (resolved_at is null);
create index alert_resolved on headway.alert (configuration, resolved_at);

create table headway.alert_configurations (
  name text not null,
  alert_type text not null,
  enabled boolean not null,
  threshold double precision not null,
  window_ms double precision not null,
  severity text not null,
  channels text[],
  match jsonb not null,
  remind_ms double precision not null,
  resolve_ms double precision not null,
  changed_at timestamptz not null,
  changed_by text not null,
  constraint alert_configurations_pkey primary key (name)
);

create table headway.alert_configurations_history (
  id bigint not null generated always as identity,
  name text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null,
  changed_by text not null,
  why text,
  constraint alert_configurations_history_pkey primary key (id)
);

create table headway.alert_delivery (
  id bigint not null generated always as identity,
  alert bigint,
  notice text not null,
  channel text not null,
  target text not null,
  body jsonb not null,
  made_at timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  sent_at timestamptz,
  given_up_at timestamptz,
  fault text,
  constraint alert_delivery_pkey primary key (id),
  constraint alert_delivery_notice_channel_target_key unique (notice, channel, target),
  constraint alert_delivery_alert_fkey foreign key (alert) references headway.alert(id) on delete cascade
);
create index alert_delivery_due on headway.alert_delivery (due_at) where ((sent_at is null) and (given_up_at is null));
create index alert_delivery_made on headway.alert_delivery (made_at);

create table headway.alert_queue (
  id bigint not null generated always as identity,
  stage smallint not null,
  fingerprint text not null,
  reason text not null,
  code text not null,
  count integer not null,
  facts jsonb not null,
  at timestamptz not null,
  seen_at timestamptz,
  ended_as text,
  ended_at timestamptz,
  constraint alert_queue_pkey primary key (id)
);
create index alert_queue_at on headway.alert_queue (at);
create index alert_queue_kind on headway.alert_queue (stage, fingerprint);
create index alert_queue_unended on headway.alert_queue (id) where (ended_at is null);
create index alert_queue_unseen on headway.alert_queue (id) where (seen_at is null);

create table headway.audit (
  id bigint not null generated always as identity,
  at timestamptz not null,
  actor text not null,
  act text not null,
  target text not null,
  why text,
  detail jsonb not null default '{}'::jsonb,
  constraint audit_pkey primary key (id)
);

create table headway.census (
  stage smallint not null,
  counts jsonb not null,
  progress bigint not null,
  began_at timestamptz not null,
  at timestamptz not null,
  busy_ms integer not null,
  constraint census_pkey primary key (stage)
);

create table headway.census_collection (
  collection smallint not null,
  documents bigint not null,
  leaving bigint not null,
  at timestamptz not null,
  constraint census_collection_pkey primary key (collection)
);

create table headway.claim (
  id bigint not null,
  worker bigint not null,
  stage smallint not null,
  subjects bigint[] not null,
  at timestamptz not null,
  constraint claim_pkey primary key (id)
);
create index claim_stage on headway.claim (stage);
create index claim_worker on headway.claim (worker);

create table headway.co_producer (
  document bigint not null,
  producer bigint not null,
  stage smallint not null,
  stamp bigint,
  constraint co_producer_pkey primary key (document, producer, stage)
);
create index co_producer_producer on headway.co_producer (producer, stage);

create table headway.collection (
  id smallint not null generated always as identity,
  name text not null,
  constraint collection_pkey primary key (id),
  constraint collection_name_key unique (name)
);

create table headway.conflict (
  id bigint not null generated always as identity,
  document bigint not null,
  producer bigint not null,
  stage smallint not null,
  hash bytea not null,
  body jsonb not null,
  at timestamptz not null,
  constraint conflict_pkey primary key (id),
  constraint conflict_document_producer_stage_key unique (document, producer, stage)
);
create index conflict_producer on headway.conflict (producer, stage);

create table headway.dead_letter (
  id bigint not null generated always as identity,
  subject bigint not null,
  stage smallint not null,
  reason text not null,
  kind text not null,
  code text not null,
  fingerprint text not null,
  fault jsonb not null,
  input jsonb,
  input_hash bytea,
  variant integer,
  attempts smallint not null,
  waits smallint not null,
  crashes smallint not null,
  rank smallint not null,
  request uuid not null,
  correlation_id text not null,
  died_at timestamptz not null,
  closed_at timestamptz,
  closed_as text,
  closed_by text,
  constraint dead_letter_pkey primary key (id),
  constraint dead_letter_subject_stage_key unique (subject, stage)
);
create index dead_letter_group on headway.dead_letter (stage, fingerprint);

create table headway.deleted (
  collection smallint not null,
  documents bigint not null,
  constraint deleted_pkey primary key (collection),
  constraint deleted_collection_fkey foreign key (collection) references headway.collection(id)
);

create table headway.dependency (
  name text not null,
  open boolean not null,
  changed_at timestamptz not null,
  since timestamptz not null,
  probe_at timestamptz not null,
  probes integer not null default 0,
  fault jsonb,
  documents bigint[] not null default '{}'::bigint[],
  believed_from timestamptz,
  constraint dependency_pkey primary key (name)
);

create table headway.document (
  subject bigint not null,
  collection smallint not null,
  id text collate "C" not null,
  hash bytea not null,
  body jsonb not null,
  producer bigint not null,
  producer_stage smallint not null,
  request uuid not null,
  rank smallint not null default 0,
  stamp bigint,
  gone_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  constraint document_pkey primary key (subject),
  constraint document_collection_id_key unique (collection, id)
);
create index document_gone on headway.document (subject) where (gone_at is not null);
create index document_producer on headway.document (producer, producer_stage);

create table headway.document_before (
  subject bigint not null,
  hash bytea not null,
  body jsonb not null,
  variant integer,
  input_hash bytea,
  since_at timestamptz not null,
  until_at timestamptz not null,
  constraint document_before_pkey primary key (subject)
);
create index document_before_until on headway.document_before (until_at);

create table headway.done (
  subject bigint not null,
  stage smallint not null,
  marker bytea not null,
  input_hash bytea not null,
  variant integer not null,
  attempts smallint not null,
  outputs integer not null,
  finished_at timestamptz not null,
  looked bytea,
  took_ms integer,
  facts jsonb,
  finding text,
  constraint done_pkey primary key (subject, stage)
);
create index done_finding on headway.done (stage, finished_at) where (finding is not null);

create table headway.error_event (
  id bigint not null generated always as identity,
  key text,
  fingerprint text not null,
  service text not null,
  level text not null,
  error_type text not null,
  message text not null,
  stack text,
  context jsonb not null,
  correlation_id text,
  release text,
  environment text,
  at timestamptz not null,
  constraint error_event_pkey primary key (id),
  constraint error_event_key_key unique (key)
);
create index error_event_group on headway.error_event (fingerprint, id);

create table headway.error_group (
  fingerprint text not null,
  service text not null,
  error_type text not null,
  title text not null,
  level text not null,
  state text not null default 'open'::text,
  resolved_at timestamptz,
  resolved_in text,
  regressions integer not null default 0,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  first_release text,
  last_release text,
  constraint error_group_pkey primary key (fingerprint)
);
create index error_group_last on headway.error_group (last_at);

create table headway.failing (
  dependency text not null,
  failures integer not null,
  since timestamptz not null,
  after_fault bigint not null,
  documents bigint[] not null default '{}'::bigint[],
  constraint failing_pkey primary key (dependency)
);

create table headway.fault (
  id bigint not null generated always as identity,
  subject bigint not null,
  stage smallint not null,
  attempt smallint not null,
  kind text not null,
  code text not null,
  fingerprint text not null,
  fault jsonb not null,
  variant integer,
  worker bigint,
  request uuid not null,
  correlation_id text not null,
  at timestamptz not null,
  constraint fault_pkey primary key (id)
);
create index fault_subject on headway.fault (subject, stage, id);

create table headway.grouping (
  subject bigint not null,
  stage smallint not null,
  key text collate "C" not null,
  request uuid not null,
  touched_at timestamptz not null,
  constraint grouping_pkey primary key (subject),
  constraint grouping_stage_key_key unique (stage, key)
);

create table headway.look (
  collection smallint not null,
  id text not null,
  subject bigint not null,
  stage smallint not null,
  hash bytea,
  constraint look_pkey primary key (collection, id, subject, stage)
);
create index look_task on headway.look (subject, stage);

create table headway.member (
  document bigint not null,
  stage smallint not null,
  grouping bigint not null,
  constraint member_pkey primary key (document, stage)
);
create index member_grouping on headway.member ("grouping");

create table headway.migration (
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamptz not null default clock_timestamp(),
  constraint migration_pkey primary key (number)
);

create table headway.outbox (
  id bigint not null generated always as identity,
  key text not null,
  type text not null,
  subject bigint not null,
  stage smallint not null,
  data jsonb not null,
  request uuid not null,
  correlation_id text not null,
  causation_id text,
  at timestamptz not null,
  relayed_at timestamptz,
  constraint outbox_pkey primary key (id),
  constraint outbox_key_key unique (key)
);
create index outbox_waiting on headway.outbox (id) where (relayed_at is null);

create table headway.owner (
  pipeline text not null,
  kind text not null,
  name text not null,
  meaning jsonb,
  constraint owner_pkey primary key (kind, name, pipeline)
);

create table headway.performance_baselines (
  id bigint not null generated always as identity,
  run uuid not null,
  at timestamptz not null,
  test text not null,
  document_set text not null,
  commit text not null,
  environment text not null,
  figure text not null,
  samples double precision[] not null,
  machine jsonb not null,
  constraint performance_baselines_pkey primary key (id),
  constraint performance_baselines_run_test_document_set_figure_key unique (run, test, document_set, figure)
);
create index performance_baselines_latest on headway.performance_baselines (environment, test, document_set, figure, id);

create table headway.progress (
  stage smallint not null,
  part smallint not null,
  done bigint not null,
  constraint progress_pkey primary key (stage, part)
) with (fillfactor=50);

create table headway.projection (
  name text not null,
  collection smallint not null,
  definition jsonb not null,
  built_after bigint,
  constraint projection_pkey primary key (name),
  constraint projection_collection_fkey foreign key (collection) references headway.collection(id)
);

create table headway.quarantine (
  id bigint not null generated always as identity,
  queue text not null,
  reason text not null,
  detail text not null,
  body bytea storage external not null,
  body_hash bytea not null,
  properties jsonb not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times integer not null default 1,
  constraint quarantine_pkey primary key (id),
  constraint quarantine_queue_body_hash_key unique (queue, body_hash)
);

create table headway.reading (
  at timestamptz not null,
  stage smallint not null,
  waiting bigint not null,
  held bigint not null,
  later bigint not null,
  claimed bigint not null,
  dead bigint not null,
  closed bigint not null,
  done bigint not null,
  accepted bigint not null,
  deleted bigint not null,
  oldest timestamptz,
  progress bigint not null,
  counted_at timestamptz not null,
  constraint reading_pkey primary key (stage, at)
);

create table headway.retry_policy (
  stage text not null,
  kind text not null,
  attempts_max integer not null,
  initial_ms double precision not null,
  max_ms double precision not null,
  multiplier double precision not null,
  jitter text not null,
  ttl_ms double precision,
  changed_at timestamptz not null,
  changed_by text not null,
  constraint retry_policy_pkey primary key (stage, kind)
);

create table headway.retry_policy_history (
  id bigint not null generated always as identity,
  stage text not null,
  kind text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null,
  changed_by text not null,
  why text,
  constraint retry_policy_history_pkey primary key (id)
);

create table headway.singleton (
  name text not null,
  worker bigint not null,
  until timestamptz not null,
  constraint singleton_pkey primary key (name)
);

create table headway.source (
  id bigint not null generated always as identity,
  name text not null,
  first_seen_at timestamptz not null,
  constraint source_pkey primary key (id),
  constraint source_name_key unique (name)
);

create table headway.stage (
  id smallint not null generated always as identity,
  name text not null,
  shape text not null,
  reads smallint not null,
  after_stages smallint[] not null default '{}'::smallint[],
  variant integer,
  concurrency integer,
  rate_limit double precision,
  rate_per_ms double precision,
  rate_tokens double precision not null default 0,
  rate_filled_at timestamptz,
  paused_at timestamptz,
  paused_by text,
  paused_reason text,
  made_of text not null default 'all'::text,
  owing_after bigint,
  isolated boolean not null default false,
  looks boolean not null default false,
  settings jsonb,
  constraint stage_pkey primary key (id),
  constraint stage_name_key unique (name),
  constraint stage_reads_fkey foreign key (reads) references headway.collection(id)
);

create table headway.stage_setting_history (
  id bigint not null generated always as identity,
  stage text not null,
  setting text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null,
  changed_by text not null,
  why text,
  constraint stage_setting_history_pkey primary key (id)
);

create table headway.tally (
  name text not null,
  labels jsonb not null,
  part smallint not null,
  value double precision not null,
  constraint tally_pkey primary key (name, labels, part)
) with (fillfactor=50);

create table headway.task (
  subject bigint not null,
  stage smallint not null,
  rank smallint not null default 0,
  ready_at timestamptz not null,
  reason text,
  owed_at timestamptz not null,
  generation integer not null default 0,
  attempts smallint not null default 0,
  waits smallint not null default 0,
  crashes smallint not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  fault jsonb,
  spared smallint not null default 0,
  outages smallint not null default 0,
  constraint task_pkey primary key (subject, stage)
);
create index task_due on headway.task (stage, rank, ready_at, subject);

create table headway.variant (
  id integer not null generated always as identity,
  stage smallint not null,
  version text not null,
  config_hash bytea not null,
  model text not null,
  config jsonb not null,
  first_seen_at timestamptz not null,
  constraint variant_pkey primary key (id),
  constraint variant_stage_version_config_hash_model_key unique (stage, version, config_hash, model),
  constraint variant_stage_fkey foreign key (stage) references headway.stage(id)
);

create table headway.worker (
  id bigint not null,
  name text not null,
  host text not null,
  pid integer not null,
  stages smallint[] not null,
  session_locked boolean not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  evicted_at timestamptz,
  evicted_because text,
  crashed boolean not null default false,
  constraint worker_pkey primary key (id)
);
create index worker_crashed on headway.worker (evicted_at) where crashed;
create index worker_living on headway.worker (id) where (evicted_at is null);

create or replace function headway.end_worker(the_worker bigint, because text, died boolean, the_moment timestamptz, skip boolean, wait_ms integer, together boolean, spared_max integer)
 returns integer
 language plpgsql
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set plan_cache_mode to 'force_generic_plan'
as $function$
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
$function$;

create or replace function headway.project(the_collections smallint[], the_ids text[], the_bodies text[])
 returns integer
 language plpgsql
as $function$ begin return 0; end $function$;

create or replace function headway.refuse(what text)
 returns integer
 language plpgsql
as $function$
begin
  raise exception '%', what using errcode = 'HW002';
end
$function$;

create or replace function headway.refuse_looked(the_collections smallint[], the_ids text[])
 returns integer
 language plpgsql
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
as $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('headway.look', c))
  from (select distinct c from unnest(the_collections) c order by c) c;
  perform 1 from unnest(the_collections, the_ids) as o (collection, id)
  join headway.look l on l.collection = o.collection and l.id = o.id
  limit 1;
  if found then
    perform headway.refuse('a task has looked for the document');
  end if;
  return 0;
end $function$;

create or replace function headway.revive(the_subjects bigint[], the_stages smallint[])
 returns integer
 language plpgsql
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
as $function$
begin
  delete from headway.dead_letter d
  using unnest(the_subjects, the_stages) as o (subject, stage)
  where d.subject = o.subject and d.stage = o.stage;
  return 0;
end
$function$;

create or replace function headway.take_tasks(the_stage smallint, the_worker bigint, the_moment timestamptz, most integer, few boolean, alone boolean, after_rank smallint, after_ready timestamptz, after_subject bigint)
 returns table(claim bigint, subject bigint, rank smallint, ready_at timestamptz, generation integer, attempts smallint, waits smallint, crashes smallint, first_attempt_at timestamptz, fault jsonb, id text, hash bytea, body jsonb, gone boolean, request uuid, marker bytea)
 language plpgsql
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_memoize to 'off'
 set plan_cache_mode to 'force_generic_plan'
as $function$
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
$function$;

create or replace function headway.unproject(the_subjects bigint[])
 returns integer
 language plpgsql
as $function$ begin return 0; end $function$;
