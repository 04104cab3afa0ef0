-- Written by `npm run schema`: to be read, not to be edited. The statements of the hot path, whole, as the store sends
-- them for a small pipeline: letters are split into lines, a line is shouted, lines are gathered by topic. SQL functions
-- are in migrations/functions/, tables in schema.sql.


-- Accept new documents

-- prepared as accept
with unsought as materialized (select 0 as rest), revived as (select 0 as rest),
made as (
  insert into headway.document
  (subject, collection, id, hash, body, producer, producer_stage, request, rank, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.producer_stage, o.request, o.rank, $1::timestamptz, $2::timestamptz
  from unnest($3::int8[], $4::int2[], $5::text[],
    $6::bytea[], $7::text[], $8::int8[], $9::int2[],
    $10::uuid[], $11::int2[]
  ) as o (subject, collection, id, hash, body, producer, producer_stage, request, rank)
), projected as materialized (select headway.project($4::int2[], $5::text[], $7::text[]) as rest), owed as (
  insert into headway.task (subject, stage, rank, ready_at, owed_at)
  select o.subject, o.stage, o.rank, $12::timestamptz, $13::timestamptz
  from unnest($14::int8[], $15::int2[], $16::int2[]) as o (subject, stage, rank)), claimed as (select null::int8 as id)
select c.id from unsought u cross join revived r cross join projected p left join claimed c on true
where u.rest + r.rest + p.rest > 0 or c.id is not null;


-- Accept new documents, claimed for an idle stage

-- prepared as acceptkeen
with unsought as materialized (select 0 as rest), revived as (select 0 as rest),
made as (
  insert into headway.document
  (subject, collection, id, hash, body, producer, producer_stage, request, rank, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.producer_stage, o.request, o.rank, $1::timestamptz, $2::timestamptz
  from unnest($3::int8[], $4::int2[], $5::text[],
    $6::bytea[], $7::text[], $8::int8[], $9::int2[],
    $10::uuid[], $11::int2[]
  ) as o (subject, collection, id, hash, body, producer, producer_stage, request, rank)
), projected as materialized (select headway.project($4::int2[], $5::text[], $7::text[]) as rest), owed as (
  insert into headway.task (subject, stage, rank, ready_at, owed_at)
  select o.subject, o.stage, o.rank, $12::timestamptz, $13::timestamptz
  from unnest($14::int8[], $15::int2[], $16::int2[]) as o (subject, stage, rank)), claimed as (
  insert into headway.claim (id, worker, stage, subjects, at)
  select nextval('headway.claim_number'), w.id, s.id, $17::int8[], $18::timestamptz
  from headway.worker w, headway.stage s
  where w.id = $19::int8 and w.evicted_at is null and s.id = $20::int8 and s.paused_at is null
  for share of w
  returning id)
select c.id from unsought u cross join revived r cross join projected p left join claimed c on true
where u.rest + r.rest + p.rest > 0 or c.id is not null;


-- Accept a changed document

begin;

select d.subject, d.collection, d.id, d.hash, d.gone_at is not null as gone, d.stamp, d.producer, d.producer_stage,
(select json_agg(json_build_object('stage', c.stage, 'producer', c.producer) order by c.producer, c.stage)
  from headway.co_producer c where c.document = d.subject) as others
from headway.document d
where d.subject in (
  select d.subject
  from unnest($1::int2[], $2::text[]) as w (collection, id)
  join headway.document d on d.collection = w.collection and d.id = w.id)
order by d.subject
for update of d;

with former as (
  insert into headway.document_before as b (subject, hash, body, variant, input_hash, since_at, until_at)
  select d.subject, d.hash, d.body, r.variant, r.input_hash, d.changed_at, $1::timestamptz
  from unnest($2::int8[], $3::bytea[]) as u (subject, hash)
  join headway.document d on d.subject = u.subject
  left join headway.done r on r.subject = d.producer and r.stage = d.producer_stage
  where d.hash <> u.hash and d.gone_at is null and pg_column_size(d.body) <= $4::int8
  on conflict (subject) do update set hash = excluded.hash, body = excluded.body, variant = excluded.variant,
  input_hash = excluded.input_hash, since_at = excluded.since_at, until_at = excluded.until_at),
changed as (
  update headway.document d
  set hash = u.hash, body = u.body::jsonb, producer = u.producer, producer_stage = u.stage, request = u.request,
  rank = u.rank, stamp = $5::int8, gone_at = null, changed_at = $6::timestamptz
  from unnest($2::int8[], $3::bytea[],
    $7::text[], $8::int8[],
    $9::int2[], $10::uuid[],
    $11::int2[]) as u (subject, hash, body, producer, stage, request, rank)
  where d.subject = u.subject
)
select headway.project($12::int2[], $13::text[], $7::text[]);

delete from headway.conflict c
using unnest($1::int8[], $2::int8[],
  $3::int2[]) as p (document, producer, stage)
where c.document = p.document and c.producer = p.producer and c.stage = p.stage;

-- prepared as oweagain
with
again as (
  select * from unnest($1::int8[], $2::int2[],
    $3::int2[], $4::timestamptz[],
    $5::text[]) as o (subject, stage, rank, ready_at, reason)),
owed_again as (
  insert into headway.task (subject, stage, rank, ready_at, reason, owed_at, generation)
  select o.subject, o.stage, o.rank, o.ready_at, o.reason, $6::timestamptz,
  1 + (nextval('headway.claim_number') % 2000000000)::int4
  from again o
  order by o.stage, o.subject
  on conflict (subject, stage) do update
  set generation = excluded.generation, rank = excluded.rank, ready_at = excluded.ready_at, reason = excluded.reason,
  attempts = 0, waits = 0, crashes = 0, spared = 0, outages = 0, first_attempt_at = null, fault = null
  returning subject, stage
),
revived as (select headway.revive(array_agg(subject), array_agg(stage)) as rest from owed_again) select 1 from revived where rest > 0;

commit;


-- Poll the stages of a worker

-- prepared as due
select s.stage::int4 as stage,
exists (
  select 1
  from headway.task t
  where t.stage = s.stage and t.ready_at <= $1::timestamptz
  and t.subject not in (select unnest(c.subjects) from headway.claim c where c.stage = s.stage)
) as due,
(select t.ready_at
  from headway.task t
  where t.stage = s.stage and t.rank = 0 and t.ready_at > $2::timestamptz
  order by t.ready_at
  limit 1) as next
from unnest($3::int2[]) as s (stage);


-- Find the next due moment of a stage

-- prepared as nextready
select ready_at
from headway.task
where stage = $1::int8 and rank = 0 and ready_at > $2::timestamptz
order by ready_at
limit 1;


-- Claim due tasks

-- prepared as take
select claim, subject, rank, ready_at as "readyAt", generation, attempts, waits, crashes,
first_attempt_at as "firstAttemptAt", fault, id, hash, body, gone, request, marker from headway.take_tasks($1::int8::int2, $2::int8::int8, $3::timestamptz::timestamptz, $4::int8::int4,
  $5::bool::bool, $6::bool::bool, $7::int8::int2, $8::timestamptz::timestamptz, $9::int8::int8);


-- Commit the first result of a task, with more tasks in the claim

-- prepared as fresh
with fence as (update headway.claim
  set subjects = array(select s from unnest(subjects) s where s <> all ($1::int8[]))
  where id = $2::int8 and worker = $3::int8 returning 1),
ended as (
  delete from headway.task t
  where t.subject = any ($4::int8[]) and t.stage = $5::int8 and t.generation = 0
  returning 1),
checked as materialized (
  select case
  when (select count(*) from fence) = 0 then headway.refuse('the claim is gone')
  when (select count(*) from ended) <> $6::int8 then headway.refuse('a task was moved')
  when exists (select 1 from headway.stage s where s.id = any ($7::int2[]) and s.paused_at is not null)
  then headway.refuse('a stage is paused')
  else 0 end as fine
),
results as (
  insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, took_ms, finished_at
  )
  select r.subject, r.stage, r.marker, r.input_hash, r.variant, r.attempts, r.outputs, r.took_ms, $8::timestamptz
  from unnest($9::int8[], $10::int2[],
    $11::bytea[], $12::bytea[],
    $13::int4[], $14::int4[],
    $15::int4[], $16::int4[]
  ) as r (subject, stage, marker, input_hash, variant, attempts, outputs, took_ms )
),
revived as (select 0 as rest),
made as (
  insert into headway.document
  (subject, collection, id, hash, body, producer, producer_stage, request, rank, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.producer_stage, o.request, o.rank, $17::timestamptz, $18::timestamptz
  from unnest($19::int8[], $20::int2[], $21::text[],
    $22::bytea[], $23::text[], $24::int8[], $25::int2[],
    $26::uuid[], $27::int2[]
  ) as o (subject, collection, id, hash, body, producer, producer_stage, request, rank)
), projected as materialized (select headway.project($20::int2[], $21::text[], $23::text[]) as rest),
owed as (
  insert into headway.task (subject, stage, rank, ready_at, owed_at)
  select o.subject, o.stage, o.rank, $28::timestamptz, $29::timestamptz
  from unnest($30::int8[], $31::int2[], $32::int2[]) as o (subject, stage, rank)),
held as (select 0 as stage, 0 as id where false)
select held.stage, held.id
from checked cross join revived cross join projected left join held on true
where checked.fine + revived.rest + projected.rest > 0 or held.id is not null;


-- Commit the last task of a claim: an output joins a group, an event, a failed attempt before

-- prepared as fresh
with fence as (delete from headway.claim where id = $1::int8 and worker = $2::int8 returning 1),
ended as (
  delete from headway.task t
  using unnest($3::int8[], $4::int4[])
  as e (subject, generation)
  where t.subject = e.subject and t.stage = $5::int8 and t.generation = e.generation
  returning 1),
checked as materialized (
  select case
  when (select count(*) from fence) = 0 then headway.refuse('the claim is gone')
  when (select count(*) from ended) <> $6::int8 then headway.refuse('a task was moved')
  when exists (select 1 from headway.stage s where s.id = any ($7::int2[]) and s.paused_at is not null)
  then headway.refuse('a stage is paused')
  when (exists (select 1 from headway.document where producer = any ($8::int8[]) and producer_stage = $9::int8)
    or exists (select 1 from headway.co_producer where producer = any ($8::int8[]) and stage = $10::int8)
    or exists (select 1 from headway.conflict where producer = any ($8::int8[]) and stage = $11::int8)) then headway.refuse('there are earlier results')
  else 0 end as fine
),
results as (
  insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, took_ms, finished_at
  )
  select r.subject, r.stage, r.marker, r.input_hash, r.variant, r.attempts, r.outputs, r.took_ms, $12::timestamptz
  from unnest($13::int8[], $14::int2[],
    $15::bytea[], $16::bytea[],
    $17::int4[], $18::int4[],
    $19::int4[], $20::int4[]
  ) as r (subject, stage, marker, input_hash, variant, attempts, outputs, took_ms )
),
grouped as (
  insert into headway.grouping (subject, stage, key, request, touched_at)
  select g.subject, g.stage, g.key, g.request, $21::timestamptz
  from unnest($22::int8[], $23::int2[],
    $24::text[], $25::uuid[]
  ) with ordinality as g (subject, stage, key, request, place) cross join checked
  order by g.place
  on conflict (stage, key) do update set touched_at = excluded.touched_at, request = excluded.request
  returning subject, stage, key),
entered as (
  insert into headway.member (document, stage, grouping)
  select n.document, n.stage, g.subject
  from unnest($26::int8[], $27::int2[],
    $28::text[]) as n (document, stage, key)
  join grouped g on g.key = n.key and g.stage = n.stage
),
again as (
  select g.subject, g.stage, n.rank, n.ready_at, n.reason
  from unnest($29::int2[], $30::text[],
    $31::int2[], $32::timestamptz[], $33::text[]
  ) as n (stage, key, rank, ready_at, reason)
  join grouped g on g.key = n.key and g.stage = n.stage),
owed_again as (
  insert into headway.task (subject, stage, rank, ready_at, reason, owed_at, generation)
  select o.subject, o.stage, o.rank, o.ready_at, o.reason, $34::timestamptz,
  1 + (nextval('headway.claim_number') % 2000000000)::int4
  from again o
  order by o.stage, o.subject
  on conflict (subject, stage) do update
  set generation = excluded.generation, rank = excluded.rank, ready_at = excluded.ready_at, reason = excluded.reason,
  attempts = 0, waits = 0, crashes = 0, spared = 0, outages = 0, first_attempt_at = null, fault = null
  returning subject, stage
),
revived as (select headway.revive(array_agg(subject), array_agg(stage)) as rest from owed_again),
made as (
  insert into headway.document
  (subject, collection, id, hash, body, producer, producer_stage, request, rank, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.producer_stage, o.request, o.rank, $35::timestamptz, $36::timestamptz
  from unnest($37::int8[], $38::int2[], $39::text[],
    $40::bytea[], $41::text[], $42::int8[], $43::int2[],
    $44::uuid[], $45::int2[]
  ) as o (subject, collection, id, hash, body, producer, producer_stage, request, rank)
), projected as materialized (select headway.project($38::int2[], $39::text[], $41::text[]) as rest),
owed as (
  insert into headway.task (subject, stage, rank, ready_at, owed_at)
  select o.subject, o.stage, o.rank, $46::timestamptz, $47::timestamptz
  from unnest($48::int8[], $49::int2[], $50::int2[]) as o (subject, stage, rank)),
held as (select 0 as stage, 0 as id where false)
, announced as (
  insert into headway.outbox (key, type, subject, stage, data, request, correlation_id, at)
  select e.key, e.type, e.subject, e.stage, e.data::jsonb, e.request, e.correlation_id, $51::timestamptz
  from unnest($52::text[], $53::text[],
    $54::int8[], $55::int2[],
    $56::text[],
    $57::uuid[], $58::text[]
  ) as e (key, type, subject, stage, data, request, correlation_id)
  on conflict (key) do update set relayed_at = null, at = excluded.at)
, failed as (
  insert into headway.fault
  (subject, stage, attempt, kind, code, fingerprint, fault, variant, worker, request, correlation_id, at)
  select f.subject, $59::int8, f.attempt, f.kind, f.code, f.fingerprint, f.fault::jsonb, $60::int8::int4,
  $61::int8::int8, f.request, f.correlation_id, f.at
  from unnest($62::int8[], $63::int4[],
    $64::text[], $65::text[],
    $66::text[], $67::text[],
    $68::uuid[], $69::text[],
    $70::timestamptz[]
  ) as f (subject, attempt, kind, code, fingerprint, fault, request, correlation_id, at))
select held.stage, held.id
from checked cross join revived cross join projected left join held on true
where checked.fine + revived.rest + projected.rest > 0 or held.id is not null;


-- Commit another result of a task: compared with the rows that are there

begin;

-- prepared as hold
select subjects from headway.claim where id = $1::int8 and worker = $2::int8 for update;

-- prepared as locktasks
select subject, generation, reason
from headway.task
where stage = $1::int8 and subject = any ($2::int8[])
order by subject
for update;

select d.subject, d.collection, d.id, d.hash, d.gone_at is not null as gone, d.stamp, d.producer, d.producer_stage,
(select json_agg(json_build_object('stage', c.stage, 'producer', c.producer) order by c.producer, c.stage)
  from headway.co_producer c where c.document = d.subject) as others
from headway.document d
where d.subject in (
  select d.subject
  from unnest($1::int2[], $2::text[]) as w (collection, id)
  join headway.document d on d.collection = w.collection and d.id = w.id
  union
  select d.subject from unnest($3::int8[], $4::int2[]) as p (subject, stage)
  join headway.document d on d.producer = p.subject and d.producer_stage = p.stage
  union
  select c.document from unnest($3::int8[], $4::int2[]) as p (subject, stage)
  join headway.co_producer c on c.producer = p.subject and c.stage = p.stage)
order by d.subject
for update of d;

with made as (
  insert into headway.document
  (subject, collection, id, hash, body, producer, producer_stage, request, rank, stamp, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.stage, o.request, o.rank,
  $1::int8, $2::timestamptz, $3::timestamptz
  from unnest($4::int8[], $5::int2[],
    $6::text[], $7::bytea[],
    $8::text[], $9::int8[],
    $10::int2[], $11::uuid[],
    $12::int2[]
  ) as o (subject, collection, id, hash, body, producer, stage, request, rank)
)
select headway.project($5::int2[], $6::text[], $8::text[]);

with former as (
  insert into headway.document_before as b (subject, hash, body, variant, input_hash, since_at, until_at)
  select d.subject, d.hash, d.body, r.variant, r.input_hash, d.changed_at, $1::timestamptz
  from unnest($2::int8[], $3::bytea[]) as u (subject, hash)
  join headway.document d on d.subject = u.subject
  left join headway.done r on r.subject = d.producer and r.stage = d.producer_stage
  where d.hash <> u.hash and d.gone_at is null and pg_column_size(d.body) <= $4::int8
  on conflict (subject) do update set hash = excluded.hash, body = excluded.body, variant = excluded.variant,
  input_hash = excluded.input_hash, since_at = excluded.since_at, until_at = excluded.until_at),
changed as (
  update headway.document d
  set hash = u.hash, body = u.body::jsonb, producer = u.producer, producer_stage = u.stage, request = u.request,
  rank = u.rank, stamp = $5::int8, gone_at = null, changed_at = $6::timestamptz
  from unnest($2::int8[], $3::bytea[],
    $7::text[], $8::int8[],
    $9::int2[], $10::uuid[],
    $11::int2[]) as u (subject, hash, body, producer, stage, request, rank)
  where d.subject = u.subject
)
select headway.project($12::int2[], $13::text[], $7::text[]);

-- prepared as dropconflicts
delete from headway.conflict c
using unnest($1::int8[], $2::int2[])
as p (producer, stage)
where c.producer = p.producer and c.stage = p.stage
and c.document <> all ($3::int8[]);

-- prepared as owe
insert into headway.task (subject, stage, rank, ready_at, owed_at)
select o.subject, o.stage, o.rank, $1::timestamptz, $2::timestamptz
from unnest($3::int8[], $4::int2[],
  $5::int2[]) as o (subject, stage, rank)
on conflict (subject, stage) do nothing;

-- prepared as oweagain
with
again as (
  select * from unnest($1::int8[], $2::int2[],
    $3::int2[], $4::timestamptz[],
    $5::text[]) as o (subject, stage, rank, ready_at, reason)),
owed_again as (
  insert into headway.task (subject, stage, rank, ready_at, reason, owed_at, generation)
  select o.subject, o.stage, o.rank, o.ready_at, o.reason, $6::timestamptz,
  1 + (nextval('headway.claim_number') % 2000000000)::int4
  from again o
  order by o.stage, o.subject
  on conflict (subject, stage) do update
  set generation = excluded.generation, rank = excluded.rank, ready_at = excluded.ready_at, reason = excluded.reason,
  attempts = 0, waits = 0, crashes = 0, spared = 0, outages = 0, first_attempt_at = null, fault = null
  returning subject, stage
),
revived as (select headway.revive(array_agg(subject), array_agg(stage)) as rest from owed_again) select 1 from revived where rest > 0;

insert into headway.done (subject, stage, marker, input_hash, looked, variant, attempts, outputs, finished_at, took_ms,
  facts, finding)
select r.subject, $1::int8, r.marker, r.input_hash, r.looked, $2::int8, r.attempts,
(select count(*) from headway.document d
  where d.producer = r.subject and d.producer_stage = $3::int8 and d.gone_at is null)
+ (select count(*) from headway.co_producer c where c.producer = r.subject and c.stage = $4::int8), $5::timestamptz,
r.took_ms, r.facts::jsonb, r.finding
from unnest($6::int8[], $7::bytea[],
  $8::bytea[], $9::bytea[],
  $10::int4[], $11::int4[],
  $12::text[], $13::text[]
) as r (subject, marker, input_hash, looked, attempts, took_ms, facts, finding)
on conflict (subject, stage) do update
set marker = excluded.marker, input_hash = excluded.input_hash, looked = excluded.looked, variant = excluded.variant,
attempts = excluded.attempts, outputs = excluded.outputs, finished_at = excluded.finished_at,
-- An unchanged result keeps the facts of its making.
took_ms = coalesce(excluded.took_ms, done.took_ms),
facts = case when excluded.took_ms is null then done.facts else excluded.facts end,
finding = case when excluded.took_ms is null then done.finding else excluded.finding end;

-- prepared as endtasks
delete from headway.task t
using unnest($1::int8[], $2::int4[])
as e (subject, generation)
where t.stage = $3::int8 and t.subject = e.subject and t.generation = e.generation;

-- prepared as shrink
update headway.claim
set subjects = array(select s from unnest(subjects) s where s <> all ($1::int8[]))
where id = $2::int8;

-- prepared as endclaim
delete from headway.claim where id = $1::int8 and subjects = '{}';

commit;


-- Commit a part of a long result

begin;

-- prepared as hold
select subjects from headway.claim where id = $1::int8 and worker = $2::int8 for update;

-- prepared as locktasks
select subject, generation, reason
from headway.task
where stage = $1::int8 and subject = any ($2::int8[])
order by subject
for update;

with undone as (
  delete from headway.done where stage = $1::int8 and subject = $2::int8
)
update headway.task
set first_attempt_at = coalesce(first_attempt_at, $3::timestamptz)
where stage = $4::int8 and subject = $5::int8;

select d.subject, d.collection, d.id, d.hash, d.gone_at is not null as gone, d.stamp, d.producer, d.producer_stage,
(select json_agg(json_build_object('stage', c.stage, 'producer', c.producer) order by c.producer, c.stage)
  from headway.co_producer c where c.document = d.subject) as others
from headway.document d
where d.subject in (
  select d.subject
  from unnest($1::int2[], $2::text[]) as w (collection, id)
  join headway.document d on d.collection = w.collection and d.id = w.id)
order by d.subject
for update of d;

with made as (
  insert into headway.document
  (subject, collection, id, hash, body, producer, producer_stage, request, rank, stamp, created_at, changed_at)
  select o.subject, o.collection, o.id, o.hash, o.body::jsonb, o.producer, o.stage, o.request, o.rank,
  $1::int8::int8, $2::timestamptz, $3::timestamptz
  from unnest($4::int8[], $5::int2[],
    $6::text[], $7::bytea[],
    $8::text[], $9::int8[],
    $10::int2[], $11::uuid[],
    $12::int2[]
  ) as o (subject, collection, id, hash, body, producer, stage, request, rank)
)
select headway.project($5::int2[], $6::text[], $8::text[]);

-- prepared as owe
insert into headway.task (subject, stage, rank, ready_at, owed_at)
select o.subject, o.stage, o.rank, $1::timestamptz, $2::timestamptz
from unnest($3::int8[], $4::int2[],
  $5::int2[]) as o (subject, stage, rank)
on conflict (subject, stage) do nothing;

commit;


-- Retry a failed task later

begin;

-- prepared as hold
select subjects from headway.claim where id = $1::int8 and worker = $2::int8 for update;

-- prepared as locktasks
select subject, generation, reason
from headway.task
where stage = $1::int8 and subject = any ($2::int8[])
order by subject
for update;

-- prepared as postpone
update headway.task t
set ready_at = p.ready_at, reason = p.reason, attempts = t.attempts + p.attempts, waits = t.waits + p.waits,
fault = coalesce(p.fault::jsonb, t.fault),
crashes = case when p.suspect then $1::int8 when p.attempted then 0 else t.crashes end,
spared = case when p.attempted and not p.suspect then 0 else t.spared end,
last_attempt_at = case when p.attempted then $2::timestamptz else t.last_attempt_at end,
first_attempt_at = case when p.attempted then coalesce(t.first_attempt_at, $3::timestamptz) else t.first_attempt_at end
from unnest($4::int8[], $5::int4[],
  $6::timestamptz[], $7::text[],
  $8::int4[], $9::int4[],
  $10::bool[], $11::bool[],
  $12::text[]
) as p (subject, generation, ready_at, reason, attempts, waits, attempted, suspect, fault)
where t.stage = $13::int8 and t.subject = p.subject and t.generation = p.generation;

-- prepared as shrink
update headway.claim
set subjects = array(select s from unnest(subjects) s where s <> all ($1::int8[]))
where id = $2::int8;

-- prepared as endclaim
delete from headway.claim where id = $1::int8 and subjects = '{}';

commit;


-- End a task as a dead letter

begin;

-- prepared as hold
select subjects from headway.claim where id = $1::int8 and worker = $2::int8 for update;

-- prepared as locktasks
select subject, generation, reason
from headway.task
where stage = $1::int8 and subject = any ($2::int8[])
order by subject
for update;

insert into headway.dead_letter (subject, stage, reason, kind, code, fingerprint, fault, input, input_hash, variant,
  attempts, waits, crashes, rank, request, correlation_id, died_at)
select d.subject, $1::int8, d.reason, d.kind, d.code, d.fingerprint, d.fault::jsonb, d.input::jsonb, d.input_hash,
$2::int8, d.attempts, d.waits, d.crashes, d.rank, d.request, d.correlation_id, $3::timestamptz
from unnest($4::int8[], $5::text[],
  $6::text[], $7::text[],
  $8::text[], $9::text[],
  $10::text[], $11::bytea[],
  $12::int4[], $13::int4[],
  $14::int4[], $15::int4[],
  $16::uuid[], $17::text[]
) as d (subject, reason, kind, code, fingerprint, fault, input, input_hash, attempts, waits, crashes, rank, request,
  correlation_id);

delete from headway.task where stage = $1::int8 and subject = any ($2::int8[]);

insert into headway.alert_queue (stage, fingerprint, reason, code, count, facts, at)
select $1::int8, r.fingerprint, r.reason, r.code, r.count, r.facts || jsonb_build_object(
  'stage', s.name,
  'version', (select v.version from headway.variant v where v.id = $2::int8),
  'document', coalesce((select c.name || '/' || d.id from headway.document d
      join headway.collection c on c.id = d.collection where d.subject = r.subject), '')), $3::timestamptz
from jsonb_to_recordset($4::text::jsonb)
as r (fingerprint text, reason text, code text, count int, subject int8, facts jsonb)
join headway.stage s on s.id = $5::int8;

-- prepared as shrink
update headway.claim
set subjects = array(select s from unnest(subjects) s where s <> all ($1::int8[]))
where id = $2::int8;

-- prepared as endclaim
delete from headway.claim where id = $1::int8 and subjects = '{}';

commit;
