/*
  How far the documents that existed before a stage are owed to it: those with a greater number may still lack a task. Null:
  all are owed. The ledger counts the rest as waiting, so it balances while pages are owed.
*/
alter table headway.stage add column owing_after bigint;
