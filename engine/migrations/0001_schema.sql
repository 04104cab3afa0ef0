-- The state of Headway: documents, and the state of each (subject, stage) pair. A pair is in `task` while waiting or claimed,
-- in `dead_letter` when a person has to look, in `done` otherwise. During reprocessing the pair is in `task`, and `done`
-- keeps the old result.
--
-- SQL functions are in functions/, applied whole whenever one of those files has changed.

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
  -- Variant of the code started last.
  variant int,
  -- Limits over all workers together, as declared by the newest code; null: none.
  concurrency int,
  rate_limit double precision,
  rate_per_ms double precision,
  rate_tokens double precision not null default 0,
  rate_filled_at timestamptz,
  paused_at timestamptz,
  paused_by text,
  paused_reason text,
  -- Members of its group that a result of a fan-in stage is made of, so that a deletion can hide results without the code of
  -- the stage: 'all', 'any' (each member alone), or a path in the result to the ids of members.
  made_of text not null default 'all',
  -- Documents with a greater number, from before the stage, may still lack a task; null: none. The ledger counts them as
  -- waiting, so it balances while pages are owed.
  owing_after bigint,
  -- Child processes run the documents, and cannot kill the worker.
  isolated boolean not null default false,
  -- The stage looks at other documents; a deletion holds its claims back, as it does for groups.
  looks boolean not null default false
);

-- Version, configuration and model of a result: the parts of a completion marker shared by many documents.
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

-- Origins of accepted documents. In `document.producer` a source stands as stage 0.
create table headway.source (
  id bigint generated always as identity primary key,
  name text not null unique,
  first_seen_at timestamptz not null
);

-- Numbers of documents and groups, taken in blocks: a batch numbers its own rows.
create sequence headway.subject_number increment by 1000;
create sequence headway.claim_number;
create sequence headway.worker_number;

create table headway.document (
  subject bigint primary key,
  collection smallint not null,
  -- Prefixes are ranges of names on every server only in this collation.
  id text collate "C" not null,
  hash bytea not null,
  body jsonb not null,
  -- The (stage, subject) that yields the document; further producers are in co_producer.
  producer bigint not null,
  producer_stage smallint not null,
  request uuid not null,
  rank smallint not null default 0,
  -- The streaming claim that last yielded the document; outputs without the stamp of the finished stream are stale.
  stamp bigint,
  -- Set when no producer yields the document any more: invisible to readers, removed with all descendants by the reaper.
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

-- Same id with other content from another origin: the first content stays, the second is kept here for a person.
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
-- For a commit's question whether its producer has left a conflict behind.
create index conflict_producer on headway.conflict (producer, stage);

-- The groups of fan-in stages. `touched_at` is the last time a member came, changed, went or passed an `after` stage.
create table headway.grouping (
  subject bigint primary key,
  stage smallint not null,
  key text collate "C" not null,
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
  -- Incremented when the input changes, so that a result of the old input does not end the task.
  generation int not null default 0,
  attempts smallint not null default 0,
  waits smallint not null default 0,
  -- Worker deaths while the task was claimed.
  crashes smallint not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  fault jsonb,
  -- Deaths of workers with this task claimed that were not charged, because other workers were dying as well.
  spared smallint not null default 0,
  -- Outages shown by this task's own failures.
  outages smallint not null default 0,
  primary key (subject, stage)
);
-- The order of claiming.
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
  -- Hash of all look-ups of the result, as far as the stage asked for their fields; part of the marker. Null: none.
  looked bytea,
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
  -- The worker holds an advisory lock on its number as long as its session lives.
  session_locked boolean not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  evicted_at timestamptz,
  evicted_because text,
  -- The worker died, in contrast to a worker that stopped or started again under a new number.
  crashed boolean not null default false
);
create index worker_crashed on headway.worker (evicted_at) where crashed;
create index worker_living on headway.worker (id) where evicted_at is null;

-- Leases for duties of one worker at a time: the sweep, the relay.
create table headway.singleton (
  name text primary key,
  worker bigint not null,
  until timestamptz not null
);

