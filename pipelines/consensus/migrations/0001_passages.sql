-- What people search in. It follows from the documents: triggers keep it in step within the transaction that changes them,
-- so no stage writes it, nothing in it can be stale, and what is removed is not found any more.

create table headway.passage (
  chunk text primary key,
  list text not null,
  message text not null,
  -- Name and address, in small letters.
  author text not null,
  at timestamptz,
  words tsvector not null
);
create index passage_words on headway.passage using gin (words);

-- A trigger's condition cannot look into another table, so it lets documents through that have the fields of a chunk,
-- and this asks whether it is one.
create function headway.keep_passage() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from headway.collection c where c.id = new.collection and c.name = 'chunks') then
    return null;
  end if;
  if new.gone_at is not null then
    delete from headway.passage p where p.chunk = new.id;
    return null;
  end if;
  insert into headway.passage (chunk, list, message, author, at, words)
  values (
    new.id, new.body ->> 'list', new.body ->> 'message',
    lower((new.body -> 'from' ->> 'name') || ' ' || (new.body -> 'from' ->> 'address')),
    (new.body ->> 'date')::timestamptz,
    setweight(to_tsvector('english', left(new.body ->> 'subject', 1000)), 'A')
      || to_tsvector('english', left(new.body ->> 'text', 100000))
  )
  on conflict (chunk) do update
  set list = excluded.list, message = excluded.message, author = excluded.author, at = excluded.at, words = excluded.words;
  return null;
end $$;

create trigger keep_passage
after insert or update of body, gone_at on headway.document
for each row when (new.body ? 'tokens')
execute function headway.keep_passage();

create function headway.drop_passage() returns trigger language plpgsql as $$
begin
  delete from headway.passage p
  where p.chunk = old.id
    and exists (select 1 from headway.collection c where c.id = old.collection and c.name = 'chunks');
  return null;
end $$;

create trigger drop_passage
after delete on headway.document
for each row when (old.body ? 'tokens')
execute function headway.drop_passage();
