-- No table: the search index is a projection, and files are in the blob store.
select 1;
