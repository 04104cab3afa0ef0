-- The old form of take_tasks, for workers that were started before 0006, asks the new one instead of saying the same again.
create or replace function headway.take_tasks(
  the_stage smallint, the_worker bigint, the_moment timestamptz, most int, suspects boolean,
  after_rank smallint, after_ready timestamptz, after_subject bigint
) returns table (
  claim bigint, subject bigint, rank smallint, ready_at timestamptz, generation int,
  attempts smallint, waits smallint, crashes smallint, first_attempt_at timestamptz,
  fault jsonb, id text, hash bytea, body jsonb, gone boolean, request uuid, marker bytea
) language sql as $$
  select * from headway.take_tasks(
    the_stage, the_worker, the_moment, most, suspects, suspects, after_rank, after_ready, after_subject)
$$;
