import { type Database, sql } from "@headway/engine";

/** Whether this database can search by meaning, and if not, advice. */
export type Meaning = { readonly kind: "ready" } | { readonly kind: "missing"; readonly because: string };

/** Two processes may begin at once; the second fails, looks again, and finds the work done. */
const triesMax = 2;

/**
 * Keeps vectors in a comparable form, beside `passage`. Not a migration, because a server may get pgvector later:
 * checked at each start, with vectors made meanwhile brought in.
 */
export async function enableMeaning(db: Database, tries = 1): Promise<Meaning> {
  const found = await lookForVectors(db);
  if (found?.table) return { kind: "ready" };
  if (!found?.available) return { kind: "missing", because: noExtension };
  try {
    if (!found.installed) await db.script("create extension if not exists vector");
    await db.script(makeTable);
    return { kind: "ready" };
  } catch (error) {
    if (tries < triesMax) return await enableMeaning(db, tries + 1);
    const because = `pgvector could not be switched on (${(error as Error).message}); words are searched, meaning is not. Run "create extension vector" as the database's owner.`;
    return { kind: "missing", because };
  }
}

const lookForVectors = async (db: Database) => {
  const [found] = await db.query<{ table: boolean; installed: boolean; available: boolean }>(sql`
    select to_regclass('headway.passage_vector') is not null as table,
      exists (select 1 from pg_extension where extname = 'vector') as installed,
      exists (select 1 from pg_available_extensions where name = 'vector') as available`);
  return found;
};

/** The same for a process that only looks: nothing is made. */
export async function findMeaning(db: Database): Promise<Meaning> {
  const found = await lookForVectors(db);
  if (found?.table) return { kind: "ready" };
  return { kind: "missing", because: found?.available ? notYet : noExtension };
}

const notYet =
  "Vectors are kept from the next start of a worker on; until then words are searched and meaning is not.";

const noExtension =
  "This PostgreSQL has no pgvector, so words are searched and meaning is not; install pgvector on the server and start again.";

// Vectors of two models have two lengths, so the column has none; only vectors of one model are ever compared.
const makeTable = `
  select pg_advisory_xact_lock(hashtextextended('headway.passage_vector', 0));

  create table if not exists headway.passage_vector (
    chunk text primary key,
    model text not null,
    vector vector not null
  );

  create or replace function headway.keep_vector() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' or new.gone_at is not null then
      delete from headway.passage_vector p
      where p.chunk = old.id
        and exists (select 1 from headway.collection c where c.id = old.collection and c.name = 'vectors');
      return null;
    end if;
    if exists (select 1 from headway.collection c where c.id = new.collection and c.name = 'vectors') then
      insert into headway.passage_vector (chunk, model, vector)
      values (new.id, new.body ->> 'model', (new.body ->> 'vector')::vector)
      on conflict (chunk) do update set model = excluded.model, vector = excluded.vector;
    end if;
    return null;
  end $$;

  create or replace trigger keep_vector
  after insert or update of body, gone_at on headway.document
  for each row when (new.body ? 'vector')
  execute function headway.keep_vector();

  create or replace trigger drop_vector
  after delete on headway.document
  for each row when (old.body ? 'vector')
  execute function headway.keep_vector();

  insert into headway.passage_vector (chunk, model, vector)
  select d.id, d.body ->> 'model', (d.body ->> 'vector')::vector
  from headway.document d
  join headway.collection c on c.id = d.collection and c.name = 'vectors'
  where d.gone_at is null
  on conflict (chunk) do nothing;
`;
