-- An outage is what different documents meet, whatever the service answers: the documents of a series of failures are kept.
-- `failures` goes on counting those of which nothing but the service can be the cause.
alter table headway.failing add column documents bigint[] not null default '{}';
