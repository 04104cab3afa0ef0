/*
  Deletes the dead letters of tasks owed again, after the tasks are locked. A function, because its statements see rows
  committed since the calling statement began: a task that was dying meanwhile has left a letter. Returns 0.
*/
create or replace function headway.revive(the_subjects bigint[], the_stages smallint[]) returns int language plpgsql
-- Statistics of a queue are always out of date, so the indexes are chosen without them.
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
