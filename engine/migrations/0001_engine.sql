-- The truth of Headway. Documents are what exists; task, done and dead_letter say where each of them stands at each
-- stage it owes: a (subject, stage) pair is in `task` while it is waiting or being worked on, in `dead_letter` when a
-- person has to look, in `done` otherwise. While something is made anew it is in `task`, and `done` keeps the old result.

create table headway.collection (
  id smallint generated always as identity primary key,
  name text not null unique
);

create table headway.stage (
  id smallint generated always as identity primary key,
  name text not null unique,
  shape text not null,
  reads smallint not null references headway.collection,
  after_stages smallint[] not null default '{}',
  -- What the code that was started last makes results with.
  variant int,
  -- Limits over all workers together, as declared by the newest code; null: none.
  concurrency int,
  rate_limit double precision,
  rate_per_ms double precision,
  rate_tokens double precision not null default 0,
  rate_filled_at timestamptz,
  paused_at timestamptz,
  paused_by text,
  paused_reason text
);

-- What a result was made with, beside its input: these are the parts of a completion marker that documents share.
create table headway.variant (
  id int generated always as identity primary key,
  stage smallint not null references headway.stage,
  version text not null,
  config_hash bytea not null,
  model text not null,
  config jsonb not null,
  first_seen_at timestamptz not null,
  unique (stage, version, config_hash, model)
);

-- Where accepted documents come from. In `document.producer` a source stands as stage 0.
create table headway.source (
  id bigint generated always as identity primary key,
  name text not null unique,
  first_seen_at timestamptz not null
);

-- Numbers for documents and groups alike, handed out in blocks so that a batch can number its rows by itself.
create sequence headway.subject_number increment by 1000;
create sequence headway.claim_number;
create sequence headway.worker_number;

create table headway.document (
  subject bigint primary key,
  collection smallint not null,
  id text not null,
  hash bytea not null,
  body jsonb not null,
  -- The (stage, subject) that yields it; further ones are in co_producer.
  producer bigint not null,
  producer_stage smallint not null,
  request uuid not null,
  rank smallint not null default 0,
  -- The streaming claim that last yielded it; what a finished stream has not stamped is stale.
  stamp bigint,
  -- Set when nobody yields it any more: invisible to readers, removed with all that came from it by the reaper.
  gone_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (collection, id)
);
create index document_producer on headway.document (producer, producer_stage);
create index document_gone on headway.document (subject) where gone_at is not null;

create table headway.co_producer (
  document bigint not null,
  producer bigint not null,
  stage smallint not null,
  stamp bigint,
  primary key (document, producer, stage)
);
create index co_producer_producer on headway.co_producer (producer, stage);

-- One id, two contents from two origins: the first one stands, the second is kept here for a person.
create table headway.conflict (
  id bigint generated always as identity primary key,
  document bigint not null,
  producer bigint not null,
  stage smallint not null,
  hash bytea not null,
  body jsonb not null,
  at timestamptz not null,
  unique (document, producer, stage)
);

-- The groups of fan-in stages. `touched_at` is the last time a member came, changed, went or passed an `after` stage.
create table headway.grouping (
  subject bigint primary key,
  stage smallint not null,
  key text not null,
  request uuid not null,
  touched_at timestamptz not null,
  unique (stage, key)
);

create table headway.member (
  document bigint not null,
  stage smallint not null,
  grouping bigint not null,
  primary key (document, stage)
);
create index member_grouping on headway.member (grouping);

create table headway.task (
  subject bigint not null,
  stage smallint not null,
  -- Minus the priority: smaller goes first.
  rank smallint not null default 0,
  ready_at timestamptz not null,
  -- Why ready_at lies ahead: backoff, quiet, after, held, scheduled, ramp …
  reason text,
  owed_at timestamptz not null,
  -- Grows when the input changed, so that a result of the old input does not pass for the new one.
  generation int not null default 0,
  attempts smallint not null default 0,
  waits smallint not null default 0,
  -- Times a worker died while holding it.
  crashes smallint not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  fault jsonb,
  primary key (subject, stage)
);
-- Its order is the order of work.
create index task_due on headway.task (stage, rank, ready_at, subject);

create table headway.done (
  subject bigint not null,
  stage smallint not null,
  marker bytea not null,
  input_hash bytea not null,
  variant int not null,
  attempts smallint not null,
  outputs int not null,
  finished_at timestamptz not null,
  primary key (subject, stage)
);

create table headway.dead_letter (
  id bigint generated always as identity primary key,
  subject bigint not null,
  stage smallint not null,
  reason text not null,
  kind text not null,
  code text not null,
  fingerprint text not null,
  fault jsonb not null,
  input jsonb,
  input_hash bytea,
  variant int,
  attempts smallint not null,
  waits smallint not null,
  crashes smallint not null,
  rank smallint not null,
  request uuid not null,
  correlation_id text not null,
  died_at timestamptz not null,
  -- Settled by a person: no longer listed, still counted as dead.
  closed_at timestamptz,
  closed_as text,
  closed_by text,
  unique (subject, stage)
);
create index dead_letter_group on headway.dead_letter (stage, fingerprint);

