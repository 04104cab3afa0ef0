-- Fails the calling statement: a commit that has lost its claim, or with tasks moved by another process.
create or replace function headway.refuse(what text) returns int language plpgsql as $$
begin
  raise exception '%', what using errcode = 'HW002';
end
$$;
