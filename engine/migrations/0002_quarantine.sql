-- What came from a broker and was no event that we know, as it came.
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
  -- The same bytes again, however often, are one row.
  times int not null default 1,
  unique (queue, body_hash)
);
alter table headway.quarantine alter column body set storage external;
