/* Subscriptions to reports. A report is a document of the collection "reports"; these tables hold only what decides
   when the next one is due, and what the last ones told. */

create table headway.subscription (
  name text primary key,
  -- Selection, time, format and recipients; never a secret.
  spec jsonb not null,
  -- Encrypted (AES-256-GCM): addresses of webhooks, and the key of their signatures; null: none.
  secret text,
  added_at timestamptz not null,
  added_by text not null,
  paused_at timestamptz,
  paused_by text,
  paused_why text,
  -- Number of the newest report.
  edition int4 not null default 0,
  next_at timestamptz,
  -- Why the next report is due: null for the schedule, else 'operator'.
  asked text
);

-- Threads as reports told them: all versions are kept, the newest is compared with the next report.
create table headway.report_version (
  subscription text not null,
  thread text not null,
  edition int4 not null,
  version jsonb not null,
  primary key (subscription, thread, edition)
);
