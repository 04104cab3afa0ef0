-- Failures of a dependency without a success between, counted by the whole fleet: enough of them open its breaker. A row is
-- there for as long as it is undecided whether the dependency or a document is to blame.
create table headway.failing (
  dependency text primary key,
  failures int not null,
  since timestamptz not null,
  -- The last fault on record before: those after it are given back when the breaker opens, whatever clocks say.
  after_fault bigint not null
);
