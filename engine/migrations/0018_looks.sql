/*
  Declared look-ups: the documents that a task has read beside its input. A change of a document owes the stage again to each
  of its rows here. `hash` is the content that was read; null: the document was not there.
*/
create table headway.look (
  collection int2 not null,
  id text not null,
  subject int8 not null,
  stage int2 not null,
  hash bytea,
  primary key (collection, id, subject, stage)
);
create index look_task on headway.look (subject, stage);

-- The hash of all look-ups of a result, as far as the stage asked for their fields; part of the marker. Null: none.
alter table headway.done add column looked bytea;

-- Whether the stage looks at other documents; a deletion holds its claims back, as it does for groups.
alter table headway.stage add column looks bool not null default false;

/*
  For documents about to be inserted: refuses the statement if a task has looked for one of them. The lock is shared among
  writers and exclusive for a commit that found a document missing, so of two that do not see each other one waits; the
  statement below then has a snapshot of its own.
*/
create function headway.refuse_looked(the_collections int2[], the_ids text[]) returns int
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('headway.look', c))
  from (select distinct c from unnest(the_collections) c order by c) c;
  perform 1 from unnest(the_collections, the_ids) as o (collection, id)
  join headway.look l on l.collection = o.collection and l.id = o.id
  limit 1;
  if found then
    perform headway.refuse('a task has looked for the document');
  end if;
  return 0;
end $$;
