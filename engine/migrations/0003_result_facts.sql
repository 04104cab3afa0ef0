/*
  Facts of a result: `took_ms` is the time of the attempt that made it; `facts` has calls to services and the size of its batch,
  null without either; `finding` says why the stage did not expect this result, null if it did. Null in `took_ms`: made before
  these columns, or skipped as unchanged ever since.
*/
alter table headway.done
  add column took_ms int4,
  add column facts jsonb,
  add column finding text;

create index done_finding on headway.done (stage, finished_at) where finding is not null;
