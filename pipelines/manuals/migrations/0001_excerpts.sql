-- What people search in. Triggers keep it in step with the documents, within the transaction that changes them.

create table headway.manual_excerpt (
  excerpt text primary key,
  manual text not null,
  page int4 not null,
  -- Breadcrumb, and breadcrumb with text: stemmed in the language of the page, and as written for identifiers.
  heads tsvector not null,
  words tsvector not null
);
create index manual_excerpt_words on headway.manual_excerpt using gin (words);
create index manual_excerpt_manual on headway.manual_excerpt (manual);

create function headway.keep_manual_excerpt() returns trigger language plpgsql as $$
declare
  config regconfig;
begin
  if not exists (select 1 from headway.collection c where c.id = new.collection and c.name = 'excerpts') then
    return null;
  end if;
  if new.gone_at is not null then
    delete from headway.manual_excerpt e where e.excerpt = new.id;
    return null;
  end if;
  config := ('pg_catalog.' || (new.body ->> 'language'))::regconfig;
  insert into headway.manual_excerpt (excerpt, manual, page, heads, words)
  values (
    new.id, new.body ->> 'manual', (new.body ->> 'page')::int4,
    to_tsvector(config, left(new.body ->> 'crumbs', 2000)),
    to_tsvector(config, left(new.body ->> 'crumbs', 2000) || ' ' || left(new.body ->> 'text', 20000))
      || to_tsvector('simple', left(new.body ->> 'text', 20000))
  )
  on conflict (excerpt) do update
  set manual = excluded.manual, page = excluded.page, heads = excluded.heads, words = excluded.words;
  return null;
end $$;

create trigger keep_manual_excerpt
after insert or update of body, gone_at on headway.document
for each row when (new.body ? 'crumbs')
execute function headway.keep_manual_excerpt();

create function headway.drop_manual_excerpt() returns trigger language plpgsql as $$
begin
  delete from headway.manual_excerpt e
  where e.excerpt = old.id
    and exists (select 1 from headway.collection c where c.id = old.collection and c.name = 'excerpts');
  return null;
end $$;

create trigger drop_manual_excerpt
after delete on headway.document
for each row when (old.body ? 'crumbs')
execute function headway.drop_manual_excerpt();
