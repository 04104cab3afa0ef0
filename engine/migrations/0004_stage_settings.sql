/*
  Settings of a stage that operators changed while workers run, by name (timeoutMs, concurrency, rate, priority): value, moment
  and person. Null: none, the code's settings hold. A start with other code leaves them.
*/
alter table headway.stage add column settings jsonb;

create table headway.stage_setting_history (
  id bigint generated always as identity primary key,
  stage text not null,
  setting text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null,
  changed_by text not null,
  why text
);
