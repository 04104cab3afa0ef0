/*
  For documents about to be inserted: refuses the statement if a task has looked for one of the documents. The lock is shared
  among writers and exclusive for a commit that found a document missing, so of two transactions invisible to each other
  one waits; the next statement then has a newer snapshot.
*/
create or replace function headway.refuse_looked(the_collections int2[], the_ids text[]) returns int
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
