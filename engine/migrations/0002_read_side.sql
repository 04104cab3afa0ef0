/*
  Projections: tables of pipelines that show the documents of a collection, in the schema for readers. `definition` is how the
  table was made; `built_after`: documents up to this number are in it, of those that existed before; null: all are.
*/
create table headway.projection (
  name text primary key,
  collection int2 not null references headway.collection (id),
  definition jsonb not null,
  built_after int8
);

/*
  Called by every statement that writes or removes documents; store/projections.ts puts the projections in. In the database and
  not in the workers, so that a process which does not know a pipeline keeps its projections too.
*/
create function headway.project(the_collections int2[], the_ids text[], the_bodies text[]) returns int4
language plpgsql as $$ begin return 0; end $$;

create function headway.unproject(the_subjects int8[]) returns int4
language plpgsql as $$ begin return 0; end $$;
