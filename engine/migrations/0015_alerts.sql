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
