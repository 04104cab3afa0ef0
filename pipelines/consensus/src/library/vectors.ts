import { type Database, sql } from "@headway/engine";

/** Whether this database can search by meaning, and if not, advice. */
export type Meaning = { readonly kind: "ready" } | { readonly kind: "missing"; readonly because: string };

/** Vectors are kept by a projection, which is left out where the server has no pgvector. */
export async function findMeaning(db: Database): Promise<Meaning> {
  const [found] = await db.query<{ table: boolean; installed: boolean; available: boolean }>(sql`
    select to_regclass('headway_read.passage_vectors') is not null as table,
      exists (select 1 from pg_extension where extname = 'vector') as installed,
      exists (select 1 from pg_available_extensions where name = 'vector') as available`);
  if (found?.table) return { kind: "ready" };
  if (found?.installed) return { kind: "missing", because: notYet };
  return { kind: "missing", because: found?.available ? notAllowed : noExtension };
}

const notYet =
  "Vectors are kept from the next start of a worker on; until then words are searched and meaning is not.";

const notAllowed =
  'pgvector is not switched on in this database, so words are searched and meaning is not; run "create extension vector" as the database\'s owner and start again.';

const noExtension =
  "This PostgreSQL has no pgvector, so words are searched and meaning is not; install pgvector on the server and start again.";
