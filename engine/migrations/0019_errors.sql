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
