-- An outage is a fault of different documents, whatever the service answers. The documents of a series of failures are
-- kept; `failures` goes on counting faults that only the service can cause.
alter table headway.failing add column documents bigint[] not null default '{}';

-- The documents that failed in the current outage, and the start of the belief in it: a few documents that fail for
-- ever must not hold each other for ever.
alter table headway.dependency
  add column documents bigint[] not null default '{}',
  add column believed_from timestamptz;

-- Outages shown by this task's own failures.
alter table headway.task add column outages smallint not null default 0;
