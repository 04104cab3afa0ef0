/*
  Counts for people and machines that look: at a million documents a look must not count them. A worker counts everything
  now and then (census), the open tasks every minute (reading), and its own results all the time (progress).
*/

-- Ranges of names are prefixes on every server only in this order.
alter table headway.document alter column id type text collate "C";
alter table headway.grouping alter column key type text collate "C";

-- The last count of everything, slice by slice; each slice balances at its own moment.
create table headway.census (
  stage int2 primary key,
  counts jsonb not null,
  -- Results counted by workers until then, to tell how many came since.
  progress bigint not null,
  began_at timestamptz not null,
  at timestamptz not null,
  busy_ms int not null
);

create table headway.census_collection (
  collection int2 primary key,
  documents bigint not null,
  leaving bigint not null,
  at timestamptz not null
);

-- Results committed by workers since the start of the counting; parts by the worker's number.
create table headway.progress (
  stage int2 not null,
  part int2 not null,
  done bigint not null,
  primary key (stage, part)
) with (fillfactor = 50);

-- One row a minute and stage; one row an hour after two weeks.
create table headway.reading (
  at timestamptz not null,
  stage int2 not null,
  waiting bigint not null,
  held bigint not null,
  later bigint not null,
  claimed bigint not null,
  dead bigint not null,
  closed bigint not null,
  done bigint not null,
  accepted bigint not null,
  deleted bigint not null,
  oldest timestamptz,
  -- Results since the start of the counting: rates are differences.
  progress bigint not null,
  -- Moment of the census behind done, accepted and deleted.
  counted_at timestamptz not null,
  primary key (stage, at)
);
