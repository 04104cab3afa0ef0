/*
  Which pipelines a database belongs to: the stages and collections that each declares, and what these mean. A process that
  uses one of the names for something else is refused before it writes anything.
*/
create table headway.owner (
  pipeline text not null,
  -- 'stage' or 'collection'
  kind text not null,
  name text not null,
  -- Of a stage its shape and what it reads and writes, of a collection its fields; null: not known.
  meaning jsonb,
  primary key (kind, name, pipeline)
);

-- Stages from before ownership was recorded belong to the pipeline that declares them next.
insert into headway.owner (pipeline, kind, name) select '', 'stage', name from headway.stage;