-- One row for all tasks claimed together. A commit without its claim row is refused.
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

-- Services whose breaker is or was open. No row: never failed.
create table headway.dependency (
  name text primary key,
  open boolean not null,
  changed_at timestamptz not null,
  since timestamptz not null,
  probe_at timestamptz not null,
  probes int not null default 0,
  fault jsonb,
  -- Documents that failed in the current outage, and the start of the belief in the outage: a few documents that fail for
  -- ever must not hold each other for ever.
  documents bigint[] not null default '{}',
  believed_from timestamptz
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
  Declared look-ups: the documents that a task has read beside its input. A change of a document owes the stage again to each
  of its rows here. `hash` is the content that was read; null: the document was not there.
*/
create table headway.look (
  collection int2 not null,
  id text not null,
  subject int8 not null,
  stage int2 not null,
  hash bytea,
  primary key (collection, id, subject, stage)
);
create index look_task on headway.look (subject, stage);

-- Streaks of failed calls to a service, counted by the whole fleet: a long streak opens the breaker. A row exists while the
-- cause is undecided: the service or a document.
create table headway.failing (
  dependency text primary key,
  failures int not null,
  since timestamptz not null,
  -- The last fault recorded before the streak: attempts charged by later faults are refunded when the breaker opens.
  after_fault bigint not null,
  -- Documents of the series: an outage is a fault of different documents, whatever the service answers.
  documents bigint[] not null default '{}'
);

/*
  The pipelines of a database, with the stages and collections declared by each. A process with another meaning of a name is
  refused before any write.
*/
create table headway.owner (
  pipeline text not null,
  -- 'stage' or 'collection'
  kind text not null,
  name text not null,
  -- A stage's shape, input and outputs, or a collection's fields; null: not known.
  meaning jsonb,
  primary key (kind, name, pipeline)
);

-- Deliveries from a broker that are no known event, byte for byte.
create table headway.quarantine (
  id bigint generated always as identity primary key,
  queue text not null,
  reason text not null,
  detail text not null,
  body bytea not null,
  body_hash bytea not null,
  properties jsonb not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Deliveries of the same bytes are one row.
  times int not null default 1,
  unique (queue, body_hash)
);
alter table headway.quarantine alter column body set storage external;

/*
  Totals and levels of the retry job, for every process that shows metrics: a process counts from 0 at each start, and
  Prometheus sees no increase in a counter that is always born anew.
*/
create table headway.tally (
  name text not null,
  labels jsonb not null,
  -- A part of the total, by the worker's number: commits of different workers wait less for each other.
  part int2 not null,
  value double precision not null,
  primary key (name, labels, part)
) with (fillfactor = 50);

/*
  Counts for people and machines that look: at a million documents a look must not count them. A worker counts everything
  now and then (census), the open tasks every minute (reading), and its own results all the time (progress).
*/

-- The last count of everything, slice by slice; each slice balances at its own moment.
create table headway.census (
  stage int2 primary key,
  counts jsonb not null,
  -- Results counted by workers until then, to tell how many came since.
  progress bigint not null,
  began_at timestamptz not null,
  at timestamptz not null,
  busy_ms int not null
);

create table headway.census_collection (
  collection int2 primary key,
  documents bigint not null,
  leaving bigint not null,
  at timestamptz not null
);

-- Results committed by workers since the start of the counting; parts by the worker's number.
create table headway.progress (
  stage int2 not null,
  part int2 not null,
  done bigint not null,
  primary key (stage, part)
) with (fillfactor = 50);

-- One row a minute and stage; one row an hour after two weeks.
create table headway.reading (
  at timestamptz not null,
  stage int2 not null,
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
  -- Results since the start of the counting: rates are differences.
  progress bigint not null,
  -- Moment of the census behind done, accepted and deleted.
  counted_at timestamptz not null,
  primary key (stage, at)
);

/* Alerts: rules, news for them, alerts, and notices that have to reach somebody. */

-- Rules changed by operators, whole; rules without a row are those of the code.
create table headway.alert_configurations (
  name text primary key,
  alert_type text not null,
  enabled boolean not null,
  threshold double precision not null,
  window_ms double precision not null,
  severity text not null,
  -- Null: all channels.
  channels text[],
  -- Stage, code, reason; an absent field matches everything.
  match jsonb not null,
  remind_ms double precision not null,
  resolve_ms double precision not null,
  changed_at timestamptz not null,
  changed_by text not null
);

create table headway.alert_configurations_history (
  id bigint generated always as identity primary key,
  name text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null,
  changed_by text not null,
  why text
);

-- Deaths of one commit with the same stage, fingerprint and reason: one row, written by that commit.
create table headway.alert_queue (
  id bigint generated always as identity primary key,
  stage int2 not null,
  fingerprint text not null,
  reason text not null,
  code text not null,
  count int not null,
  -- Of one of the deaths: message, document, version, correlation id. Never its content.
  facts jsonb not null,
  at timestamptz not null,
  -- Read by the alerter: counted in every alert it belongs to.
  seen_at timestamptz,
  -- 'alerted' or 'digested'
  ended_as text,
  ended_at timestamptz
);
create index alert_queue_unseen on headway.alert_queue (id) where seen_at is null;
create index alert_queue_unended on headway.alert_queue (id) where ended_at is null;
create index alert_queue_at on headway.alert_queue (at);
create index alert_queue_kind on headway.alert_queue (stage, fingerprint);

create table headway.alert (
  id bigint generated always as identity primary key,
  configuration text not null,
  key text not null,
  severity text not null,
  count double precision not null,
  -- Notices of other alerts counted in this alert, because an outage explains them.
  folded bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  opened_at timestamptz not null,
  told_at timestamptz,
  told_count double precision,
  notices int not null,
  -- How often the same key had an alert within a day.
  times int not null,
  facts jsonb not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  muted_until timestamptz,
  resolved_at timestamptz
);
create unique index alert_open on headway.alert (configuration, key) where resolved_at is null;
create index alert_resolved on headway.alert (configuration, resolved_at);

-- A notice for one recipient: its text is fixed when it is decided, sent at least once, marked once.
create table headway.alert_delivery (
  id bigint generated always as identity primary key,
  alert bigint references headway.alert on delete cascade,
  notice text not null,
  channel text not null,
  target text not null,
  body jsonb not null,
  made_at timestamptz not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  sent_at timestamptz,
  given_up_at timestamptz,
  fault text,
  unique (notice, channel, target)
);
create index alert_delivery_due on headway.alert_delivery (due_at) where sent_at is null and given_up_at is null;
create index alert_delivery_made on headway.alert_delivery (made_at);

/* Errors reported by other services, grouped by fingerprint; faults of stages stay with their documents. */

create table headway.error_group (
  fingerprint text primary key,
  service text not null,
  error_type text not null,
  title text not null,
  level text not null,
  state text not null default 'open',
  resolved_at timestamptz,
  -- Events of releases up to this one do not open the group again.
  resolved_in text,
  regressions int not null default 0,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  first_release text,
  last_release text
);
create index error_group_last on headway.error_group (last_at);

-- The newest events; counts in the groups stay exact.
create table headway.error_event (
  id bigint generated always as identity primary key,
  -- Given by the reporter: the same report twice is one event.
  key text unique,
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
  at timestamptz not null
);
create index error_event_group on headway.error_event (fingerprint, id);

-- Measurements, for comparison with later runs. The samples are kept, not their mean alone: only samples tell a change from
-- chance.
create table headway.performance_baselines (
  id bigint generated always as identity primary key,
  run uuid not null,
  at timestamptz not null,
  test text not null,
  document_set text not null,
  commit text not null,
  environment text not null,
  figure text not null,
  samples double precision[] not null,
  -- Cores, memory, versions.
  machine jsonb not null,
  unique (run, test, document_set, figure)
);
create index performance_baselines_latest on headway.performance_baselines (environment, test, document_set, figure, id);
