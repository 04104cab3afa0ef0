-- The content that the present one replaced, so that people see what has changed: one per document, kept for a week.
create table headway.document_before (
  subject bigint primary key,
  hash bytea not null,
  body jsonb not null,
  -- Code and input of the result that yielded it; null: a source brought it.
  variant int4,
  input_hash bytea,
  since_at timestamptz not null,
  -- The moment of the replacement: the former content belongs to a document that changed at this moment.
  until_at timestamptz not null
);
create index document_before_until on headway.document_before (until_at);
