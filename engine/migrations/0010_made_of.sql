/*
  Which members of its group a result of a fan-in stage is made of, so that a deletion can hide results without the code of
  the stage: 'all' of them, 'any' one of them alone, or a path in the result that leads to the ids of members.
*/
alter table headway.stage add column made_of text not null default 'all';
