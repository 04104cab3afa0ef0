-- Databases from before had a table kept by triggers.
drop function if exists headway.keep_manual_excerpt() cascade;
drop function if exists headway.drop_manual_excerpt() cascade;
drop table if exists headway.manual_excerpt;
