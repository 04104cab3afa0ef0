-- Whether a producer has left anything behind is asked by its commit, and must not take longer the more conflicts there are.
create index conflict_producer on headway.conflict (producer, stage);

/*
  Ends the dead letters of what is owed again, after its tasks are locked. A function, because its statements see what was
  committed since the calling one began: whoever waited for a task that was dying has to find the letter. Returns 0.
*/
create function headway.revive(the_subjects bigint[], the_stages smallint[]) returns int language plpgsql
-- Statistics of a queue are always out of date: the way through its indexes is right whatever they say.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  delete from headway.dead_letter d
  using unnest(the_subjects, the_stages) as o (subject, stage)
  where d.subject = o.subject and d.stage = o.stage;
  return 0;
end
$$;