-- Every failed attempt, also of documents that were done in the end.
create table headway.fault (
  id bigint generated always as identity primary key,
  subject bigint not null,
  stage smallint not null,
  attempt smallint not null,
  kind text not null,
  code text not null,
  fingerprint text not null,
  fault jsonb not null,
  variant int,
  worker bigint,
  request uuid not null,
  correlation_id text not null,
  at timestamptz not null
);
create index fault_subject on headway.fault (subject, stage, id);

create table headway.worker (
  id bigint primary key,
  name text not null,
  host text not null,
  pid int not null,
  stages smallint[] not null,
  -- It holds an advisory lock on its id as long as its session lives.
  session_locked boolean not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  evicted_at timestamptz,
  evicted_because text
);
create index worker_living on headway.worker (id) where evicted_at is null;

-- Who does what only one may do at a time: the sweep, the relay.
create table headway.singleton (
  name text primary key,
  worker bigint not null,
  until timestamptz not null
);

-- One row for all that a worker took at once. A task named here is being worked on; a commit whose claim is gone is refused.
create table headway.claim (
  id bigint primary key,
  worker bigint not null,
  stage smallint not null,
  subjects bigint[] not null,
  at timestamptz not null
);
create index claim_stage on headway.claim (stage);
create index claim_worker on headway.claim (worker);

create table headway.outbox (
  id bigint generated always as identity primary key,
  key text not null unique,
  type text not null,
  subject bigint not null,
  stage smallint not null,
  data jsonb not null,
  request uuid not null,
  correlation_id text not null,
  causation_id text,
  at timestamptz not null,
  relayed_at timestamptz
);
create index outbox_waiting on headway.outbox (id) where relayed_at is null;

create table headway.retry_policy (
  stage text not null,
  kind text not null,
  attempts_max int not null,
  initial_ms double precision not null,
  max_ms double precision not null,
  multiplier double precision not null,
  jitter text not null,
  ttl_ms double precision,
  changed_at timestamptz not null,
  changed_by text not null,
  primary key (stage, kind)
);

create table headway.retry_policy_history (
  id bigint generated always as identity primary key,
  stage text not null,
  kind text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null,
  changed_by text not null,
  why text
);

-- A dependency whose breaker is or was open. No row: it has always been well.
create table headway.dependency (
  name text primary key,
  open boolean not null,
  changed_at timestamptz not null,
  since timestamptz not null,
  probe_at timestamptz not null,
  probes int not null default 0,
  fault jsonb
);

create table headway.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  act text not null,
  target text not null,
  why text,
  detail jsonb not null default '{}'
);

-- Documents that once existed, for the ledger: accepted = there + deleted.
create table headway.deleted (
  collection smallint primary key references headway.collection,
  documents bigint not null
);

/*
  Takes due tasks of a stage for a worker and returns them with their inputs, in one round trip. Claims of one stage come one
  after another (the lock on its row), so two workers never take the same task and limits hold over the whole fleet. Several
  statements on purpose: the later ones' snapshots are taken after the lock was granted and see the claims of those before.
*/
create function headway.take_tasks(
  the_stage smallint, the_worker bigint, the_moment timestamptz, most int, suspects boolean,
  after_rank smallint, after_ready timestamptz, after_subject bigint
) returns table (
  claim bigint, subject bigint, rank smallint, ready_at timestamptz, generation int,
  attempts smallint, waits smallint, crashes smallint, first_attempt_at timestamptz,
  fault jsonb, id text, hash bytea, body jsonb, gone boolean, request uuid, marker bytea
) language plpgsql
-- Statistics of a queue are always out of date: the way through its indexes is right whatever they say.
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
  select * into limits from headway.stage s where s.id = the_stage for no key update;
  perform 1 from headway.worker w where w.id = the_worker and w.evicted_at is null for share;
  if not found then
    raise exception 'worker % was evicted', the_worker using errcode = 'HW001';
  end if;
  if limits.paused_at is not null then
    return;
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
      and (t.crashes = 0 or suspects)
      and t.subject not in (select unnest(c.subjects) from headway.claim c where c.stage = the_stage)
    order by t.rank, t.ready_at, t.subject
    limit room
  ) d;
  -- Tasks whose worker died are tried again a few at a time, and after a second crash alone: so the third one shows who did
  -- it, and the many that were only in the same hands are soon through.
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
    left join headway.grouping g on g.subject = t.subject
    left join headway.done r on r.subject = t.subject and r.stage = the_stage
    order by k.place;
  -- A task that was deleted since it was chosen must not stay in the claim, where nobody would ever end it.
  get diagnostics found_tasks = row_count;
  if found_tasks < cardinality(taken) then
    update headway.claim c
    set subjects = array(select t.subject from headway.task t where t.stage = the_stage and t.subject = any (taken))
    where c.id = number;
    delete from headway.claim c where c.id = number and c.subjects = '{}';
  end if;
end
$$;

-- Ends the statement that calls it: a commit that has lost its claim, or whose tasks were moved by somebody else.
create function headway.refuse(what text) returns int language plpgsql as $$
begin
  raise exception '%', what using errcode = 'HW002';
end
$$;
