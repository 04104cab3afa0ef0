-- The bytes of archives, for installations whose machines share this database and no folder. A blob is there when it is
-- whole; one that is not belongs to a process that is still writing it, or that was killed and is cleared away later.

create table headway.blob (
  -- SHA-256 of its bytes, in hexadecimal.
  hash text primary key,
  size int8 not null,
  whole bool not null default false,
  written_at timestamptz not null
);
create index blob_unfinished on headway.blob (written_at) where not whole;

create table headway.blob_piece (
  hash text not null references headway.blob (hash) on delete cascade,
  number int4 not null,
  bytes bytea not null,
  primary key (hash, number)
);
-- Not compressed: a piece is read as fast as it travels, and how long it is can be asked without reading it.
alter table headway.blob_piece alter column bytes set storage external;

-- Base64, patches and rules of signs are no prose: their lines are left out of the words that search knows.
create function headway.passage_words(subject text, passage text) returns tsvector language sql immutable as $$
  select setweight(to_tsvector('english', left(coalesce(subject, ''), 1000)), 'A')
    || to_tsvector('english', regexp_replace(
      left(coalesce(passage, ''), 100000),
      '^(?:[A-Za-z0-9+/=_-]{60,}|(?:diff |index [0-9a-f]{6,}|@@ |--- |\+\+\+ |[+-](?=[^ 0-9+-])).*)$', '', 'gn'))
$$;
