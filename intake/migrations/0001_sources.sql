/* Sources that are read on a schedule. Each run is a document of the collection "source_runs"; these tables hold only
   what decides when the next run is due, and how far the last one came. */

create table headway.scheduled_source (
  name text primary key,
  -- Place, kind, list, schedule, limits; never a secret.
  spec jsonb not null,
  -- Encrypted (AES-256-GCM); null: none is needed.
  secret text,
  -- 'operator' or 'config'
  origin text not null,
  added_at timestamptz not null,
  added_by text not null,
  changed_at timestamptz not null,
  paused_at timestamptz,
  paused_by text,
  paused_why text,
  -- Number of the newest run, and the place in the history that it takes.
  run int8 not null default 0,
  slot int4 not null default 0,
  -- Null: only when asked for.
  next_at timestamptz,
  -- Why the next run is due: null for the schedule, else 'operator' or 'change'.
  asked text,
  -- How far the source was read, in words of its kind.
  cursor jsonb not null default '{}'
);
create index scheduled_source_due on headway.scheduled_source (next_at);

-- Hosts that do not answer: runs of their sources wait without an attempt.
create table headway.source_host (
  host text primary key,
  failures int4 not null,
  since timestamptz not null,
  probe_at timestamptz not null,
  fault text not null
);
