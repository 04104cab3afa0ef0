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
