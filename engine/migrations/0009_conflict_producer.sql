-- Whether a producer has left anything behind is asked by its commit, and must not take longer the more conflicts there are.
create index conflict_producer on headway.conflict (producer, stage);
