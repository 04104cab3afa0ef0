-- What was measured, kept so that a later run can be compared with it. The samples are kept, not their mean alone, because
-- only they tell whether a change is more than chance.
create table headway.performance_baselines (
  id bigint generated always as identity primary key,
  run uuid not null,
  at timestamptz not null,
  test text not null,
  document_set text not null,
  commit text not null,
  environment text not null,
  figure text not null,
  samples double precision[] not null,
  -- Cores, memory, versions: what a reader needs to judge the figures.
  machine jsonb not null,
  unique (run, test, document_set, figure)
);
create index performance_baselines_latest on headway.performance_baselines (environment, test, document_set, figure, id);
