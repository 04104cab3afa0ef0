import type { Database } from "./database.ts";
import {
  type Applied,
  type Migration,
  type MigrationsFolder,
  readMigrationsFolder,
} from "./migrations-folder.ts";
import { quoted, sql } from "./sql.ts";

/** The table of applied migrations: the engine's own, or a pipeline's. */
type Ledger = string;
const engineLedger: Ledger = "migration";

/**
 * Migrates a database to the code's schema, and returns the applied migrations. Several processes may do so at once.
 */
export async function migrate(
  db: Database,
  folder: URL | string,
  ledger: Ledger = engineLedger,
): Promise<readonly Applied[]> {
  const known = await readMigrationsFolder(folder);
  await createLedger(db, ledger);
  const applied: Applied[] = [];
  let done = await readLedger(db, ledger);
  if (isSquashed(done, known)) {
    await replaceSquashed(db, ledger, known);
    done = await readLedger(db, ledger);
  }
  for (;;) {
    checkLedger(db.place, done, known);
    const next = known.migrations[migrationsIn(done).length];
    if (!next) break;
    if (await apply(db, ledger, next))
      applied.push({ number: next.number, name: next.name, sha256: next.sha256 });
    done = await readLedger(db, ledger);
  }
  const current = done.find(({ number }) => number === 0)?.sha256;
  if (known.functions && known.functions.sha256 !== current) await apply(db, ledger, known.functions);
  return applied;
}

/** Migrates the pipelines' own tables; each pipeline has a ledger of its own. */
export async function migratePipelines(
  db: Database,
  pipelines: readonly { readonly name: string; readonly migrations: URL | null }[],
): Promise<void> {
  for (const { name, migrations } of pipelines) if (migrations) await migrate(db, migrations, ledgerOf(name));
}

/** Migration state of a database; read only. */
export interface Standing {
  /** The engine's own tables, or a pipeline's. */
  readonly of: string;
  readonly applied: number;
  readonly known: number;
  /** Reason why this code cannot use the database; null: usable, or to be migrated. */
  readonly problem: string | null;
}

export async function standingOf(
  db: Database,
  { of, folder }: { of: string; folder: URL | string },
): Promise<Standing> {
  const ledger = of === "engine" ? engineLedger : ledgerOf(of);
  const known = await readMigrationsFolder(folder);
  const [found] = await db.query(sql`
    select 1 from pg_tables where schemaname = ${db.schema} and tablename = ${ledger}`);
  const done = found ? await readLedger(db, ledger) : [];
  const squashed = isSquashed(done, known);
  const standing = {
    of,
    applied: squashed ? 1 : migrationsIn(done).length,
    known: known.migrations.length,
  };
  try {
    if (!squashed) checkLedger(db.place, done, known);
    return { ...standing, problem: null };
  } catch (error) {
    return { ...standing, problem: (error as Error).message };
  }
}

const ledgerOf = (pipeline: string): Ledger => `${engineLedger}_${pipeline.replaceAll(/\W/g, "_")}`;

// Held until the end of its script, so no session is needed and a pooler does no harm. The schema's name is
// substituted into this text too: two schemas do not wait for each other.
const lock = "select pg_advisory_xact_lock(hashtextextended('headway.migration', 0));";

async function createLedger(db: Database, ledger: Ledger): Promise<void> {
  const [found] = await db.query(sql`
    select 1
    from pg_tables
    where schemaname = ${db.schema} and tablename = ${ledger}
  `);
  if (found) return;
  const [schema] = await db.query(sql`select 1 from pg_namespace where nspname = ${db.schema}`);
  // Checked first, because "if not exists" demands the right to create schemas even with nothing to create.
  const create = schema ? "" : `create schema if not exists ${quoted(db.schema)};`;
  await db.script(`
    ${lock}
    ${create}
    create table if not exists headway.${quoted(ledger)} (
      number int4 primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    );
  `);
}

/** Rows in order; number 0 is the functions. */
const readLedger = (db: Database, ledger: Ledger): Promise<Applied[]> =>
  db.query<Applied>({
    text: `select number, name, sha256 from headway.${quoted(ledger)} order by number`,
    values: [],
  });

const migrationsIn = (done: readonly Applied[]): Applied[] => done.filter(({ number }) => number > 0);

function checkLedger(place: string, done: readonly Applied[], known: MigrationsFolder): void {
  const { migrations, squash } = known;
  const applied = migrationsIn(done);
  if (squash && applied[0] && applied[0].name !== squash.into) {
    throw new Error(
      `${place} stands at ${applied.at(-1)?.name}, and this Headway continues from ${squash.last.name} only: open it once with ${squash.madeBy}, then again with this one.`,
    );
  }
  for (const [index, { number, name, sha256 }] of applied.entries()) {
    const migration = migrations[index];
    if (!migration) {
      throw new Error(
        `${place} has been migrated to ${name} by a newer Headway: upgrade this one to use it.`,
      );
    }
    if (number !== migration.number || sha256 !== migration.sha256) {
      throw new Error(
        `The migration ${migration.name} has changed since ${place} was migrated with ${name}: restore that file and put the change into a new migration.`,
      );
    }
  }
}

/** A database at exactly the last of the squashed migrations has the tables of their replacement already. */
const isSquashed = (done: readonly Applied[], { squash }: MigrationsFolder): boolean =>
  squash !== null &&
  done.at(-1)?.number === squash.last.number &&
  done.at(-1)?.sha256 === squash.last.sha256 &&
  done[0]?.name !== squash.into;

async function replaceSquashed(db: Database, ledger: Ledger, known: MigrationsFolder): Promise<void> {
  const { squash, migrations } = known;
  const [first] = migrations;
  if (!squash || !first) return;
  const table = `headway.${quoted(ledger)}`;
  // Asked again under the lock: another process may have replaced the rows, and applied more.
  const squashed = `exists (select from ${table} where number = ${squash.last.number} and sha256 = '${squash.last.sha256}')`;
  await db.script(`
    ${lock}
    update ${table} set name = '${first.name}', sha256 = '${first.sha256}' where number = 1 and ${squashed};
    delete from ${table} where number > 1 and ${squashed};
  `);
}

/** Returns false when another process was faster. */
async function apply(db: Database, ledger: Ledger, migration: Migration): Promise<boolean> {
  const { number, name, sha256, text } = migration;
  try {
    // One script is one transaction. The ledger row comes first: the second of two processes fails there, before any
    // harm. The values are our own (digits, [a-z0-9_], hex), so they may stand in the text.
    const row = `insert into headway.${quoted(ledger)} (number, name, sha256) values (${number}, '${name}', '${sha256}')`;
    const replace =
      "on conflict (number) do update set sha256 = excluded.sha256, applied_at = clock_timestamp()";
    await db.script(`
      ${lock}
      ${row} ${number === 0 ? replace : ""};
      ${text}
    `);
    return true;
  } catch (error) {
    const done = await readLedger(db, ledger).catch(() => []);
    if (done.some((other) => other.number === number && other.sha256 === sha256)) return false;
    throw new Error(`The migration ${name} failed on ${db.place}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
