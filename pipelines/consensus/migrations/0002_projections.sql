-- The search index is a projection now. Databases from before had tables kept by triggers.
drop function if exists headway.keep_passage() cascade;
drop function if exists headway.drop_passage() cascade;
drop function if exists headway.keep_vector() cascade;
drop table if exists headway.passage;
drop table if exists headway.passage_vector;
