-- Base64, patches and rules of signs are no prose: their lines are left out of the words that search knows.
create function headway.passage_words(subject text, passage text) returns tsvector language sql immutable as $$
  select setweight(to_tsvector('english', left(coalesce(subject, ''), 1000)), 'A')
    || to_tsvector('english', regexp_replace(
      left(coalesce(passage, ''), 100000),
      '^(?:[A-Za-z0-9+/=_-]{60,}|(?:diff |index [0-9a-f]{6,}|@@ |--- |\+\+\+ |[+-](?=[^ 0-9+-])).*)$', '', 'gn'))
$$;

create or replace function headway.keep_passage() returns trigger language plpgsql as $$
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
    headway.passage_words(new.body ->> 'subject', new.body ->> 'text')
  )
  on conflict (chunk) do update
  set list = excluded.list, message = excluded.message, author = excluded.author, at = excluded.at, words = excluded.words;
  return null;
end $$;

update headway.passage p
set words = headway.passage_words(d.body ->> 'subject', d.body ->> 'text')
from headway.document d
join headway.collection c on c.id = d.collection and c.name = 'chunks'
where d.id = p.chunk and d.gone_at is null;
